import Foundation
import Testing

@Suite("The documents lead where they say, and every alert has its page")
struct DocumentationTests {
    /// Read once for all tests.
    private static let documents = Result { try Document.all(below: PackageManifest.root) }

    @Test("Every link of a document leads to a file and to a heading or anchor in it")
    func links() throws {
        let documents = try Self.documents.get()
        #expect(documents.count > 150)
        var anchors: [String: Set<String>] = [:]
        for document in documents { anchors[document.path] = document.anchors }
        for document in documents {
            for link in document.links {
                let file = PackageManifest.root.appending(path: link.path)
                #expect(FileManager.default.fileExists(atPath: file.path), "\(document.path): \(link.path)")
                guard let anchor = link.anchor, let known = anchors[link.path] else { continue }
                #expect(known.contains(anchor), "\(document.path): \(link.path)#\(anchor)")
            }
        }
    }

    @Test(
        "Every page of docs that a source, script, description or package names exists, with the section that it names"
    )
    func names() throws {
        let known = Dictionary(uniqueKeysWithValues: try Self.documents.get().map { ($0.path, $0.anchors) })
        let manager = FileManager.default
        let folders = ["Sources", "Scripts", "Packaging", "Plugins", "docs/openapi", ".github"]
        var named: Set<String> = []
        for folder in folders {
            let root = PackageManifest.root.appending(path: folder)
            for path in try manager.subpathsOfDirectory(atPath: root.path) {
                guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { continue }
                for line in text.split(separator: "\n") where line.contains("docs/") {
                    for match in line.matches(of: #/docs\/[a-z0-9\/-]+\.md(?:#([a-z0-9-]+))?/#) {
                        let page = String(match.0.prefix { $0 != "#" })
                        named.insert(page)
                        let anchor = match.1.map(String.init)
                        let isThere = known[page].map { anchors in anchor.map(anchors.contains) ?? true } ?? false
                        #expect(isThere, "\(folder)/\(path): \(match.0)")
                    }
                }
            }
        }
        #expect(named.isSuperset(of: ["docs/settings.md", "docs/configuration.md", "docs/paths.md"]))
    }

    @Test("Every page of docs is reached from docs/README.md, which the README of the repository names")
    func reach() throws {
        let pages = Dictionary(uniqueKeysWithValues: try Self.documents.get().map { ($0.path, $0) })
        #expect(pages["README.md"]?.links.contains { $0.path == "docs/README.md" } == true)
        var reached: Set<String> = []
        var open = ["docs/README.md"]
        while let path = open.popLast() {
            guard path.hasPrefix("docs/"), reached.insert(path).inserted else { continue }
            open += pages[path]?.links.map(\.path) ?? []
        }
        let missing = pages.keys.filter { $0.hasPrefix("docs/") && !reached.contains($0) }.sorted()
        #expect(missing == [])
    }

    @Test("Every kind of review item, every step of a due date and every check of readiness has a runbook")
    func runbooks() throws {
        let kinds = try names(
            in: "Sources/Merchant/Ledger/Model/Review/ReviewItem.swift",
            after: "struct ReviewKind",
            #/static let \w+ = Self\(rawValue: "([a-z-]+)"\)/#
        )
        #expect(kinds.count >= 7)
        let checks = try names(
            in: "Sources/Merchant/Reporting/Health/Readiness.swift",
            after: "enum Check",
            #/(?m)^\s+case (\w+)$/#
        )
        #expect(checks.count >= 4)
        let steps = try names(
            in: "Sources/Merchant/Reporting/Alerts/AlertEvent.swift",
            after: "var alertName",
            #/case \.(warned|overdue)\b/#
        )
        #expect(steps == ["warned", "overdue"])

        let folder = PackageManifest.root.appending(path: "docs/runbooks")
        let index = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
        let rows = index.split(separator: "\n").filter { $0.hasPrefix("| ") }
        for name in kinds + checks + ["\"step\":\"5d\"", "\"step\":\"overdue\""] {
            let row = rows.first { $0.contains("`\(name)`") }
            let page = row?.firstMatch(of: #/\]\(([a-z-]+\.md)\) \|$/#)?.1
            guard let page else {
                Issue.record("docs/runbooks/README.md has no row with a page for \(name)")
                continue
            }
            let text = try String(contentsOf: folder.appending(path: String(page)), encoding: .utf8)
            for part in ["**Means.**", "**Until when.**", "**See it.**", "**Do.**", "**Over**"] {
                #expect(text.contains(part), "\(page): \(part)")
            }
        }
        for kind in kinds {
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "\(kind).md").path), "\(kind)")
        }
    }

    @Test("A page that starts a server and sends requests to it first checks that nothing else has its port")
    func ports() throws {
        let examples = PackageManifest.root.appending(path: "Examples")
        let more = try FileManager.default.subpathsOfDirectory(atPath: examples.path)
            .filter { $0.hasSuffix(".md") && !$0.contains(".build/") }
        let pages = try (Self.documents.get().map(\.path) + more.map { "Examples/\($0)" })
        var checked: [String: Set<String>] = [:]
        for page in pages where page != "CHANGELOG.md" {
            let text = try String(contentsOf: PackageManifest.root.appending(path: page), encoding: .utf8)
            // The address behind a proxy is no request.
            let requests = text.split(separator: "\n").filter { !$0.contains("proxy_pass") }.joined(separator: "\n")
            var (isCode, free, reached): (Bool, Set<String>, Set<String>) = (false, [], [])
            for line in text.split(separator: "\n") {
                if line.drop(while: \.isWhitespace).hasPrefix("```") {
                    isCode.toggle()
                    continue
                }
                guard isCode else { continue }
                if let loop = line.firstMatch(of: #/^\s*for port in ([0-9 ]+); do/#) {
                    free.formUnion(loop.1.split(separator: " ").map(String.init))
                }
                let start = line.firstMatch(of: #/(?:^|-- )\s*external-purchase (emulator|serve) /#)
                guard let start, !line.contains("--print-configuration") else { continue }
                let stated = line.firstMatch(of: #/ --port ([0-9]+)/#).map { String($0.1) }
                let port = stated ?? (start.1 == "emulator" ? "8801" : "8800")
                guard requests.contains("127.0.0.1:\(port)") else { continue }
                #expect(free.contains(port), "\(page): nothing checks that port \(port) is free before: \(line)")
                reached.insert(port)
            }
            if !reached.isEmpty { checked[page] = reached }
        }
        let both: Set = ["8800", "8801"]
        #expect(checked["docs/report-from-back-end.md"] == both && checked["docs/stripe.md"] == both)
        #expect(checked["docs/production.md"] == ["8801"] && checked["Examples/README.md"] == ["8801"])
        #expect(checked.count >= 7, "\(checked)")
    }

    @Test("No document states how many rules, codes or cases there are, which the next one would make wrong")
    func counts() throws {
        func counts(_ text: String) -> [String] {
            let number = #/(?:^|[\s(])[0-9]{2,} (?:lint |error |report )?(?:rules|codes|cases|error objects)\b/#
            return text.matches(of: number).map { String($0.output) }
        }
        #expect(counts("The chapter has the 40 rules (62 lint rules), by ISO 3166-1 codes.").count == 2)
        let paths = try Self.documents.get().map(\.path) + ["Conformance/README.md"]
        // A changelog and a decision say what was true on their day.
        for path in paths where path != "CHANGELOG.md" && !path.hasPrefix("docs/decisions/") {
            let text = try String(contentsOf: PackageManifest.root.appending(path: path), encoding: .utf8)
            #expect(counts(text) == [], "\(path)")
        }
    }

    @Test("Each package that the manifest declares has a row that says what it is for, and no other one has")
    func dependencies() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: PackageManifest.root.appending(path: path), encoding: .utf8)
        }
        let url = #/\.package\(url: "https:\/\/github\.com\/[^\/"]+\/([^"]+?)(?:\.swift)?\.git"/#
        let declared = try text("Package.swift").matches(of: url).map { String($0.1) }
        let rows = try text("docs/decisions/0091-dependencies.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| package |") }
            .flatMap { $0.split(separator: "|")[0].split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(!declared.isEmpty && declared.sorted() == rows.sorted())
    }

    @Test("docs/checklists.md has each way of selling of the newest rule pack and all terms in force")
    func checklists() throws {
        func objects(_ file: String, _ member: String) throws -> [[String: Any]] {
            let data = try Data(contentsOf: PackageManifest.root.appending(path: file))
            return (try JSONSerialization.jsonObject(with: data) as? [String: Any])?[member] as? [[String: Any]] ?? []
        }
        let page = try String(contentsOf: PackageManifest.root.appending(path: "docs/checklists.md"), encoding: .utf8)
        let sections = page.replacing("\n  ", with: " ").replacing("\n### ", with: "\n## ").split(separator: "\n## ")
        let ways = try objects("Data/regions.json", "packs").last?["programmes"] as? [[String: Any]] ?? []
        for way in ways {
            let id = try #require(way["id"] as? String)
            let section = try #require(sections.first { $0.contains("`\(id)`, by ") }, "no checklist for \(id)")
            var needed = (way["tokenTypes"] as? [Any] ?? []).compactMap { $0 as? String }
            for route in way["routes"] as? [[String: Any]] ?? [] {
                let entitlement = try #require(route["entitlement"] as? String)
                needed.append("E.\(entitlement.split(separator: ".storekit.").last ?? "")")
                if let key = route["plistKey"] as? String { needed.append(key) }
            }
            let tokenMinimum = way["tokenMinimumOS"] as? [String: String]
            let minimum = way["minimumOS"] as? [String: String]
            needed += [minimum, tokenMinimum].compactMap { $0?["iOS"].map { "iOS \($0)" } }
            for text in needed { #expect(section.contains(text), "\(id): \(text)") }
            for row in ["In-App Purchase", "Minors"] { #expect(section.contains("**\(row).**"), "\(id)") }
        }
        let terms = try objects("Data/programmes.json", "programmes").filter { $0["effectiveTo"] is NSNull }
        for one in terms {
            let id = try #require(one["id"] as? String)
            let section = try #require(sections.first { $0.contains("Terms `\(id)`:") }, "no checklist for \(id)")
            guard let days = one["deadlineDays"] as? Int else { continue }
            #expect(section.contains("within \(days) days of the end of the"), "\(id)")
            for rate in one["rates"] as? [[String: Any]] ?? [] {
                let percent = try #require(rate["percent"] as? String)
                #expect(section.contains(percent), "\(id): \(percent) %")
            }
        }
        #expect(ways.count >= 9 && terms.count >= 9)
    }

    /// The names that a pattern captures in a source file, from a declaration to the next line that begins with `}`.
    private func names(in path: String, after declaration: String, _ pattern: Regex<(Substring, Substring)>) throws
        -> [String]
    {
        let text = try String(contentsOf: PackageManifest.root.appending(path: path), encoding: .utf8)
        let start = try #require(text.range(of: declaration), "\(path): \(declaration)").lowerBound
        let rest = text[start...]
        let end = rest.range(of: "\n}")?.lowerBound ?? rest.endIndex
        return rest[..<end].matches(of: pattern).map { String($0.1) }
    }

    @Test(
        "The anchor of a heading is the one that GitHub makes",
        arguments: [
            ("# What waits for a person", "what-waits-for-a-person"), ("## `PUT /x` and more", "put-x-and-more"),
            ("### 3.1 European Union", "31-european-union"), ("## serve.yaml", "serveyaml"),
            ("## The ledger's files", "the-ledgers-files"),
        ]
    )
    func anchor(_ sample: (heading: String, anchor: String)) {
        #expect(Document(path: "page.md", text: sample.heading).anchors == [sample.anchor])
    }

    @Test("Links in code are no links, and relative paths are resolved")
    func reading() {
        let text =
            "[a](../x.md#y) [b](#z) [c](https://example.com)\n```\n[d](d.md)\n```\n`[e](e.md)` [f](sub/../f.md)\n"
        let links = Document(path: "docs/lint/page.md", text: text).links
        #expect(links.map(\.path) == ["docs/x.md", "docs/lint/page.md", "docs/lint/f.md"])
        #expect(links.map(\.anchor) == ["y", "z", nil])
    }
}

/// A Markdown document: its links within the repository, and what links to it can name.
private struct Document: Sendable {
    struct Link: Sendable {
        let path: String
        let anchor: String?
    }

    let path: String
    let links: [Link]
    let anchors: Set<String>

    /// The documents in the root folder and everywhere below docs.
    static func all(below root: URL) throws -> [Document] {
        let manager = FileManager.default
        var paths = try manager.contentsOfDirectory(atPath: root.path)
        let docs = try manager.subpathsOfDirectory(atPath: root.appending(path: "docs").path)
        paths += docs.map { "docs/\($0)" }
        return try paths.filter { $0.hasSuffix(".md") }.sorted().map { path in
            Document(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }

    init(path: String, text: String) {
        var links: [Link] = []
        var anchors: Set<String> = []
        var isCode = false
        for line in text.split(separator: "\n") {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
                continue
            }
            if isCode { continue }
            if !line.utf8.contains(UInt8(ascii: "<")), !line.utf8.contains(UInt8(ascii: "]")), !line.hasPrefix("#") {
                continue
            }
            for match in line.matches(of: #/<a id="([^"]+)">/#) { anchors.insert(String(match.1)) }
            if line.hasPrefix("#") { anchors.insert(Self.slug(of: line.drop { $0 == "#" })) }
            for match in line.replacing(#/`[^`]*`/#, with: "`").matches(of: #/\]\(([^)\s]+)\)/#)
            where !match.1.contains(":") {
                let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? path : Self.resolved(String(parts[0]), from: path)
                links.append(Link(path: target, anchor: parts.count > 1 ? String(parts[1]) : nil))
            }
        }
        self.path = path
        self.links = links
        self.anchors = anchors
    }

    /// The anchor that GitHub gives a heading: lower case, blanks as hyphens, without other marks than `-` and `_`.
    private static func slug(of heading: Substring) -> String {
        let text = heading.drop { $0 == " " }.replacing(#/\]\([^)]*\)/#, with: "").lowercased()
        let kept = text.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
        return kept.replacing(" ", with: "-")
    }

    private static func resolved(_ link: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}
