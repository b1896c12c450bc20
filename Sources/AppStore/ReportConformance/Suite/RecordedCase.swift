import ExternalPurchaseCore

/// A case with a clock, tokens and history of its own: what a validator needs that is not behind HTTP (RR-90).
struct RecordedCase: Hashable, Sendable {
    /// The id of the case.
    let id: String
    /// The clock.
    let now: Timestamp
    /// The tokens of the app.
    let tokens: [ConformanceToken]
    /// The reports that were accepted before, in their order.
    let accepted: [[UInt8]]
    /// The body under test.
    let body: [UInt8]
    /// The expected answer.
    let expected: ConformanceAnswer

    /// Fills a case that sends a report with valid authorisation; nil for another case.
    ///
    /// - Parameters:
    ///   - item: the case.
    ///   - suite: has the cases before it.
    ///   - now: the clock.
    init?(_ item: ConformanceCase, in suite: ConformanceSuite, now: Timestamp) throws(ConformanceDataError) {
        let kind = item.tokens.first ?? "plain"
        let tokens = [1, 2].map { number in
            ConformanceToken(
                externalPurchaseId: ExternalPurchaseId(
                    rawValue: "SANDBOX_7d0c2a10-5b1e-4c58-9a44-0c0ffee0000\(number)"
                ),
                kind: kind,
                creationDate: now - .hours(2),
                expirationDate: ConformanceToken.expiringKinds.contains(kind) ? now - .hours(1) : nil
            )
        }
        let times = Dictionary(item.after.map { ($0, now) }) { $1 }
        func values(_ id: String, _ token: ConformanceToken) -> CaseValues {
            CaseValues(
                seed: 1,
                id: id,
                token: token,
                now: now,
                times: times,
                tokens: times.mapValues { _ in tokens[0] }
            )
        }
        let own = values(item.id, item.needsAnotherToken ? tokens[1] : tokens[0])
        let request = try ConformanceRequest(item, values: own)
        guard item.sendsReport, request.authorization.isValid, let body = request.body else { return nil }
        var accepted: [[UInt8]] = []
        for earlier in item.after.compactMap({ suite[$0] }) {
            accepted.append(try ConformanceRequest(earlier, values: values(earlier.id, tokens[0])).body ?? [])
        }
        id = item.id
        self.now = now
        self.tokens = tokens
        self.accepted = accepted
        self.body = body
        expected = try ConformanceAnswer(expected: item.expected, values: own)
    }

    /// The case as `report validate --history` and RR-90 spell it; nil for a body that is not UTF-8.
    var json: JSONValue? {
        guard let text = String(validating: body, as: UTF8.self) else { return nil }
        var step: JSONObject = ["raw": .string(text)]
        if expected.content == .text("") {
            step["malformed"] = .bool(true)
        } else {
            step["errors"] = .array(
                expected.errors.map { error in
                    var members: JSONObject = [
                        "code": .integer(Int64(error.errorCode.rawValue))

                    ]
                    if let field = error.fieldName { members["fieldName"] = .string(field) }
                    if let item = error.lineItemId {
                        members["lineItemId"] = .string(item.rawValue)
                    }
                    return .object(members)
                }
            )
        }
        return [
            "id": .string(id),
            "now": .integer(now.milliseconds),
            "tokens": .array(tokens.map(Self.json)),
            "accepted": .array(accepted.compactMap { try? JSONReader().read($0) }),
            "steps": .array([.object(step)]),
        ]
    }

    private static func json(_ token: ConformanceToken) -> JSONValue {
        var members: JSONObject = [
            "externalPurchaseId": .string(token.externalPurchaseId.rawValue),
            "tokenCreationDate": .integer(token.creationDate.milliseconds),
        ]
        if token.kind != "plain" { members["tokenType"] = .string(token.kind) }
        if let date = token.expirationDate { members["tokenExpirationDate"] = .integer(date.milliseconds) }
        return .object(members)
    }
}

extension ConformanceSuite {
    /// Every case that sends a report, at one clock.
    func recordedCases(now: Timestamp) throws(ConformanceDataError) -> [RecordedCase] {
        var recorded: [RecordedCase] = []
        for item in cases {
            if let entry = try RecordedCase(item, in: self, now: now) { recorded.append(entry) }
        }
        return recorded
    }
}
