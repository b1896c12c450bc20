package import ExternalPurchaseCore

/// The request of a case with its placeholders filled.
package struct ConformanceRequest: Hashable, Sendable {
    /// The method.
    package let method: String
    /// The path, beginning with a slash.
    package let path: String
    /// The content type; nil for none.
    package let contentType: String?
    /// How the request is authorised.
    package let authorization: ConformanceAuthorization
    /// The body; nil for none.
    package let body: [UInt8]?

    /// Fills the request of a case.
    init(_ item: ConformanceCase, values: CaseValues) throws(ConformanceDataError) {
        let template = item.request
        method = template["method"]?.stringValue ?? "PUT"
        path = String(
            decoding: try Template.filled(template["path"]?.stringValue ?? "/", with: values),
            as: UTF8.self
        )
        authorization = try ConformanceAuthorization(template["authorization"]?.objectValue, values: values)
        let text = template["report"].map(Template.text) ?? template["body"]?.stringValue
        var bytes: [UInt8]?
        if let text {
            var filled = try Template.filled(text, with: values)
            // Blanks after the value do not change a JSON text.
            if let size = template["padTo"]?.int64Value, filled.count < size {
                filled += Array(repeating: UInt8(ascii: " "), count: Int(size) - filled.count)
            }
            bytes = filled
        }
        body = bytes
        let headers = template["headers"]?.objectValue
        contentType =
            switch headers?["Content-Type"] {
            case .string(let type): type
            case .null: nil
            default: bytes == nil ? nil : "application/json"
            }
    }

    /// A retrieval of a report, with which a run asks for an unknown outcome.
    init(retrieving requestIdentifier: String) {
        method = "GET"
        path = ConformanceCase.reportPath + "/" + requestIdentifier
        contentType = nil
        authorization = ConformanceAuthorization()
        body = nil
    }
}

/// How the authorisation of a request departs from the valid one.
package struct ConformanceAuthorization: Hashable, Sendable {
    /// How the signature is made.
    package enum Signature: String, Hashable, Sendable {
        /// As the specification says.
        case valid
        /// With its last byte changed.
        case damaged
        /// In DER in place of 64 bytes.
        case der
        /// Empty.
        case none
    }

    /// True when the request has no such header.
    package var isOmitted = false
    /// The scheme.
    package var scheme = "Bearer"
    /// A text in place of a JWT.
    package var text: String?
    /// Members of the header that replace the valid ones; null removes one.
    package var header = JSONObject()
    /// Claims that replace the valid ones; null removes one.
    package var claims = JSONObject()
    /// The signature.
    package var signature = Signature.valid

    /// Creates a valid authorisation.
    init() {}

    init(_ json: JSONObject?, values: CaseValues) throws(ConformanceDataError) {
        guard let json else { return }
        let filled = try Template.filled(Template.text(of: .object(json)), with: values)
        let object = (try? JSONReader().read(filled))?.objectValue ?? json
        isOmitted = object["omit"]?.boolValue ?? false
        scheme = object["scheme"]?.stringValue ?? "Bearer"
        text = object["text"]?.stringValue
        header = object["header"]?.objectValue ?? JSONObject()
        claims = object["claims"]?.objectValue ?? JSONObject()
        signature = object["signature"]?.stringValue.flatMap(Signature.init) ?? .valid
    }

    /// True for a valid authorisation.
    var isValid: Bool {
        !isOmitted && text == nil && header.members.isEmpty && claims.members.isEmpty && signature == .valid
            && scheme.lowercased() == "bearer"
    }
}
