import Foundation
import Testing

@testable import LintCommands

@Suite("init writes what passes lint")
struct InitTests {
    struct Request: Sendable, CustomTestStringConvertible {
        let api: String
        let countries: [String]
        var links: [String] = []
        var testDescription: String { "\(api) \(countries.joined(separator: " "))" }

        var arguments: [String] {
            ["--api", api] + countries.flatMap { ["--country", $0] } + links.flatMap { ["--link", $0] }
        }
    }

    private static let link = "https://shop.acme.com/out"
    static let requests: [Request] = [
        Request(api: "in-app", countries: ["nl"]),
        Request(api: "in-app", countries: ["FRA", "NLD", "gr"]),
        Request(api: "ExternalPurchase", countries: ["kr"]),
        Request(api: "link", countries: ["nl"], links: [link]),
        Request(api: "link", countries: ["IS", "no", "RUS", "DE"], links: [link]),
        Request(api: "ExternalPurchaseLink", countries: ["fr", "es"], links: ["fr=\(link)/fr", "ESP=\(link)/es"]),
        Request(api: "link", countries: ["nl"], links: ["https://shop.acme.com/a&b"]),
        Request(api: "multi-link", countries: ["ru"], links: [link]),
        Request(api: "multi-link", countries: ["se", "fi"], links: [link]),
        Request(api: "custom-link", countries: ["nl", "de"]),
        Request(api: "ExternalPurchaseCustomLink", countries: ["nl", "JPN", "br"]),
        Request(api: "custom-link", countries: ["jp"]),
        Request(api: "streaming", countries: ["is", "no", "nl"]),
        Request(api: "allowed-regions", countries: ["jp", "br"]),
        Request(api: "allowed-regions", countries: ["JPN", "DEU"]),
    ]

    @Test("Whole files have neither errors nor warnings under lint --strict", arguments: requests)
    func passes(_ request: Request) async throws {
        let folder = try ScratchFolder()
        let arguments = ["init", "--output", "out", "--bundle-id", "com.acme.app"] + request.arguments
        let written = try await LintBinary.run(arguments, in: folder.url)
        #expect(written.exitCode == 0, "\(written.error)")
        #expect(written.error.contains("wrote out/App.entitlements"))
        let result = try await folder.lint(["--strict", "out"])
        #expect(result.exitCode == 0, "\(result.output)")
    }

    @Test("Printed members pass within the files of an app", arguments: requests)
    func printed(_ request: Request) async throws {
        let folder = try ScratchFolder()
        let printed = try await LintBinary.run(["init"] + request.arguments, in: folder.url)
        #expect(printed.exitCode == 0, "\(printed.error)")
        let parts = printed.output.components(separatedBy: "<!-- App.entitlements -->")
        try #require(parts.count == 2)
        try folder.write(
            Sample.plist("<key>CFBundleIdentifier</key><string>com.acme.app</string>\n" + parts[0]),
            to: "Info.plist"
        )
        try folder.write(Sample.plist(parts[1]), to: "App.entitlements")
        let result = try await folder.lint(["--strict"] + Sample.files)
        #expect(result.exitCode == 0, "\(result.output)")
    }

    @Test("Countries are sorted, in lower case, and each stands once")
    func order() async throws {
        let folder = try ScratchFolder()
        let result = try await LintBinary.run(
            ["init", "--api", "in-app", "--country", "PRT", "--country", "de", "--country", "DEU", "--country", "nl"],
            in: folder.url
        )
        let codes = result.output.split(separator: "\n").filter { $0.contains("<string>") }
        #expect(codes == ["\t<string>de</string>", "\t<string>nl</string>", "\t<string>pt</string>"])
    }

    @Test("What exists is not overwritten, and then nothing is written")
    func existing() async throws {
        let folder = try ScratchFolder()
        try folder.write("mine", to: "out/App.entitlements")
        let result = try await LintBinary.run(
            ["init", "--api", "in-app", "--country", "nl", "--output", "out"],
            in: folder.url
        )
        #expect(result.exitCode == 2)
        #expect(result.error.contains("out/App.entitlements: exists and is not overwritten"))
        #expect(try folder.text("out/App.entitlements") == "mine")
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "out/Info.plist").path))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let says: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(
        "Without a terminal what is missing is named; what the linter refuses is refused in its words",
        arguments: [
            Refusal(arguments: [], says: "--api is missing"),
            Refusal(arguments: ["--api", "lnk"], says: "did you mean 'link'?"),
            Refusal(arguments: ["--api", "in-app"], says: "--country is missing"),
            Refusal(arguments: ["--api", "link", "--country", "nl"], says: "--link is missing"),
            Refusal(
                arguments: ["--api", "link", "--country", "nl", "--country", "de", "--link", "nl=https://a.acme.com"],
                says: "--link is missing for de"
            ),
            Refusal(
                arguments: ["--api", "link", "--country", "nl", "--link", "de=https://a.acme.com"],
                says: "de is not among the countries"
            ),
            Refusal(
                arguments: ["--api", "in-app", "--country", "nl", "--link", "https://a.acme.com"],
                says: "declares no links"
            ),
            Refusal(arguments: ["--api", "in-app", "--country", "el"], says: "is not an ISO 3166-1 alpha-2 code"),
            Refusal(arguments: ["--api", "in-app", "--country", "ch"], says: "[country-not-supported]"),
            Refusal(arguments: ["--api", "in-app", "--country", "jp"], says: "[country-needs-entitlement]"),
            Refusal(
                arguments: ["--api", "in-app", "--country", "kr", "--country", "nl"],
                says: "kr stands beside nl; an app for Korea is a binary of its own"
            ),
            Refusal(
                arguments: ["--country", "kr", "--country", "nl"],
                says:
                    "kr stands beside nl; an app for Korea is a binary of its own. List `kr` alone in a target of its own"
            ),
            Refusal(
                arguments: ["--country", "JPN", "--country", "KOR"],
                says: "kr stands beside jp; an app for Korea is a binary of its own"
            ),
            Refusal(
                arguments: ["--api", "link", "--country", "kr", "--country", "nl", "--link", "https://a.acme.com"],
                says: "kr stands beside nl; an app for Korea is a binary of its own"
            ),
            Refusal(arguments: ["--country", "kr"], says: "--api is missing"),
            Refusal(
                arguments: ["--api", "ExternalPurchase", "--country", "DEU", "--country", "KOR"],
                says: "List `kr` alone in a target of its own"
            ),
            Refusal(
                arguments: ["--api", "link", "--country", "nl", "--link", "http://a.acme.com"],
                says: "only https is allowed"
            ),
            Refusal(
                arguments: [
                    "--api", "multi-link", "--country", "ru", "--link", "https://a.ru", "--link", "https://b.ru",
                ],
                says: "[multi-link-over-one]"
            ),
        ]
    )
    func refused(_ refusal: Refusal) async throws {
        let folder = try ScratchFolder()
        let result = try await LintBinary.run(["init"] + refusal.arguments, in: folder.url)
        #expect(result.exitCode == 2)
        #expect(result.error.contains(refusal.says), "\(result.error)")
        #expect(result.output.isEmpty)
    }

    @Test("On a terminal it asks until the answers are possible")
    func questions() throws {
        var answers = ["nothing", "2", "xx", "nl DEU", "", "https://shop.acme.com/de", "https://shop.acme.com/nl"]
        var asked: [String] = []
        let questions = InitQuestions(
            ask: { question in
                asked.append(question)
                return answers.isEmpty ? nil : answers.removeFirst()
            }
        )
        let family = try questions.family()
        #expect(family == .link)
        let countries = try questions.countries(family)
        #expect(countries == ["nl", "DEU"])
        #expect(
            try questions.links(family, countries)
                == ["de=https://shop.acme.com/de", "nl=https://shop.acme.com/nl"]
        )
        #expect(asked.contains { $0.contains("'xx' is not possible there") })
        #expect(answers.isEmpty)
    }

    @Test("On a terminal a mixture with Korea is asked for again at once (CF-26)")
    func mixture() throws {
        var answers = ["kr nl", "KOR"]
        var asked: [String] = []
        let questions = InitQuestions(ask: { question in
            asked.append(question)
            return answers.isEmpty ? nil : answers.removeFirst()
        })
        #expect(try questions.countries(.inApp) == ["KOR"])
        #expect(
            asked.last?.hasPrefix("kr stands beside nl; an app for Korea is a binary of its own. List `kr`") == true
        )
    }
}
