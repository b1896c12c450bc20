package import ExternalPurchaseCore

extension ConformanceEvaluation {
    /// The report with everything that a reader, a resumed run and the emulator need (CS-8).
    package func json(program: String) -> JSONValue {
        let summary: JSONObject = [
            "asked": .integer(Int64(verdicts.count)),
            "same": .integer(Int64(verdicts.count - different.count)),
            "different": .integer(Int64(different.count)),
            "unexplained": .integer(Int64(different.count { !$0.isExplained })),
            "notAsked": .integer(Int64(report.notAsked.count)),
        ]
        var members: JSONObject = [
            "conformance": .integer(1),
            "dataSet": .string(report.dataSet),
            "program": .string(program),
            "endpoint": .string(report.endpoint),
            "seed": .string(CaseValues.hexadecimal(report.seed)),
            "startedAt": .string(report.startedAt.description),
            "complete": .bool(report.isComplete),
            "tokens": .array(report.tokens.map(\.json)),
            "summary": .object(summary),
            "cases": .array(verdicts.map { json(of: $0) }),
            "notAsked": .array(
                report.notAsked.map { entry in
                    ["id": .string(entry.id), "reason": .string(entry.reason)]
                }
            ),
        ]
        if let pending = report.pending {
            members["pending"] = [
                "id": .string(pending.id), "token": Self.number(pending.token),
                "at": .integer(pending.at.milliseconds),
            ]
        }
        members["profile"] = profile.json
        return .object(members)
    }

    private static func number(_ token: Int?) -> JSONValue { token.map { .integer(Int64($0 + 1)) } ?? .null }

    private func json(of verdict: Verdict) -> JSONValue {
        let isSame = verdict.differences.isEmpty
        var members: JSONObject = [
            "id": .string(verdict.item.id),
            "title": .string(verdict.item.title),
            "rules": .array(verdict.item.rules.map { .string($0) }),
            "kind": .string(verdict.item.kind.rawValue),
            "token": Self.number(verdict.result.token),
            "at": .integer(verdict.result.at.milliseconds),
            "outcome": .string(isSame ? "same" : "different"),
            "accepted": .bool(verdict.result.isAccepted),
            "retrieved": .bool(verdict.result.isRetrieved),
            "expected": verdict.expected.json,
            "came": verdict.result.came.json,
        ]
        if !isSame {
            members["differences"] = .array(verdict.differences.map(\.json))
            members["explained"] = .bool(verdict.isExplained)
        }
        return .object(members)
    }
}

extension Difference {
    var json: JSONValue {
        [
            "kind": .string(kind.rawValue),
            "rule": .string(rule),
            "expected": .string(expected),
            "came": .string(came),
            "setting": setting.map {
                ["name": .string($0.name), "value": .string($0.value)]
            } ?? .null,
        ]
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
        [
            "kind": .string(kind),
            "createdAt": .integer(creationDate.milliseconds),
            "expiresAt": expirationDate.map { .integer($0.milliseconds) } ?? .null,
            "fingerprint": .string(fingerprint),
        ]
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
