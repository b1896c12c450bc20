package import ExternalPurchaseCore

extension ConformanceEvaluation {
    /// The report with everything that a reader, a resumed run and the emulator need (CS-8).
    package func json(program: String) -> JSONValue {
        let summary = JSONObject([
            .init("asked", .integer(Int64(verdicts.count))),
            .init("same", .integer(Int64(verdicts.count - different.count))),
            .init("different", .integer(Int64(different.count))),
            .init("unexplained", .integer(Int64(different.count { !$0.isExplained }))),
            .init("notAsked", .integer(Int64(report.notAsked.count))),
        ])
        var members: [JSONObject.Member] = [
            .init("conformance", .integer(1)),
            .init("dataSet", .string(report.dataSet)),
            .init("program", .string(program)),
            .init("endpoint", .string(report.endpoint)),
            .init("seed", .string(CaseValues.hexadecimal(report.seed))),
            .init("startedAt", .string(report.startedAt.description)),
            .init("complete", .bool(report.isComplete)),
            .init("tokens", .array(report.tokens.map(\.json))),
            .init("summary", .object(summary)),
            .init("cases", .array(verdicts.map { json(of: $0) })),
            .init(
                "notAsked",
                .array(
                    report.notAsked.map { entry in
                        .object(JSONObject([.init("id", .string(entry.id)), .init("reason", .string(entry.reason))]))
                    }
                )
            ),
        ]
        if let pending = report.pending {
            members.append(
                .init(
                    "pending",
                    .object(
                        JSONObject([
                            .init("id", .string(pending.id)), .init("token", Self.number(pending.token)),
                            .init("at", .integer(pending.at.milliseconds)),
                        ])
                    )
                )
            )
        }
        members.append(.init("profile", profile.json))
        return .object(JSONObject(members))
    }

    private static func number(_ token: Int?) -> JSONValue { token.map { .integer(Int64($0 + 1)) } ?? .null }

    private func json(of verdict: Verdict) -> JSONValue {
        let isSame = verdict.differences.isEmpty
        var members: [JSONObject.Member] = [
            .init("id", .string(verdict.item.id)),
            .init("title", .string(verdict.item.title)),
            .init("rules", .array(verdict.item.rules.map { .string($0) })),
            .init("kind", .string(verdict.item.kind.rawValue)),
            .init("token", Self.number(verdict.result.token)),
            .init("at", .integer(verdict.result.at.milliseconds)),
            .init("outcome", .string(isSame ? "same" : "different")),
            .init("accepted", .bool(verdict.result.isAccepted)),
            .init("retrieved", .bool(verdict.result.isRetrieved)),
            .init("expected", verdict.expected.json),
            .init("came", verdict.result.came.json),
        ]
        if !isSame {
            members.append(.init("differences", .array(verdict.differences.map(\.json))))
            members.append(.init("explained", .bool(verdict.isExplained)))
        }
        return .object(JSONObject(members))
    }
}

extension Difference {
    var json: JSONValue {
        .object(
            JSONObject([
                .init("kind", .string(kind.rawValue)),
                .init("rule", .string(rule)),
                .init("expected", .string(expected)),
                .init("came", .string(came)),
                .init(
                    "setting",
                    setting.map {
                        .object(JSONObject([.init("name", .string($0.name)), .init("value", .string($0.value))]))
                    } ?? .null
                ),
            ])
        )
    }
}

extension ConformanceReport {
    /// Reads the report of an earlier run.
    ///
    /// - Throws: what is wrong.
    package init(_ bytes: [UInt8]) throws(ConformanceDataError) {
        let damaged = ConformanceDataError(message: "is not the report of a conformance run")
        guard let object = (try? JSONReader().read(bytes))?.objectValue,
            object["conformance"]?.int64Value == 1, let dataSet = object["dataSet"]?.stringValue,
            let endpoint = object["endpoint"]?.stringValue,
            let seed = object["seed"]?.stringValue.flatMap({ UInt64($0, radix: 16) }),
            let start = object["startedAt"]?.stringValue.flatMap(Timestamp.init(rfc3339:)),
            let tokens = object["tokens"]?.arrayValue, let cases = object["cases"]?.arrayValue
        else { throw damaged }
        var read: [Token] = []
        for token in tokens {
            guard let token = Token(json: token) else { throw damaged }
            read.append(token)
        }
        self.init(dataSet: dataSet, endpoint: endpoint, seed: seed, startedAt: start, tokens: read)
        for entry in cases {
            guard let result = Result(json: entry, tokens: read.count) else { throw damaged }
            results.append(result)
        }
        isComplete = object["complete"]?.boolValue ?? false
        notAsked = (object["notAsked"]?.arrayValue ?? []).compactMap(\.objectValue).map { entry in
            ConformancePlan.Omission(
                id: entry["id"]?.stringValue ?? "",
                reason: entry["reason"]?.stringValue ?? ""
            )
        }
        if let entry = object["pending"]?.objectValue {
            guard let id = entry["id"]?.stringValue, let at = entry["at"]?.int64Value,
                let token = Self.token(entry["token"], of: read.count)
            else { throw damaged }
            pending = Pending(id: id, token: token, at: Timestamp(milliseconds: at))
        }
    }

    /// The position of a token from its number; nil inside for none, nil for a number that no token has.
    static func token(_ json: JSONValue?, of count: Int) -> Int?? {
        guard let json, json != .null else { return .some(nil) }
        guard let number = json.int64Value, (1...Int64(max(count, 1))).contains(number), count > 0 else { return nil }
        return .some(Int(number) - 1)
    }
}

extension ConformanceReport.Token {
    init?(json: JSONValue) {
        guard let object = json.objectValue, let kind = object["kind"]?.stringValue,
            let created = object["createdAt"]?.int64Value, let fingerprint = object["fingerprint"]?.stringValue
        else { return nil }
        self.init(
            kind: kind,
            creationDate: Timestamp(milliseconds: created),
            expirationDate: object["expiresAt"]?.int64Value.map(Timestamp.init(milliseconds:)),
            fingerprint: fingerprint
        )
    }

    /// The token in a report and in the head of a recorded dialogue.
    var json: JSONValue {
        .object(
            JSONObject([
                .init("kind", .string(kind)),
                .init("createdAt", .integer(creationDate.milliseconds)),
                .init("expiresAt", expirationDate.map { .integer($0.milliseconds) } ?? .null),
                .init("fingerprint", .string(fingerprint)),
            ])
        )
    }
}

extension ConformanceReport.Result {
    init?(json: JSONValue, tokens: Int) {
        guard let object = json.objectValue, let id = object["id"]?.stringValue,
            let at = object["at"]?.int64Value, let came = ConformanceAnswer(json: object["came"]),
            let token = ConformanceReport.token(object["token"], of: tokens)
        else { return nil }
        self.init(
            id: id,
            token: token,
            at: Timestamp(milliseconds: at),
            came: came,
            isAccepted: object["accepted"]?.boolValue ?? false,
            isRetrieved: object["retrieved"]?.boolValue ?? false
        )
    }
}
