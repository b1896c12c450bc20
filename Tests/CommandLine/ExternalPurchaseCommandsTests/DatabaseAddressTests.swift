import Testing

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

    #if !PostgreSQL
    @Test("A build without PostgreSQL says how to build one with it, and prints no password")
    func withoutTrait() async throws {
        for command in ["database migrate", "ledger verify", "keys list", "keys create --scope read"] {
            let words = command.split(separator: " ").map(String.init)
            let result = try await BuiltBinary.run(words + ["--database", "postgres://ledger:s3cret@db/ledger"])
            #expect(result.exitCode == 2)
            #expect(
                result.error
                    == "external-purchase: error: --database postgres://db/ledger: this build has no PostgreSQL: build with "
                    + "--traits Tools,PostgreSQL\n"
            )
        }
    }
    #endif
}
