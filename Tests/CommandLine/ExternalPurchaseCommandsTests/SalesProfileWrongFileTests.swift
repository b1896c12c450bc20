import Foundation
import Testing

@testable import ExternalPurchaseCommands

/// What a file may be instead of a provider's export.
struct WrongFile: Sendable {
    let name: String
    /// 1 where a row is wrong, 2 where the file is, 0 where it is read all the same.
    let exitCode: Int32
    /// What the error says.
    let message: String
    let make: @Sendable (_ text: String) -> [UInt8]

    /// The bytes of a text with bytes in place of a mark behind its first row.
    private static func row(_ bytes: [UInt8]) -> @Sendable (String) -> [UInt8] {
        { text in
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return Array(lines.prefix(2).joined(separator: "\n").utf8) + [0x0A] + bytes + [0x0A]
                + Array(lines.dropFirst(2).joined(separator: "\n").utf8)
        }
    }

    private static func wide(_ text: String, isBigEndian: Bool = false) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return isBigEndian ? bytes.reversed() : bytes
        }
    }

    /// A text with another mark between its fields.
    private static func divided(_ text: String, by mark: Character) -> [UInt8] {
        var isQuoted = false
        let marked = text.map { character -> Character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted ? mark : character
        }
        return Array(String(marked).utf8)
    }

    private static func body(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().joined(separator: "\n")
    }

    static let all = [
        WrongFile(name: "a mark of UTF-8", exitCode: 0, message: "") { [0xEF, 0xBB, 0xBF] + Array($0.utf8) },
        WrongFile(name: "UTF-16, little end first", exitCode: 0, message: "") { [0xFF, 0xFE] + wide($0) },
        WrongFile(name: "UTF-16, big end first", exitCode: 0, message: "") {
            [0xFE, 0xFF] + wide($0, isBigEndian: true)
        },
        WrongFile(name: "lines that end with CR", exitCode: 0, message: "") {
            Array($0.replacing("\n", with: "\r").utf8)
        },
        WrongFile(name: "UTF-16 without a mark", exitCode: 2, message: "has bytes of value 0") { wide($0) },
        WrongFile(
            name: "UTF-16 that ends within a character",
            exitCode: 1,
            message: "is no text in the file's encoding"
        ) {
            [0xFF, 0xFE] + wide($0 + "\nx") + [0x41]
        },
        WrongFile(name: "half of a pair of UTF-16", exitCode: 1, message: "is no text in the file's encoding") {
            [0xFF, 0xFE] + wide($0 + "\n") + [0x00, 0xD8, 0x0A, 0x00]
        },
        WrongFile(name: "UTF-32", exitCode: 2, message: "has bytes of value 0") { text in
            [0xFF, 0xFE, 0, 0]
                + text.unicodeScalars.flatMap { [UInt8($0.value & 0xFF), UInt8($0.value >> 8 & 0xFF), 0, 0] }
        },
        WrongFile(name: "a mark of UTF-8 before Latin-1", exitCode: 1, message: "is not UTF-8") {
            [0xEF, 0xBB, 0xBF] + row([0x4D, 0xFC])($0)
        },
        WrongFile(name: "Latin-1", exitCode: 1, message: "is not UTF-8", make: row([0x4D, 0xFC, 0x6E])),
        WrongFile(
            name: "a byte too many for its character",
            exitCode: 1,
            message: "is not UTF-8",
            make: row([0xC0, 0xAF])
        ),
        WrongFile(
            name: "half of a pair in UTF-8",
            exitCode: 1,
            message: "is not UTF-8",
            make: row([0xED, 0xA0, 0x80])
        ),
        WrongFile(name: "beyond Unicode", exitCode: 1, message: "is not UTF-8", make: row([0xF4, 0x90, 0x80, 0x80])),
        WrongFile(name: "a byte of value 0", exitCode: 2, message: "has bytes of value 0", make: row([0x61, 0, 0x62])),
        WrongFile(name: "a byte of value 0 far behind", exitCode: 1, message: "has a character of value 0") {
            Array($0.utf8) + [0x0A] + Array(repeating: 0x0A, count: 1 << 17) + [0x61, 0, 0x62]
        },
        WrongFile(name: "a quote that is not closed", exitCode: 2, message: "a quote is not closed") {
            Array(($0 + "\n\"x,\ny,\nz").utf8)
        },
        WrongFile(name: "text behind a quote", exitCode: 1, message: "has text after a closing quote") {
            Array(($0 + "\n\"x\"y").utf8)
        },
        WrongFile(name: "a quote inside a field", exitCode: 1, message: "has a quote inside a field without quotes") {
            Array(($0 + "\nx\"y").utf8)
        },
        WrongFile(name: "a row without its last fields", exitCode: 1, message: "has 2 fields, the header has") {
            Array(($0 + "\nx,y").utf8)
        },
        WrongFile(name: "semicolons", exitCode: 0, message: "") { divided($0, by: ";") },
        WrongFile(name: "tabs", exitCode: 0, message: "") { divided($0, by: "\t") },
        WrongFile(name: "pipes", exitCode: 0, message: "") { divided($0, by: "|") },
        WrongFile(name: "colons", exitCode: 2, message: "the header") { divided($0, by: ":") },
        WrongFile(name: "no header", exitCode: 2, message: "the header does not fit the profile") {
            Array(body($0).utf8)
        },
        WrongFile(name: "a header only", exitCode: 2, message: "has no rows below its header") {
            Array($0.prefix { $0 != "\n" }.utf8)
        },
        WrongFile(name: "nothing", exitCode: 2, message: "is empty") { _ in [] },
        WrongFile(name: "blank lines", exitCode: 2, message: "has blank lines and separators only") { _ in
            Array("\n,,,\n\n".utf8)
        },
        WrongFile(name: "a page of HTML", exitCode: 2, message: "the header does not fit the profile") { _ in
            Array("<!DOCTYPE html><html><title>Sign in</title></html>\n".utf8)
        },
        WrongFile(name: "a compressed file", exitCode: 2, message: "has bytes of value 0") { _ in
            [0x50, 0x4B, 3, 4, 0x14, 0, 0, 0, 8, 0]
        },
        WrongFile(name: "a line of two MiB", exitCode: 2, message: "has more than 1 MiB") {
            Array($0.utf8) + [0x0A] + Array(repeating: 0x78, count: 2 << 20)
        },
        WrongFile(name: "a header of two MiB", exitCode: 2, message: "has more than 1 MiB") { _ in
            Array(repeating: 0x78, count: 2 << 20)
        },
    ]
}

@Suite("ledger import-sales --profile: files that are something else", .serialized)
struct SalesProfileWrongFileTests {
    @Test("Each is refused by one clear error, and nothing of it is stored", arguments: ProviderFile.all)
    func wrong(_ provider: ProviderFile) async throws {
        let setup = try await ServerUnderTest()
        let file = setup.scratch.url.appending(path: "export.csv")
        for wrong in WrongFile.all {
            try Data(wrong.make(provider.text)).write(to: file)
            let result = try await BuiltBinary.run(
                [
                    "ledger", "import-sales", file.path, "--config", setup.config, "--database",
                    "sqlite:\(setup.database)", "--profile", provider.profile,
                ] + provider.set.flatMap { ["--set", $0] }
                    + (wrong.exitCode == 0 ? ["--dry-run", "--format", "json"] : [])
            )
            #expect(result.exitCode == wrong.exitCode, "\(wrong.name): \(result.error)")
            #expect(wrong.message.isEmpty || result.error.contains(wrong.message), "\(wrong.name): \(result.error)")
            // Every fault of a header has a line of its own.
            let isHeader = result.error.contains("does not fit the profile")
            let lines = result.error.split(separator: "\n")
            // The first line of a wrong row says that nothing was stored.
            #expect(isHeader || lines.count <= (wrong.exitCode == 1 ? 2 : 1), "\(wrong.name): \(result.error)")
            #expect(!FileManager.default.fileExists(atPath: setup.database), "\(wrong.name)")
            guard wrong.exitCode == 0 else { continue }
            #expect(
                result.json?["payments"] as? [String: String] == provider.payments,
                "\(wrong.name): \(result.output)"
            )
        }
    }
}
