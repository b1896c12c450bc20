import Testing

@testable import ExternalPurchaseCommands

@Suite("The value of --database")
struct DatabaseAddressTests {
    @Test(
        "A ledger that the commands do not open is refused with what would be right",
        arguments: [
            ("ledger.sqlite", "use sqlite:FILE or postgres://USER@HOST/DATABASE"),
            ("sqlite:", "use sqlite:FILE or postgres://USER@HOST/DATABASE"),
        ]
    )
    func refused(_ address: String, _ advice: String) async throws {
        for command in ["serve --config none", "database migrate", "ledger verify", "keys list"] {
            let words = command.split(separator: " ").map(String.init)
            let result = try await BuiltBinary.run(words + ["--database", address])
            #expect(result.exitCode == 2)
            let line = result.error.split(separator: "\n").first.map(String.init) ?? ""
            #expect(line == "Error: The value '\(address)' is invalid for '--database <database>': \(advice)")
        }
    }

    @Test(
        "A printed command has an address that leads to the same ledger, or says where it is",
        arguments: [
            ("sqlite:ledger.sqlite", "sqlite:ledger.sqlite"), ("sqlite:my ledger", "'sqlite:my ledger'"),
            ("postgres://db:5432/ledger", "postgres://db:5432/ledger"),
            ("postgres://kim@db/ledger", "(as here)"), ("postgres://kim:s3cret@db/ledger", "(as here)"),
            ("postgres://db/ledger?options=-csearch_path%3Dshop", "(as here)"),
        ]
    )
    func printed(_ address: String, _ word: String) throws {
        #expect(try DatabaseAddress.reading(address).shellWord == word)
    }
}
