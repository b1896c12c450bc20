import ExternalPurchaseCore

/// A well-formed JWS of three parts (NT-20 to NT-25).
///
/// Nothing in it is verified yet.
struct SignedMessage {
    /// The first two parts and the point between them, which the signature covers (NT-11).
    let signedText: ArraySlice<UInt8>
    /// The third part as received.
    let signatureText: ArraySlice<UInt8>
    /// The three texts of `x5c`.
    let chain: [String]
    /// The JSON object of the payload.
    let payload: JSONObject

    /// Parses a message.
    ///
    /// - Parameter text: header, payload and signature as received.
    /// - Throws: the first step from NT-20 to NT-25 that fails.
    init(_ text: [UInt8]) throws(NotificationFailure) {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { throw .notThreeParts }
        guard let header = Self.object(parts[0]) else { throw .headerUnreadable }
        guard let algorithm = header["alg"]?.stringValue, algorithm.utf8.elementsEqual("ES256".utf8) else {
            throw .algorithmNotES256
        }
        guard let elements = header["x5c"]?.arrayValue else { throw .chainMissing }
        let chain = elements.compactMap(\.stringValue)
        guard chain.count == elements.count else { throw .chainMissing }
        guard chain.count == 3 else { throw .chainLength }
        guard let payload = Self.object(parts[1]) else { throw .payloadUnreadable }
        signedText = text[..<parts[1].endIndex]
        signatureText = parts[2]
        self.chain = chain
        self.payload = payload
    }

    /// The time of signing according to the payload.
    ///
    /// It only selects the time at which certificates must be valid (NT-37).
    var signedDate: Timestamp? { payload["signedDate"]?.int64Value.map(Timestamp.init(milliseconds:)) }

    private static func object(_ part: ArraySlice<UInt8>) -> JSONObject? {
        guard let bytes = Base64Text.url(part), let value = try? JSONReader().read(bytes),
            value.firstRepeatedKey == nil
        else { return nil }
        return value.objectValue
    }
}
