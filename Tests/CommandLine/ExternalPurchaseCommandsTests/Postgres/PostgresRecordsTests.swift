import Foundation
import Testing

@Suite("Records and events in PostgreSQL, with the built program", .serialized, .enabled(if: PostgresSchema.isThere))
struct PostgresRecordsTests {
    private static let month = "2026-11"
    private static let programme = "eu-2026-10"
    private static let customer = "berta-41d8-private"

    /// What the commands print of one story, in the order in which they run.
    private struct Story {
        var lines: [String] = []
        private let sides: TwoSides

        init(_ address: String?) async throws {
            sides = try await TwoSides(programmes: "eu-custom-link", address: address)
            let (token, id) = try await sides.mint()
            try await sides.deliver(token, customer: customer)
            _ = try await sides.sell(
                RecordsStoryTests.purchase("one", on: id, more: ["customerId": customer])
            )
            // In this order, because the audit logs are compared.
            try await RecordsStoryTests.expect(sides, sale: "one", standing: "reported")
            _ = try await sides.sell(RecordsStoryTests.purchase("alone", on: nil))
            // While the server runs, what needs the ledger alone is refused.
            try await run(erase, exitCode: 3)
            try await run(submitted, exitCode: 3)
            try await archive("while-serving")
            sides.server.terminate()
            try await records()
        }

        private let erase = ["erase", "--bundle-id", TwoSides.bundleId, "--customer", customer]
        private let submitted = [
            "submitted", month, "--programme", programme, "--on", "2026-12-10", "--by", "kim", "--reference", "c-1",
            "--at", "2026-12-31T00:00:00Z",
        ]
        private let invoice = ["invoice", month, "--programme", programme, "--at", "2026-12-31T00:00:00Z"]

        private mutating func records() async throws {
            let made = try await run(submitted + ["--format", "json"])
            #expect(made.json?["sales"] as? [String] == ["alone"])
            try await run(submitted)
            let export = try #require(made.json?["exportId"] as? String)
            let undo = [
                "submitted", month, "--by", "kim", "--undo", export, "--reason", "twice", "--at",
                "2026-12-31T00:00:00Z",
            ]
            try await run(undo)
            let add = [
                "invoice", "add", month, "--programme", programme, "--invoice", "A-1", "--issued-on", "2026-12-15",
                "--currency", "EUR", "--amount", "1.50", "--by", "kim", "--at", "2026-12-31T00:00:00Z",
            ]
            try await run(add)
            try await run(add)
            try await run(add.map { $0 == "1.50" ? "1.60" : $0 }, exitCode: 1)
            try await run(invoice)
            try await run(invoice + ["--format", "json"])
            try await run(erase)
            try await run(erase, exitCode: 1)
            let files = try await archive("after-erasure")
            #expect(!files.isEmpty && !files.contains { $0.range(of: Data(PostgresRecordsTests.customer.utf8)) != nil })
            try await run(["export", month, "--bundle-id", TwoSides.bundleId])
            try await run(["verify", "--format", "json"])
            try await run(["audit"])
        }

        @discardableResult
        private mutating func run(_ command: [String], exitCode: Int32 = 0) async throws -> BuiltBinary.Result {
            let result = try await BuiltBinary.run(
                ["ledger"] + command + ["--database", sides.address, "--config", sides.config]
            )
            #expect(result.exitCode == exitCode, "\(command): \(result.error)")
            lines.append("\(command[0]): \(result.output)")
            return result
        }

        /// Writes an archive and returns the content of its files.
        @discardableResult
        private mutating func archive(_ name: String) async throws -> [Data] {
            let file = sides.scratch.url.appending(path: "\(name).tar").path
            try await run(["archive", "--from", "2026-10", "--through", "2026-12", "--output", file])
            let folder = sides.scratch.url.appending(path: name)
            try TarArchive.unpack(file, into: folder)
            var files: [Data] = []
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() {
                guard let data = FileManager.default.contents(atPath: folder.appending(path: path).path) else {
                    continue
                }
                files.append(data)
                lines.append("\(path): \(String(decoding: data, as: UTF8.self))")
            }
            return files
        }
    }

    @Test("archive, submitted, invoice and erase print and write what they do of the same story in a file")
    func records() async throws {
        let schema = try PostgresSchema()
        let (ours, theirs) = (try await Story(schema.url).lines, try await Story(nil).lines)
        #expect(ours.count == theirs.count)
        for (ours, theirs) in zip(ours, theirs) {
            #expect(PostgresStoryTests.normalized(ours) == PostgresStoryTests.normalized(theirs))
        }
        for table in ["tokens", "sales", "notifications"] {
            let found = try schema.integer(
                "SELECT count(*) FROM \(table) AS row WHERE row::text LIKE '%\(Self.customer)%'"
            )
            #expect(found == 0, "\(table)")
        }
    }

    @Test("stripe replay reads all pages, knows them at the second run, and a server has the sales")
    func stripeReplay() async throws {
        try await StripeReplayTests.checkPages(StripeReplayTests.Setup(address: try PostgresSchema().url))
    }
}
