package import ExternalPurchaseCore
package import Reporting

extension ReviewDecision {
    /// Reads the body of `POST /v1/review/{sequence}`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong; `resolve` requires a note.
    package init(body: JSONValue, author: String? = nil) throws(RequestError) {
        var fields = try RequestDecoder(body, known: ["action", "by", "note"])
        let text = fields.string("action", maximum: 100)
        let action = text.flatMap(Action.init(rawValue:))
        if text != nil, action == nil { fields.fault("action", "is neither retry nor resolve") }
        let by = fields.author("by", maximum: 128, caller: author)
        let note =
            action == .resolve ? fields.string("note", maximum: 1_000) : fields.optionalString("note", maximum: 1_000)
        try fields.throwFaults()
        self.init(action ?? .resolve, by: by ?? "", note: note ?? "")
    }
}
