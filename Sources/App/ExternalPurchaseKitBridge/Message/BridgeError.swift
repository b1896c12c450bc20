import ExternalPurchaseCore

/// Why a request was not carried out; the result of a flow is never an error (EK-52).
struct BridgeError: Error, Hashable, Sendable {
    /// The codes of version 1.
    enum Code: String, CaseIterable, Sendable {
        /// The bytes are no JSON.
        case notJSON = "not-json"
        /// The request is longer than ``BridgeRequest/largestSize``.
        case requestTooLarge = "request-too-large"
        /// The version is not 1.
        case unsupportedVersion = "unsupported-version"
        /// No method has this name.
        case unknownMethod = "unknown-method"
        /// A member that the object must have is missing.
        case missingMember = "missing-member"
        /// The object has a member that this version does not know.
        case unknownMember = "unknown-member"
        /// A member occurs twice.
        case repeatedMember = "repeated-member"
        /// A value has another type or form than it must have.
        case invalidValue = "invalid-value"
        /// `configure` was not called.
        case notConfigured = "not-configured"
        /// The transport of the app cannot use the server's address or the key.
        case deliveryNotUsable = "delivery-not-usable"
        case policyNotUsable = "policy-not-usable"
        /// `configure` named no such gate.
        case unknownGate = "unknown-gate"
        /// The question is answered, was closed, or is of another kind.
        case unknownQuestion = "unknown-question"
        /// The disk refused an operation.
        case storageFailed = "storage-failed"
    }

    let code: Code
    let message: String
    /// The JSON Pointer (RFC 6901) of the part of the request that is wrong; nil if it is none.
    let path: String?

    init(_ code: Code, _ message: String, at path: String? = nil) {
        self.code = code
        self.message = message
        self.path = path
    }

    var json: JSONValue {
        .members(["code": .string(code.rawValue), "message": .string(message), "path": .text(path)])
    }
}
