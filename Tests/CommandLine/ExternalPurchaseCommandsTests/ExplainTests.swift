import Foundation
import TestSupport
import Testing

/// What an API of GemShop answers; "yes" or the failed condition, as the truth table of SK-28 writes it.
struct ExpectedAnswers: Sendable, CustomTestStringConvertible {
    let storefront: String
    let os: String
    let canPresent, canOpen, eligibleURLs, isEligible, token: String
    let advice: String

    var answers: [String] { [canPresent, canOpen, eligibleURLs, isEligible, token] }
    var testDescription: String { "\(storefront) on \(os)" }
}

enum GemShop {
    static let folder = PackageFolder.file("Examples/GemShop").path

    static let apis = [
        "ExternalPurchase.canPresent", "ExternalPurchaseLink.canOpen", "ExternalPurchaseLink.eligibleURLs",
        "ExternalPurchaseCustomLink.isEligible", "ExternalPurchaseCustomLink.token(for:)",
    ]

    /// GemShop has `external-purchase-link` with both link keys for nine countries of the EEA: the rows of L and M
    /// (T13 to T22), read by hand for its countries and systems (SK-20, SK-21, SK-46).
    static let expected: [ExpectedAnswers] = [
        ExpectedAnswers(
            storefront: "NLD",
            os: "iOS 26.4",
            canPresent: "C3",
            canOpen: "yes",
            eligibleURLs: "yes",
            isEligible: "C6",
            token: "C6",
            advice: "useMultiLink"
        ),
        ExpectedAnswers(
            storefront: "JPN",
            os: "iOS 26.4",
            canPresent: "C3",
            canOpen: "C5",
            eligibleURLs: "C5",
            isEligible: "C5",
            token: "C5",
            advice: "useInAppPurchase"
        ),
        ExpectedAnswers(
            storefront: "USA",
            os: "iOS 26.4",
            canPresent: "C3",
            canOpen: "C5",
            eligibleURLs: "C5",
            isEligible: "C5",
            token: "C5",
            advice: "useInAppPurchase"
        ),
        ExpectedAnswers(
            storefront: "KOR",
            os: "iOS 26.4",
            canPresent: "C3",
            canOpen: "C5",
            eligibleURLs: "C5",
            isEligible: "C5",
            token: "C5",
            advice: "useInAppPurchase"
        ),
        ExpectedAnswers(
            storefront: "RUS",
            os: "iOS 26.5",
            canPresent: "C3",
            canOpen: "C6",
            eligibleURLs: "C6",
            isEligible: "C5",
            token: "C5",
            advice: "useInAppPurchase"
        ),
        ExpectedAnswers(
            storefront: "ISL",
            os: "iOS 26.5",
            canPresent: "C3",
            canOpen: "yes",
            eligibleURLs: "yes",
            isEligible: "C5",
            token: "C5",
            advice: "useMultiLink"
        ),
        ExpectedAnswers(
            storefront: "NLD",
            os: "iOS 17.4",
            canPresent: "C3",
            canOpen: "yes",
            eligibleURLs: "C1",
            isEligible: "C1",
            token: "C1",
            advice: "useLink"
        ),
        ExpectedAnswers(
            storefront: "FRA",
            os: "iOS 15.4",
            canPresent: "C1",
            canOpen: "yes",
            eligibleURLs: "C1",
            isEligible: "C1",
            token: "C1",
            advice: "useLink"
        ),
    ]

    /// The error of SK-20.
    static let errors = [
        "C1": "unsupported", "C2": "unsupported", "C3": "notEntitled", "C4": "notAvailableInStorefront",
        "C5": "notAvailableInStorefront", "C6": "notAvailableInStorefront", "C7": "unsupported", "C8": "systemError",
        "C9": "systemError",
    ]

    static func explain(_ storefront: String, _ os: String, _ more: [String] = []) async throws -> NSDictionary {
        let result = try await BuiltBinary.run(
            ["explain", folder, "--storefront", storefront, "--os", os, "--format", "json"] + more
        )
        try #require(result.exitCode == 0, "\(result.error)")
        return try #require(result.json)
    }
}

@Suite("explain says what each API answers, and why")
struct ExplainTests {
    @Test("GemShop's answers are those of the truth table (SK-20, SK-21, SK-28)", arguments: GemShop.expected)
    func truthTable(_ expected: ExpectedAnswers) async throws {
        let json = try await GemShop.explain(expected.storefront, expected.os)
        let apis = try #require(json["apis"] as? [NSDictionary])
        #expect(apis.map { $0["name"] as? String } == GemShop.apis)
        for (api, answer) in zip(apis, expected.answers) {
            let name = "\(api["name"] ?? "")"
            #expect(api["failed"] as? String == (answer == "yes" ? nil : answer), "\(name)")
            #expect(api["error"] as? String == GemShop.errors[answer], "\(name)")
            switch name {
            case GemShop.apis[2]:
                let region = ["NLD": "nl", "ISL": "is"][expected.storefront] ?? ""
                let links = answer == "yes" ? ["https://shop.gemshop.example/out/\(region)"] : nil
                #expect(api["answer"] as? [String] == links)
            case GemShop.apis[4]:
                #expect(api["answer"] is NSNull)
            default:
                #expect(api["answer"] as? Bool == (answer == "yes"), "\(name)")
            }
            // SK-42: before 17.4 a flow yields no token.
            let hasToken = answer == "yes" && expected.os != "iOS 15.4"
            #expect(api["tokenTypes"] as? [String] == (hasToken ? ["plain"] : []), "\(name)")
        }
        #expect(json["advice"] as? String == expected.advice)
    }

    @Test("The JSON has the members of the contract, with null where there is nothing")
    func shape() async throws {
        let json = try await GemShop.explain("NLD", "ios  26.4")
        #expect(
            Set(json.allKeys.compactMap { $0 as? String }) == [
                "storefront", "os", "mode", "rulePack", "apis", "inAppPurchase", "minors", "advice",
            ]
        )
        #expect(json["storefront"] as? String == "NLD")
        #expect(json["os"] as? String == "iOS 26.4")
        #expect(json["mode"] as? String == "native")
        #expect(json["rulePack"] as? String == "2026-10")
        let members: Set = [
            "name", "answer", "failed", "error", "programme", "tokenTypes", "conditions", "next", "caveat",
        ]
        for api in try #require(json["apis"] as? [NSDictionary]) {
            #expect(Set(api.allKeys.compactMap { $0 as? String }) == members)
            let conditions = try #require(api["conditions"] as? [NSDictionary])
            let own = conditions.filter { $0["route"] == nil }
            #expect(own.map { $0["id"] as? String } == (1...12).map { "C\($0)" })
            for condition in conditions {
                let keys = Set(condition.allKeys.compactMap { $0 as? String })
                #expect(keys.subtracting(["route"]) == ["id", "holds", "detail", "file", "line", "fix"])
            }
            // The first that fails decides.
            let first = own.first { $0["holds"] as? Bool == false }
            #expect(first?["id"] as? String == api["failed"] as? String)
        }
    }

    @Test("Members stand in the order of the contract")
    func memberOrder() async throws {
        let result = try await BuiltBinary.run(
            [
                "explain", GemShop.folder, "--storefront", "NLD", "--os", "iOS 26.4", "--format", "json", "--api",
                "canOpen",
            ]
        )
        #expect(
            result.output.hasPrefix(
                #"{"storefront":"NLD","os":"iOS 26.4","mode":"native","rulePack":"2026-10","apis":"#
                    + #"[{"name":"ExternalPurchaseLink.canOpen","answer":true,"failed":null,"error":null,"programme":"#
                    + #""eea-link","tokenTypes":["plain"],"conditions":[{"id":"C1","holds":true,"detail":""#
            ),
            "\(result.output)"
        )
        #expect(result.output.hasSuffix(#""advice":"useMultiLink"}"# + "\n"))
    }

    // By hand, from Data/regions.json: what stands before the source, without an age and at 12.
    @Test(
        "Of each storefront with a programme explain says what is known of minors, or that nothing was found (SK-89)",
        arguments: [
            ("KOR", "nothing found", "nothing found, for a customer of 12"),
            ("RUS", "nothing found", "nothing found, for a customer of 12"),
            ("USA", "nothing found", "nothing found, for a customer of 12"),
            (
                "DEU",
                "below 16, the country's age of consent, and in the Kids category: in the app behind a parental gate, outside "
                    + "not offered; below 18: in the app behind a parental gate, outside behind a parental gate",
                "a customer of 12: in the app behind a parental gate, outside not offered"
            ),
            (
                "JPN",
                "below 13 and in the Kids category: in the app behind a parental gate, outside not offered; below 18: in the "
                    + "app behind a parental gate, outside behind a parental gate",
                "a customer of 12: in the app behind a parental gate, outside not offered"
            ),
        ]
    )
    func minors(_ storefront: String, _ rule: String, _ child: String) async throws {
        for (words, options) in [(rule, []), (child, ["--age", "12"])] {
            let arguments = ["explain", GemShop.folder, "--storefront", storefront, "--os", "iOS 26.5"] + options
            let line = try #require(
                try await BuiltBinary.run(arguments).output.split(separator: "\n").first { $0.hasPrefix("Minors: ") }
            )
            #expect(line.hasPrefix("Minors: \(words) ("))
            #expect(line.contains("2026-11-26") && line.contains("https://developer.apple.com/"), "\(line)")
            let json = try await GemShop.explain(storefront, "iOS 26.5", options)
            let minors = try #require(json["minors"] as? [String: Any])
            #expect("Minors: \(minors["words"] as? String ?? "")" == line)
            #expect(minors["asOf"] as? String == "2026-11-26" && minors["source"] is String)
            #expect((minors["rules"] as? [Any])?.isEmpty == rule.hasPrefix("nothing"))
            if rule.hasPrefix("nothing"), !options.isEmpty {
                #expect(json["customer"] as? [String: NSNull] == ["withinApp": NSNull(), "outOfApp": NSNull()])
            }
        }
    }

    @Test("The terms of the storefront, and what holds for a customer of an age (SK-88, SK-89)")
    func terms() async throws {
        let child = try await GemShop.explain("NLD", "iOS 26.4", ["--age", "12"])
        #expect(child["inAppPurchase"] as? String == "allowed")
        #expect(child["customer"] as? [String: String] == ["withinApp": "parentalGate", "outOfApp": "notOffered"])
        let adult = try await GemShop.explain("JPN", "iOS 26.4", ["--age", "18"])
        #expect(adult["inAppPurchase"] as? String == "required")
        #expect(adult["customer"] as? [String: String] == ["withinApp": "offered", "outOfApp": "offered"])
        #expect(try await GemShop.explain("USA", "iOS 26.4")["inAppPurchase"] as? NSNull == NSNull())
        let text = try await BuiltBinary.run(
            ["explain", GemShop.folder, "--storefront", "BRA", "--os", "iOS 26.5", "--age", "17"]
        )
        #expect(
            text.output.contains(
                "In-App Purchase: always beside the offer, at least as prominent (second-hand 2026-11-26"
            )
        )
        #expect(
            text.output.contains("Minors: a customer of 17: in the app behind a parental gate, outside not offered (")
        )
        let wrong = try await BuiltBinary.run(
            ["explain", GemShop.folder, "--storefront", "BRA", "--os", "iOS 26.5", "--age", "151"]
        )
        #expect(wrong.exitCode == 2 && wrong.error.contains("--age 151 is not an age; one is from 0 to 150 years"))
    }

    @Test(
        "The advice leaves out what is not offered at the stated age (SK-88, SK-89)",
        arguments: [
            // An app of links, a custom link and the notice sheet; in Brazil and Japan In-App Purchase stands beside.
            (
                keys: "SKExternalPurchaseLink", storefront: "NLD", age: "12", advice: "useInAppPurchase",
                says: "of this age no"
            ),
            ("SKExternalPurchaseLink", "NLD", "16", "useLink", "A parental gate comes before"),
            (
                "SKExternalPurchaseLink", "NLD", "18", "useLink",
                "open the configured URL with ExternalPurchaseLink.open()."
            ),
            (
                "SKExternalPurchaseCustomLinkRegions", "NLD", "12", "useCustomLink",
                "offer only what is bought inside the app"
            ),
            (
                "SKExternalPurchaseCustomLinkRegions", "NLD", "18", "useCustomLink",
                "then show the offer or open the destination."
            ),
            ("SKExternalPurchase", "NLD", "12", "useNoticeSheet", "A parental gate comes before"),
            ("SKExternalPurchaseLink", "KOR", "12", "useInAppPurchase", "as the app is configured"),
            ("", "BRA", "17", "useCustomLink", "offer only what is bought inside the app"),
        ]
    )
    func ages(keys: String, storefront: String, age: String, advice: String, says: String) async throws {
        let scratch = try ScratchFolder()
        let link = keys == "SKExternalPurchaseLink"
        let value =
            link ? "<dict><key>nl</key><string>https://a.example</string></dict>" : "<array><string>nl</string></array>"
        let plist = keys.isEmpty ? "" : "<key>\(keys)</key>\(value)"
        _ = try scratch.write("<plist><dict>\(plist)</dict></plist>", to: "Info.plist")
        let name = "com.apple.developer.storekit."
        let own = keys == "SKExternalPurchase" ? "external-purchase" : "external-purchase-link"
        let list = "<key>\(name)custom-purchase-link.allowed-regions</key><array><string>br</string></array>"
        let entitlements = keys.isEmpty ? list : "<key>\(name)\(own)</key><true/>"
        _ = try scratch.write("<plist><dict>\(entitlements)</dict></plist>", to: "App.entitlements")
        let options = ["--storefront", storefront, "--os", "iOS 26.5", "--age", age]
        let text = try await BuiltBinary.run(["explain", scratch.url.path] + options).output
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("What to do: ") })
        #expect(line.contains(says), "\(line)")
        let json = try await BuiltBinary.run(["explain", scratch.url.path, "--format", "json"] + options).json
        #expect(json?["advice"] as? String == advice)
    }

    @Test(
        "Nothing leads an app for South Korea to another region, or back, and the source is that of its terms (SK-87, OB-37)",
        arguments: [
            (lists: "kr", storefront: "NLD", own: true), ("kr", "PRK", true), ("kr", "USA", true), ("nl", "KOR", false),
            ("nl", "DEU", false),
        ]
    )
    func ownApp(lists: String, storefront: String, own: Bool) async throws {
        let scratch = try ScratchFolder()
        let key = "<key>SKExternalPurchase</key><array><string>\(lists)</string></array>"
        _ = try scratch.write("<plist><dict>\(key)</dict></plist>", to: "Info.plist")
        let entitlement = "<key>com.apple.developer.storekit.external-purchase</key><true/>"
        _ = try scratch.write("<plist><dict>\(entitlement)</dict></plist>", to: "App.entitlements")
        let text = try await BuiltBinary.run(
            ["explain", scratch.url.path, "--storefront", storefront, "--os", "iOS 26.5", "--api", "canPresent"]
        ).output
        // Only another region of the same programme may be added.
        #expect(text.contains("fix      Add de to SKExternalPurchase.") == (storefront == "DEU"), "\(text)")
        let isApart = ["NLD", "KOR"].contains(storefront)
        #expect(text.contains("fix      List `kr` alone in a target of its own") == isApart, "\(text)")
        let lines = text.split(separator: "\n")
        let beside = lines.first { $0.hasPrefix("In-App Purchase: none in this app (") }
        #expect((beside != nil) == own, "\(text)")
        #expect(beside?.contains("storekit-external-entitlement-kr") != false, "\(beside ?? "")")
        #expect(!text.contains("the terms of this storefront"))
        #expect(text.contains("the terms of a region that this app lists allow no In-App Purchase") == own)
    }

    @Test("Evidence names the line of the entry")
    func evidence() async throws {
        let text = try String(contentsOfFile: GemShop.folder + "/Info.plist", encoding: .utf8)
        let json = try await GemShop.explain("SWE", "iOS 26.4", ["--api", "ExternalPurchaseLink.canOpen"])
        let apis = try #require(json["apis"] as? [NSDictionary])
        #expect(apis.count == 1)
        let conditions = try #require(apis.first?["conditions"] as? [NSDictionary])
        let listed = try #require(conditions.first { $0["id"] as? String == "C6" && $0["route"] == nil })
        #expect((listed["file"] as? String)?.hasSuffix("GemShop/Info.plist") == true)
        let line = try #require(listed["line"] as? Int)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[line - 2...line - 1].joined().contains("se</key>"), "line \(line): \(lines[line - 1])")
    }

    @Test("Payments, person and rules change the answer (SK-20 C8 and C9, SK-80, CF-60)")
    func situation() async throws {
        func failed(_ more: [String]) async throws -> (failed: String?, advice: String?) {
            let json = try await GemShop.explain("NLD", "iOS 26.4", ["--api", "canopen"] + more)
            let api = (json["apis"] as? [NSDictionary])?.first
            return (api?["failed"] as? String, json["advice"] as? String)
        }
        #expect(try await failed(["--no-payments"]) == ("C8", "offerNothing"))
        #expect(try await failed(["--ineligible-person"]) == ("C9", "useInAppPurchase"))
        #expect(try await failed([]) == (nil, "useMultiLink"))
        let old = try await GemShop.explain("NLD", "iOS 26.4", ["--as-of", "2025-06-30", "--api", "isEligible"])
        #expect(old["rulePack"] as? String == "2024-04")
        // The family came with the pack of 2025-07.
        #expect((old["apis"] as? [NSDictionary])?.first?["failed"] as? String == "C1")
        let first = try await GemShop.explain("NLD", "iOS 26.4", ["--as-of", "2025-07-01"])
        #expect(first["rulePack"] as? String == "2025-07")
    }

    @Test("Catalyst and compatible modes take the system's own number (SK-12, SK-13, SK-40)")
    func modes() async throws {
        func failed(_ os: String, _ mode: String, _ api: String, _ more: [String] = []) async throws -> String? {
            let json = try await GemShop.explain("NLD", os, ["--mode", mode, "--api", api] + more)
            #expect(json["os"] as? String == os)
            #expect(json["mode"] as? String == mode)
            return (json["apis"] as? [NSDictionary])?.first?["failed"] as? String
        }
        // macOS 14.4 is iOS 17.4: canOpen is there, eligibleURLs comes with 14.5.
        #expect(try await failed("macOS 14.4", "catalyst", "canOpen") == nil)
        #expect(try await failed("macOS 14.4", "catalyst", "eligibleURLs") == "C1")
        #expect(try await failed("macOS 14.5", "compatible-macos", "eligibleURLs") == nil)
        #expect(try await failed("macOS 14.3", "compatible-macos", "canOpen") == "C2")
        // visionOS 1.1 is iOS 17.4; an app built with an older SDK gets nothing there.
        #expect(try await failed("visionOS 1.1", "compatible-visionos", "canOpen") == nil)
        #expect(try await failed("visionOS 1.1", "compatible-visionos", "canOpen", ["--sdk", "17.2"]) == "C2")
    }

    @Test("Several links count for music streaming only, and the explanation says why others do not (CF-40, CF-43)")
    func musicStreaming() async throws {
        let scratch = try ScratchFolder()
        let plist = try scratch.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>com.example.tunes</string>
            <key>SKExternalPurchaseMultiLink</key>
            <dict><key>nl</key><array>
            <string>https://tunes.example.org/a</string><string>https://tunes.example.org/b</string>
            </array></dict>
            </dict></plist>
            """,
            to: "Info.plist"
        )
        let explain = [
            "explain", plist, GemShop.folder + "/GemShop.entitlements", "--storefront", "NLD", "--os", "iOS 26.4",
            "--api", "eligibleURLs",
        ]
        func api(_ more: [String]) async throws -> NSDictionary? {
            let result = try await BuiltBinary.run(explain + ["--format", "json"] + more)
            return (result.json?["apis"] as? [NSDictionary])?.first
        }
        let both = ["https://tunes.example.org/a", "https://tunes.example.org/b"]
        #expect(try await api(["--music-streaming"])?["answer"] as? [String] == both)
        let denied = try await api(["--no-music-streaming"])
        #expect(denied?["answer"] as? NSNull != nil)
        #expect(denied?["failed"] as? String == "C6")

        let unproved = try await api([])
        #expect(unproved?["answer"] as? [String] == [both[0]])
        let conditions = unproved?["conditions"] as? [NSDictionary] ?? []
        let configured = conditions.first { $0["id"] as? String == "C6" && $0["route"] == nil }
        #expect(configured?["holds"] as? Bool == true)
        #expect((configured?["detail"] as? String)?.contains("1 more link does not count") == true)
        #expect((configured?["detail"] as? String)?.contains("multi-link-needs-streaming") == true)

        let text = try await BuiltBinary.run(explain).output
        #expect(text.contains("link     \(both[0])"))
        #expect(text.contains("not used \(both[1])"))
        #expect(text.contains("music streaming apps only"))
    }

    @Test("The text names the deciding condition, its place, the fix and the next step")
    func text() async throws {
        let result = try await BuiltBinary.run(
            ["explain", GemShop.folder, "--storefront", "JPN", "--os", "iOS 26.4"]
        )
        #expect(result.exitCode == 0)
        #expect(result.error.isEmpty)
        #expect(!result.output.contains("\u{1B}"))
        for part in [
            "GemShop · storefront JPN (Japan) · iOS 26.4", "✗ no   ExternalPurchaseLink.canOpen",
            "C5: rule pack 2026-10 has no JPN for SKExternalPurchaseLink", "GemShop.entitlements:5",
            "StoreKitError.notAvailableInStorefront", "What to do: Offer In-App Purchase",
            "Japan: ExternalPurchaseCustomLink, with the entitlement custom-purchase-link.allowed-regions",
        ] { #expect(result.output.contains(part), "\(part) is not in \(result.output)") }
    }
}

@Suite("explain refuses bad input with one clear line")
struct ExplainInputTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let change: [String: String]
        let says: [String]
        var more: [String] = []
        var testDescription: String { "\(change.values.sorted()) \(more)" }
    }

    @Test(
        "Wrong arguments say what would be right and end with 2",
        arguments: [
            Refusal(change: ["--storefront": "nl"], says: ["'nl'", "did you mean NLD?"]),
            Refusal(change: ["--storefront": "jpn"], says: ["did you mean JPN?"]),
            Refusal(change: ["--storefront": "Atlantis"], says: ["'Atlantis'", "one looks like NLD"]),
            Refusal(change: ["--os": "26.4"], says: ["'26.4'", "\"iOS 26.4\""]),
            Refusal(change: ["--os": "iOS"], says: ["'iOS'", "\"iOS 26.4\""]),
            Refusal(change: ["--os": "Android 16"], says: ["'Android'", "visionOS"]),
            Refusal(change: ["--os": "iOS twelve"], says: ["'iOS twelve'"]),
            Refusal(change: ["--os": "Mac Catalyst 18.1"], says: ["--mode catalyst", "macOS 15.1"]),
            Refusal(change: [:], says: ["catalyst", "macOS", "not iOS"], more: ["--mode", "catalyst"]),
            Refusal(change: ["--os": "macOS 19.0"], says: ["macOS 19.0"], more: ["--mode", "catalyst"]),
            Refusal(change: [:], says: ["'ipad'", "compatible-macos"], more: ["--mode", "ipad"]),
            Refusal(change: [:], says: ["--sdk 'new'", "17.4"], more: ["--sdk", "new"]),
            Refusal(change: [:], says: ["2023-12-31", "2024-04-01"], more: ["--as-of", "2023-12-31"]),
            Refusal(change: [:], says: ["'2026-02-30'", "2026-10-01"], more: ["--as-of", "2026-02-30"]),
            Refusal(change: [:], says: ["'tomorrow'", "2026-10-01"], more: ["--as-of", "tomorrow"]),
            Refusal(change: [:], says: ["'canBuy'", "ExternalPurchaseLink.canOpen"], more: ["--api", "canBuy"]),
        ]
    )
    func wrongArgument(_ refusal: Refusal) async throws {
        let arguments = ["--storefront": "NLD", "--os": "iOS 26.4"].merging(refusal.change) { $1 }
        let result = try await BuiltBinary.run(
            ["explain", GemShop.folder] + arguments.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
                + refusal.more
        )
        #expect(result.exitCode == 2, "\(result.output)")
        #expect(result.output.isEmpty)
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        for part in refusal.says { #expect(result.error.contains(part), "\(result.error)") }
    }

    private func refused(_ paths: [String], says parts: [String]) async throws {
        let result = try await BuiltBinary.run(["explain"] + paths + ["--storefront", "NLD", "--os", "iOS 26.4"])
        #expect(result.exitCode == 2, "\(result.output)")
        #expect(result.output.isEmpty)
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        for part in parts { #expect(result.error.contains(part), "\(result.error)") }
    }

    @Test("Files that are missing, foreign or broken are named")
    func files() async throws {
        let scratch = try ScratchFolder()
        try await refused(["/no/such/Info.plist"], says: ["/no/such/Info.plist", "no such file"])
        try await refused([scratch.url.path], says: [scratch.url.path, "neither an Info.plist nor"])
        let foreign = try scratch.write("hello", to: "notes.txt")
        try await refused([foreign], says: ["notes.txt", "neither an Info.plist nor"])
        let broken = try scratch.write("<plist><dict><key>a</key>\n<oops></dict></plist>", to: "Info.plist")
        try await refused([broken], says: ["Info.plist", "line 2"])
        let list = try scratch.write("<plist version=\"1.0\"><array/></plist>", to: "List.plist")
        try await refused([list], says: ["List.plist", "an array, not a dictionary"])
    }

    @Test("A folder is searched below only when it holds nothing itself; several candidates are refused by name")
    func folders() async throws {
        let scratch = try ScratchFolder()
        let plist = "<plist version=\"1.0\"><dict/></plist>"
        for name in ["App", "Tests"] {
            try FileManager.default.createDirectory(
                at: scratch.url.appending(path: name),
                withIntermediateDirectories: true
            )
            _ = try scratch.write(plist, to: name + "/Info.plist")
        }
        try await refused(
            [scratch.url.path],
            says: ["more than one app", "App/Info.plist", "Tests/Info.plist"]
        )
        _ = try scratch.write(plist, to: "Info.plist")
        let found = try await BuiltBinary.run(
            ["explain", scratch.url.path, "--storefront", "NLD", "--os", "iOS 26.4"]
        )
        #expect(found.exitCode == 0, "\(found.error)")
        _ = try scratch.write(plist, to: "A.entitlements")
        _ = try scratch.write(plist, to: "B.entitlements")
        try await refused([scratch.url.path], says: ["more than one app", "A.entitlements", "B.entitlements"])
    }

    /// A project with an app and an extension, of which the first is the app.
    static func project(app: String, widget: String?) -> String {
        func target(_ name: String, _ type: String, _ settings: String) -> String {
            """
            \(name) = { isa = PBXNativeTarget; name = \(name); productType = "com.apple.product-type.\(type)";
              buildConfigurationList = L\(name); };
            L\(name) = { isa = XCConfigurationList; buildConfigurations = (C\(name)); };
            C\(name) = { isa = XCBuildConfiguration; name = Release; buildSettings = { \(settings) }; };
            """
        }
        let extra = widget.map { target("Widget", "app-extension", "GENERATE_INFOPLIST_FILE = YES; \($0)") } ?? ""
        return """
            // !$*UTF8*$!
            { objects = { P = { isa = PBXProject; targets = (\(widget == nil ? "App" : "Widget, App")); };
            \(target("App", "application", app)) \(extra) }; rootObject = P; }
            """
    }

    /// A project, the place of the entitlements, and what both commands say.
    static let projects: [(app: String, widget: String?, entitlements: String, finds: Bool)] = [
        (
            "INFOPLIST_FILE = Info.plist; CODE_SIGN_ENTITLEMENTS = Config/App.entitlements;", nil,
            "Config/App.entitlements", true
        ),
        // The entitlements of another target, and of none.
        ("INFOPLIST_FILE = Info.plist;", "CODE_SIGN_ENTITLEMENTS = W.entitlements;", "W.entitlements", false),
        ("INFOPLIST_FILE = Info.plist;", nil, "Old.entitlements", false),
    ]

    @Test(
        "explain and matrix pair the files of a folder by the targets of its Xcode project, as lint does",
        arguments: projects
    )
    func targets(_ project: (app: String, widget: String?, entitlements: String, finds: Bool)) async throws {
        let scratch = try ScratchFolder()
        for folder in ["App.xcodeproj", "Config"] {
            let url = scratch.url.appending(path: folder)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        _ = try scratch.write(
            Self.project(app: project.app, widget: project.widget),
            to: "App.xcodeproj/project.pbxproj"
        )
        let key = "<key>SKExternalPurchase</key><array><string>nl</string></array>"
        _ = try scratch.write("<plist><dict>\(key)</dict></plist>", to: "Info.plist")
        let entitlement = "<key>com.apple.developer.storekit.external-purchase</key><true/>"
        _ = try scratch.write("<plist><dict>\(entitlement)</dict></plist>", to: project.entitlements)
        for path in [scratch.url.path, scratch.url.path + "/App.xcodeproj"] {
            let options = ["--storefront", "NLD", "--os", "iOS 26.5", "--api", "canPresent", "--format", "json"]
            let result = try await BuiltBinary.run(["explain", path] + options)
            let api = try #require((result.json?["apis"] as? [NSDictionary])?.first, "\(result.error)")
            #expect(api["failed"] as? String == (project.finds ? nil : "C3"))
            let matrix = try await BuiltBinary.run(["matrix", path, "--format", "json"])
            #expect(matrix.exitCode == 0, "\(matrix.error)")
            let lint = try await BuiltBinary.run(["lint", path, "--format", "json"])
            #expect(lint.output.contains("entitlement-missing") != project.finds, "\(lint.output)")
        }
    }
}
