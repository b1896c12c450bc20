package import ExternalPurchaseCore
package import Ledger

extension AuditEntry {
    /// The entry as `GET /v1/audit` and `ledger audit --format json` show it.
    package var json: JSONValue {
        [
            "sequence": .integer(sequence), "at": .string(time.description),
            "kind": .string(kind),
            "content": (try? JSONReader().read(content)) ?? .string(content),
            "hash": .string(AuditHead.hexadecimal(hash)),
        ]
    }
}
