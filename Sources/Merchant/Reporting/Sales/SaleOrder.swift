import ExternalPurchaseCore
import Ledger

/// Who changes a sale that is known, and why.
struct SaleAuthor: Hashable, Sendable {
    /// A person's name as they give it; 1 to 256 characters.
    let by: String
    let reason: String?
}

/// A body of `POST /v1/sales` taken apart: the sale, and what it is to do with one that is known.
struct SaleOrder: Sendable {
    /// The body without the members of an amendment.
    let sale: JSONValue
    /// Nil for a body without `"amends": true`, which may complete a sale but change nothing of it.
    let author: SaleAuthor?

    private static let members = ["amends", "by", "reason"]

    /// - Throws: ``RequestError/invalid(_:)`` with every member of an amendment that is wrong.
    init(_ body: JSONValue) throws(RequestError) {
        guard let object = body.objectValue, let amends = object["amends"] else {
            sale = body
            author = nil
            return
        }
        let own = JSONObject(object.members.filter { Self.members.contains($0.key) })
        sale = .object(JSONObject(object.members.filter { !Self.members.contains($0.key) }))
        var fields = try RequestDecoder(.object(own), known: Self.members)
        guard let isAmendment = amends.boolValue else {
            throw .invalid([FieldError("/amends", "is neither true nor false")])
        }
        guard isAmendment else {
            for name in ["by", "reason"] where fields.has(name) { fields.fault(name, "belongs to an amendment") }
            try fields.throwFaults()
            author = nil
            return
        }
        let by = fields.string("by", maximum: 256)
        let reason = fields.optionalString("reason", maximum: 2_000)
        try fields.throwFaults()
        author = by.map { SaleAuthor(by: $0, reason: reason) }
    }
}

/// The body of `POST /v1/sales/{saleId}/void`.
struct VoidOrder: Sendable {
    /// Nil where the merchant has one app, or only one has a sale of the id.
    let bundleId: BundleId?
    let author: SaleAuthor

    /// - Throws: ``RequestError/invalid(_:)`` with every member that is wrong.
    init(_ body: JSONValue) throws(RequestError) {
        var fields = try RequestDecoder(body, known: ["by", "reason", "bundleId"])
        let by = fields.string("by", maximum: 256)
        let reason = fields.string("reason", maximum: 2_000)
        let bundleId = fields.optionalString("bundleId", maximum: .max)
        try fields.throwFaults()
        self.bundleId = bundleId.map { BundleId($0) }
        author = SaleAuthor(by: by ?? "", reason: reason)
    }
}
