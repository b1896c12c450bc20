package import ExternalPurchaseCore
package import Ledger

extension AuditEntry {
    /// The entry as `GET /v1/audit` and `ledger audit --format json` show it.
    package var json: JSONValue {
        .object(
            JSONObject([
                .init("sequence", .integer(sequence)), .init("at", .string(time.description)),
                .init("kind", .string(kind)),
                .init("content", (try? JSONReader().read(content)) ?? .string(content)),
                .init("hash", .string(AuditHead.hexadecimal(hash))),
            ])
        )
    }
}
