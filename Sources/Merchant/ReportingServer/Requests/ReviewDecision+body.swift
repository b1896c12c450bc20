package import ExternalPurchaseCore
package import Reporting

extension ReviewDecision {
    /// Reads the body of `POST /v1/review/{sequence}`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong; `resolve` requires a note, and only
    ///   `accepted` takes a request identifier.
    package init(body: JSONValue, caller: Caller) throws(RequestError) {
        var fields = try RequestDecoder(body, known: RequestMembers.reviewDecision)
        let text = fields.string("action", maximum: 100)
        let action = text.flatMap(Action.init(rawValue:))
        if text != nil, action == nil { fields.fault("action", "is none of accepted, retry, resolve") }
        let by = fields.author("by", maximum: 128, caller: caller.author)
        let note =
            action == .resolve ? fields.string("note", maximum: 1_000) : fields.optionalString("note", maximum: 1_000)
        let identifier = fields.optionalString("requestIdentifier", maximum: 100)
        let report = identifier.flatMap { RequestIdentifier($0) }
        if identifier != nil, report == nil { fields.fault("requestIdentifier", "is no UUID") }
        if identifier != nil, action != .accepted {
            fields.fault("requestIdentifier", "belongs to accepted only: it names the report that Apple has")
        }
        try fields.throwFaults()
        self.init(
            action ?? .resolve,
            by: by ?? "",
            note: note ?? "",
            requestIdentifier: report,
            of: caller.bundleId
        )
    }
}
