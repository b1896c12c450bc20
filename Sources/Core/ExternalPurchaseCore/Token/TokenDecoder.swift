/// How strictly a token is read (TK-10).
public enum TokenDecodingMode: String, Hashable, Sendable {
    /// For servers that receive tokens from clients: repairs transport damage and attaches warnings.
    case lenient
    /// For tests and the developer's own tokens: every deviation from the format is an error.
    case strict
}

/// A decoded token with the text that it was read from.
public struct DecodedToken: Hashable, Sendable {
    /// The fields.
    public let token: ExternalPurchaseToken
    /// The text as received, stored as evidence (TK-7).
    public let text: String
    /// The deviations that lenient decoding tolerated, in the order of the checks, each once per field.
    public let warnings: [TokenWarning]
    /// The unknown fields in the order of the text.
    public let unknownFields: [JSONObject.Member]
}

extension ExternalPurchaseToken {
    /// The maximum size of the input in bytes (TK-11).
    public static let maximumBytes = 16_384

    /// Decodes a token.
    ///
    /// Every input gives a value or one named error, in time linear in its length. The function does not undo
    /// percent-encoding, which is the task of the URL parser (TK-20), and it does not compare the token with an app or
    /// a clock.
    ///
    /// - Parameters:
    ///   - text: the token as received.
    ///   - mode: how strictly the token is read.
    /// - Throws: ``TokenDecodingError`` with a name from spec/03 section 2.
    public static func decode(
        _ text: String,
        mode: TokenDecodingMode = .lenient
    ) throws(TokenDecodingError) -> DecodedToken {
        var decoding = TokenDecoding(mode: mode)
        let object = try decoding.object(of: text)
        let token = try decoding.token(of: object)
        return DecodedToken(
            token: token,
            text: text,
            warnings: decoding.warnings,
            unknownFields: TokenDecoding.unknownMembers(of: object)
        )
    }
}

// The stages of TK-12 in their order.
private struct TokenDecoding {
    let mode: TokenDecodingMode
    var warnings: [TokenWarning] = []

    static let knownFields = [
        "appAppleId", "bundleId", "tokenCreationDate", "externalPurchaseId", "tokenType", "tokenExpirationDate",
    ]

    init(mode: TokenDecodingMode) {
        self.mode = mode
    }

    static func isKnown(_ key: String) -> Bool { knownFields.contains { $0.hasSameScalars(as: key) } }

    static func unknownMembers(of object: JSONObject) -> [JSONObject.Member] {
        var kept: [JSONObject.Member] = []
        for member in object.members where !isKnown(member.key) {
            if !kept.contains(where: { $0.key.hasSameScalars(as: member.key) }) { kept.append(member) }
        }
        return kept
    }

    /// Adds a warning in lenient mode, and throws in strict mode.
    mutating func warn(_ name: TokenFault, _ field: String? = nil) throws(TokenDecodingError) {
        if mode == .strict { throw TokenDecodingError(name: name, field: field) }
        let warning = TokenWarning(name: name, field: field)
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    func fail<Value>(_ name: TokenFault, _ field: String? = nil) throws(TokenDecodingError) -> Value {
        throw TokenDecodingError(name: name, field: field)
    }

    // MARK: Stages 1 to 14

    mutating func object(of text: String) throws(TokenDecodingError) -> JSONObject {
        var input = Array(text.utf8)
        if input.count > ExternalPurchaseToken.maximumBytes { return try fail(.tooLarge) }
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0D, 0x0A]
        let compact = input.filter { !blanks.contains($0) }
        if compact.isEmpty { return try fail(.empty) }
        if compact.count != input.count { try warn(.whitespace) }
        input = compact
        if input.contains(UInt8(ascii: "+")) || input.contains(UInt8(ascii: "/")) {
            try warn(.standardAlphabet)
            input = input.map {
                $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
            }
        }
        let data = input.prefix { $0 != UInt8(ascii: "=") }
        let padding = input[data.endIndex...]
        guard padding.allSatisfy({ $0 == UInt8(ascii: "=") }), padding.count <= 2, !data.isEmpty,
            let (bytes, isCanonical) = Base64URL.decode(data)
        else {
            var error = TokenDecodingError(name: .notBase64URL, field: nil)
            error.cause = TokenDecodingError.cause(of: compact)
            throw error
        }
        if !padding.isEmpty, input.count % 4 != 0 { try warn(.badPadding) }
        if !isCanonical { try warn(.nonCanonical) }
        guard String(wellFormed: bytes) != nil else { return try fail(.notUTF8) }
        var json = bytes
        if json.starts(with: [0xEF, 0xBB, 0xBF]) {
            try warn(.byteOrderMark)
            json.removeFirst(3)
        }
        let value: JSONValue
        do {
            value = try JSONReader(maximumDepth: 16).read(json)
        } catch {
            switch error {
            case .notUTF8: return try fail(.notUTF8)
            case .notJSON, .nameTooLong, .tooManyCombining: return try fail(.notJSON)
            case .tooDeep: return try fail(.tooDeep)
            }
        }
        guard let object = value.objectValue else { return try fail(.notAnObject) }
        let repeated = object.repeatedKeys
        if let known = repeated.first(where: Self.isKnown) { return try fail(.duplicateField, known) }
        if let unknown = repeated.first { try warn(.duplicateField, unknown) }
        return object
    }

    // MARK: Stages 15 to 17

    mutating func token(of object: JSONObject) throws(TokenDecodingError) -> ExternalPurchaseToken {
        let appAppleId = try required("appAppleId", integer(object, "appAppleId", in: 1...Int64.max))
        let bundleId = try required("bundleId", string(object, "bundleId"))
        if !bundleId.utf8.allSatisfy({ $0.isASCIILetter || $0.isDigit || $0 == 0x2D || $0 == 0x2E }) {
            try warn(.malformedBundleId, "bundleId")
        }
        let creation = try required("tokenCreationDate", date(object, "tokenCreationDate"))
        let id = try required("externalPurchaseId", string(object, "externalPurchaseId"))
        try checkExternalPurchaseId(id)
        let type = try string(object, "tokenType").map(TokenType.init(rawValue:))
        if let type { try checkTokenType(type) }
        let expiration = try date(object, "tokenExpirationDate")
        if mode == .strict, let unknown = object.members.first(where: { !Self.isKnown($0.key) }) {
            return try fail(.unknownField, unknown.key)
        }
        if type == .acquisition || type == .services, expiration == nil {
            try warn(.missingExpiration, "tokenExpirationDate")
        }
        if type == nil, expiration != nil { try warn(.expirationWithoutType, "tokenType") }
        if let expiration, expiration <= creation { try warn(.expirationNotAfterCreation, "tokenExpirationDate") }
        return ExternalPurchaseToken(
            appAppleId: appAppleId,
            bundleId: BundleId(bundleId),
            tokenCreationDate: creation,
            externalPurchaseId: ExternalPurchaseId(id),
            tokenType: type,
            tokenExpirationDate: expiration
        )
    }

    func required<Value>(_ field: String, _ value: Value?) throws(TokenDecodingError) -> Value {
        guard let value else { return try fail(.missingField, field) }
        return value
    }

    mutating func present(_ object: JSONObject, _ field: String) throws(TokenDecodingError) -> JSONValue? {
        guard let value = object[field] else { return nil }
        guard value == .null else { return value }
        if mode == .strict { return try fail(.wrongType, field) }
        // The caller reports a required field that is null as missing (TK-13).
        if field == "tokenType" || field == "tokenExpirationDate" { try warn(.nullField, field) }
        return nil
    }

    mutating func integer(
        _ object: JSONObject,
        _ field: String,
        in range: ClosedRange<Int64>
    ) throws(TokenDecodingError) -> Int64? {
        guard let value = try present(object, field) else { return nil }
        let number: Int64
        switch value {
        case .number(let written):
            number = try integer(written, field)
        case .string(let text):
            guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else {
                return try fail(.wrongType, field)
            }
            if mode == .strict { return try fail(.wrongType, field) }
            try warn(.numberAsString, field)
            guard let parsed = Int64(text) else { return try fail(.outOfRange, field) }
            number = parsed
        default:
            return try fail(.wrongType, field)
        }
        guard range.contains(number) else { return try fail(.outOfRange, field) }
        return number
    }

    mutating func integer(_ written: JSONNumber, _ field: String) throws(TokenDecodingError) -> Int64 {
        let integral = written.integral
        guard !written.isPlainInteger else {
            guard case .integer(let value) = integral else { return try fail(.outOfRange, field) }
            return value
        }
        if mode == .strict { return try fail(.notAnInteger, field) }
        switch integral {
        case .fraction:
            return try fail(.notAnInteger, field)
        case .outOfRange:
            return try fail(.outOfRange, field)
        case .integer(let value):
            // Writers that convert integers to binary floating point keep them exact only up to 2^53 (TK-14).
            guard value.magnitude <= 1 << 53 else { return try fail(.outOfRange, field) }
            try warn(.numberFormat, field)
            return value
        }
    }

    mutating func date(_ object: JSONObject, _ field: String) throws(TokenDecodingError) -> Timestamp? {
        guard let value = try integer(object, field, in: 1...253_402_300_799_999) else { return nil }
        if value < 1_000_000_000_000 { try warn(.dateLooksLikeSeconds, field) }
        return Timestamp(milliseconds: value)
    }

    mutating func string(_ object: JSONObject, _ field: String) throws(TokenDecodingError) -> String? {
        guard let value = try present(object, field) else { return nil }
        guard let text = value.stringValue else { return try fail(.wrongType, field) }
        if text.isEmpty { return try fail(.emptyField, field) }
        if text.unicodeScalars.count > 256 { return try fail(.fieldTooLong, field) }
        return text
    }

    mutating func checkExternalPurchaseId(_ id: String) throws(TokenDecodingError) {
        let prefix = "SANDBOX_"
        if id.isUUID { return }
        let tail = String(decoding: id.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        let head = String(decoding: id.utf8.prefix(prefix.utf8.count), as: UTF8.self)
        if tail.isUUID {
            if head == prefix { return }
            if head.utf8.allSatisfy({ $0 < 0x80 }), head.uppercased() == prefix, mode == .lenient {
                return try warn(.sandboxPrefixCase, "externalPurchaseId")
            }
        }
        try warn(.malformedExternalPurchaseId, "externalPurchaseId")
    }

    mutating func checkTokenType(_ type: TokenType) throws(TokenDecodingError) {
        if TokenType.all.contains(type) { return }
        if mode == .lenient, TokenType.all.map(\.rawValue).containsName(type.rawValue.uppercased()) {
            return try warn(.tokenTypeCase, "tokenType")
        }
        try warn(.unknownTokenType, "tokenType")
    }
}
