import ExternalPurchaseCore

/// A request and its response as a run records them: without the ids of tokens and without authorisation (CS-9).
package struct RecordedExchange: Hashable, Sendable {
    let id: String
    let token: Int?
    let at: Timestamp
    let method: String
    let path: String
    let contentType: String?
    /// The beginning of the body.
    let requestBody: [UInt8]?
    /// The length of the body.
    let requestBytes: Int
    let status: Int
    let answerType: String?
    let answerBody: [UInt8]

    /// Of a longer request only that many bytes are recorded.
    static let recordedRequestBytes = 8_192

    /// Takes what is recorded of an exchange.
    init(
        id: String,
        token: Int?,
        at: Timestamp,
        request: ConformanceRequest,
        response: ConformanceResponse,
        tokens: [ConformanceToken]
    ) {
        let redaction = Redaction(tokens)
        self.id = id
        self.token = token
        self.at = at
        method = request.method
        path = request.path
        contentType = request.contentType
        requestBody = request.body.map { redaction.redacted($0, upTo: Self.recordedRequestBytes) }
        requestBytes = request.body?.count ?? 0
        status = response.status
        answerType = response.contentType
        answerBody = redaction.redacted(response.body)
    }

    /// One line of the recorded dialogue.
    package var line: [UInt8] {
        var request: JSONObject = ["method": .string(method), "path": .string(path)]
        if let contentType { request["contentType"] = .string(contentType) }
        if let requestBody {
            request["body"] = .string(String(decoding: requestBody, as: UTF8.self))
            request["bytes"] = .integer(Int64(requestBytes))
        }
        var answer: JSONObject = ["status": .integer(Int64(status))]
        if let answerType { answer["contentType"] = .string(answerType) }
        answer["body"] = .string(String(decoding: answerBody, as: UTF8.self))
        return JSONValue.object([
            "id": .string(id),
            "token": token.map { .integer(Int64($0 + 1)) } ?? .null,
            "at": .integer(at.milliseconds),
            "request": .object(request),
            "answer": .object(answer),
        ]).encoded()
    }
}

/// A recorded dialogue: a line with the run, and a line for each exchange.
package enum RecordedDialogue {
    /// The first line.
    package static func head(of report: ConformanceReport) -> [UInt8] {
        JSONValue.object([
            "dialogue": .integer(1),
            "dataSet": .string(report.dataSet),
            "endpoint": .string(report.endpoint),
            "seed": .string(CaseValues.hexadecimal(report.seed)),
            "startedAt": .string(report.startedAt.description),
            "tokens": .array(report.tokens.map(\.json)),
        ]).encoded()
    }

    /// Reads the results that a recorded dialogue contains.
    ///
    /// A last line that is cut off, as a killed run leaves it, is not part of the dialogue.
    ///
    /// - Throws: the number of the line, and what is wrong with it.
    package static func report(_ bytes: [UInt8], suite: ConformanceSuite) throws(ConformanceDataError)
        -> ConformanceReport
    {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first, let head = (try? JSONReader().read(Array(first)))?.objectValue,
            head["dialogue"]?.int64Value == 1, let dataSet = head["dataSet"]?.stringValue,
            let seed = head["seed"]?.stringValue.flatMap({ UInt64($0, radix: 16) }),
            let start = head["startedAt"]?.stringValue.flatMap(Timestamp.init(rfc3339:)),
            let tokens = head["tokens"]?.arrayValue?.map(ConformanceReport.Token.init(json:)),
            !tokens.contains(where: { $0 == nil })
        else { throw ConformanceDataError(message: "line 1: is not the head of a recorded dialogue") }
        guard dataSet == suite.version else {
            throw ConformanceDataError(
                message: "was recorded with version \(dataSet) of the cases, and this program has \(suite.version)"
            )
        }
        var report = ConformanceReport(
            dataSet: dataSet,
            endpoint: head["endpoint"]?.stringValue ?? "",
            seed: seed,
            startedAt: start,
            tokens: tokens.compactMap(\.self)
        )
        for (index, line) in lines.enumerated().dropFirst() {
            guard let result = result(Array(line), suite: suite, tokens: tokens.count) else {
                if index == lines.count - 1, bytes.last != UInt8(ascii: "\n") { break }
                throw ConformanceDataError(message: "line \(index + 1): is not a recorded exchange of a known case")
            }
            report.results.append(result)
        }
        // A run that may send reports that are accepted sends one with every token.
        let allowsAccepted = report.results.contains { suite[$0.id]?.kind == .accepted }
        let plan = ConformancePlan(
            suite,
            tokens: report.tokens.map(\.redacted),
            options: ConformancePlan.Options(allowsAccepted: allowsAccepted),
            played: report.played(suite),
            now: report.results.last?.at ?? start
        )
        report.notAsked =
            plan.notAsked + plan.steps.map { ConformancePlan.Omission(id: $0.id, reason: "is not in the dialogue") }
        report.isComplete = true
        return report
    }

    private static func result(
        _ line: [UInt8],
        suite: ConformanceSuite,
        tokens: Int
    ) -> ConformanceReport.Result? {
        guard let object = (try? JSONReader().read(line))?.objectValue, let id = object["id"]?.stringValue,
            let item = suite[id], let at = object["at"]?.int64Value, let answer = object["answer"]?.objectValue,
            let status = answer["status"]?.int64Value, let token = ConformanceReport.token(object["token"], of: tokens),
            // A case that needs a token cannot be compared without one.
            token != nil || item.tokens.isEmpty
        else { return nil }
        let body = Array((answer["body"]?.stringValue ?? "").utf8)
        return ConformanceReport.Result(
            id: id,
            token: token,
            at: Timestamp(milliseconds: at),
            came: ConformanceAnswer(status: Int(status), body: body),
            isAccepted: item.sendsReport && status == 200,
            isRetrieved: false
        )
    }
}
