package import ExternalPurchaseCore
package import Ledger

extension StoredReport {
    /// The members of the report in a list, with its errors and the report that was sent.
    package var listMembers: [JSONObject.Member] {
        var members = Self.fields.listMembers(of: self)
        if state == .needsAttention || !errors.isEmpty {
            members.append(.init("errors", .array(errors.map(\.json))))
        }
        // The stored bytes are the ones sent; if they are not valid JSON, they are shown as text.
        let report = (try? JSONReader().read(body)) ?? .string(String(decoding: body, as: UTF8.self))
        members.append(.init("report", report))
        return members
    }
}
