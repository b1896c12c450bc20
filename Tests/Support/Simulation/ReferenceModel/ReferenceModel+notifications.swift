import ExternalPurchaseCore

/// The content of a notification.
struct Notice: Sendable {
    var id: ExternalPurchaseId
    var app: Int
    var type: TokenType?
    var created: Timestamp
    var expires: Timestamp?
    var isUnreported: Bool
    var signedAt: Timestamp

    /// Parses the body of a notification independently of the product's verifier; returns nil if it is not about a
    /// token.
    init?(body: [UInt8], app: Int) {
        guard let signed = Self.object(body)?["signedPayload"]?.stringValue else { return nil }
        guard let object = Self.payload(of: signed).flatMap(Self.object),
            let token = object["externalPurchaseToken"]?.objectValue,
            let id = token["externalPurchaseId"]?.stringValue, let created = token["tokenCreationDate"]?.int64Value,
            let signedAt = object["signedDate"]?.int64Value
        else { return nil }
        self.id = ExternalPurchaseId(id)
        self.app = app
        type = token["tokenType"]?.stringValue.map { TokenType(rawValue: $0) }
        self.created = Timestamp(milliseconds: created)
        expires = token["tokenExpirationDate"]?.int64Value.map { Timestamp(milliseconds: $0) }
        isUnreported = object["subtype"]?.stringValue == "UNREPORTED"
        self.signedAt = Timestamp(milliseconds: signedAt)
    }

    /// The bytes between the two full stops.
    static func payload(of signed: String) -> [UInt8]? {
        let point = UInt8(ascii: ".")
        guard let first = signed.utf8.firstIndex(of: point), let last = signed.utf8.lastIndex(of: point), first < last
        else { return nil }
        return Base64URL.decode(signed.utf8[signed.utf8.index(after: first)..<last])?.bytes
    }

    private static func object(_ bytes: [UInt8]) -> JSONObject? { (try? JSONReader().read(bytes))?.objectValue }
}

// Apple's notifications about tokens, and the reports that follow from them.
extension ReferenceModel {
    /// Records that Apple sent a notification about a token, delivered or not.
    mutating func told(_ notice: Notice, at now: Timestamp) {
        add(
            Token(
                id: notice.id,
                text: "",
                app: notice.app,
                customer: nil,
                type: notice.type,
                created: notice.created,
                expires: notice.expires
            )
        )
        tokens[notice.id]?.isTold = true
        if notice.isUnreported, let answered = tokens[notice.id]?.answeredAt, answered < notice.signedAt {
            report(
                .unreportedIsUnreported,
                now,
                "\(notice.id) was answered at \(answered) and is said to be unreported"
            )
        }
    }

    /// Records that the ledger has a notification about the token.
    ///
    /// - Parameters:
    ///   - isUnreported: whether its type is `UNREPORTED`.
    ///   - moment: the time by the merchant's clock.
    ///   - now: the true time.
    mutating func heard(_ id: ExternalPurchaseId, isUnreported: Bool, at moment: Timestamp, _ now: Timestamp) {
        if tokens[id]?.heard == nil {
            knowledge += 1
            tokens[id]?.heard = (knowledge, moment)
        }
        if isUnreported, tokens[id]?.unreportedAt == nil { tokens[id]?.unreportedAt = now }
    }

    /// Checks a report without items against the merchant's knowledge of the token (RR-62, NT-65).
    mutating func checkStatus(_ status: ReportStatus?, of id: ExternalPurchaseId, at now: Timestamp) {
        guard let token = tokens[id] else { return }
        switch status {
        case .unrecognizedToken:
            guard let heard = token.heard else {
                report(.rightAnswer, now, "\(id) was delivered and is answered as not recognised")
                return
            }
            // It may be written from one day after Apple's notification until the token's delivery, and sent later.
            let earliest = heard.at + .days(1)
            if let arrival = token.arrival, arrival.at < earliest, !clockWasWrong {
                report(
                    .rightAnswer,
                    now,
                    "\(id) is answered as not recognised, was delivered at \(arrival.at), heard of at \(heard.at)"
                )
            }
        case .noLineItem, .duplicateToken:
            if token.arrival == nil, !isTied(id) {
                report(.rightAnswer, now, "\(id) is known from Apple alone and is answered as one of the merchant's")
            }
            if status == .duplicateToken, !hasSibling(token) {
                report(.rightAnswer, now, "\(id) is answered as a duplicate, of no other token of its period")
            }
        default:
            report(.rightAnswer, now, "\(id) is answered with the status \(status?.rawValue ?? "none")")
        }
    }

    /// Whether the merchant knows another token of the same customer, type and period (RR-62).
    private func hasSibling(_ token: Token) -> Bool {
        tokens.values.contains { other in
            other.id != token.id && other.app == token.app && other.type == token.type && token.type != nil
                && other.created == token.created && other.customer == token.customer && other.knownSince != nil
        }
    }
}
