import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

@Suite("The forms in which records are shown keep their bytes")
struct RecordFormsTests {
    @Test("The tables of the archive and the entries of the audit log")
    func archive() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "forms-\(UUID().uuidString).sqlite")
        let store = try SQLiteLedgerStore(path: file.path, dependencies: FullLedger.dependencies)
        try await FullLedger.fill(store)
        let files = try await store.read { ledger throws(LedgerError) in
            try ArchivedFiles(of: FullLedger.app, in: ledger)
        }
        let tables = [
            "tokens", "customers", "taps", "sales", "sale-versions", "line-items", "reports", "notifications",
            "corrections", "manual-exports", "invoices", "payment-events",
        ]
        let text =
            tables.map { files.text("\($0).csv") }.joined(separator: "\r\n") + "\r\n" + files.text("audit-log.jsonl")
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/record-forms.txt")
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        let expected = try String(contentsOf: fixture, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        for (line, expected) in zip(lines, expected) { #expect(line == expected) }
        #expect(lines.count == expected.count, "\(lines.suffix(max(0, lines.count - expected.count) + 1))")
    }

    @Test("A token in a list")
    func list() async throws {
        let store = MemoryLedgerStore.empty(FullLedger.dependencies)
        try await FullLedger.fill(store)
        let tokens = try await store.read { ledger throws(LedgerError) in try ledger.tokens(LedgerPage()) }
        let members = tokens.map { JSONValue.object(JSONObject(StoredToken.fields.listMembers(of: $0))) }
        let expected = [
            #"{"externalPurchaseId":"SANDBOX_00000000-0000-4000-8000-00000000000a","bundleId":"com.example.shop","#
                + #""appAppleId":1000000001,"environment":"sandbox","family":"customLink","tokenType":"SERVICES","#
                + #""tokenCreationDate":1795176060000,"tokenExpirationDate":1795176120000,"state":"confirmed","#
                + #""flags":["bundle-mismatch","content-contradiction","repeated-parameter"],"checkoutId":"checkout","#
                + #""customerId":"customer","storefront":"NLD","#
                + #""firstSeen":{"source":"website","at":"2026-11-20T12:03:00Z"}}"#,
            #"{"externalPurchaseId":"SANDBOX_00000000-0000-4000-8000-00000000000b","bundleId":"com.example.shop","#
                + #""appAppleId":1000000001,"environment":"sandbox","family":"plain","tokenType":null,"#
                + #""tokenCreationDate":1795176240000,"tokenExpirationDate":null,"state":"unconfirmed","flags":[],"#
                + #""checkoutId":"other","customerId":null,"storefront":null,"#
                + #""firstSeen":{"source":"notification","at":"2026-11-20T12:05:00Z"}}"#,
        ]
        for (token, expected) in zip(members, expected) {
            #expect(String(decoding: token.encoded(), as: UTF8.self) == expected)
        }
    }
}
