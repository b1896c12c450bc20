import ExternalPurchaseCore
import Synchronization
import Testing

@testable import ReportConformance

/// An endpoint that answers from a list, or as each case expects.
private final class ScriptedTransport: ConformanceTransport {
    enum Step: Sendable {
        case status(Int, String)
        case lost
    }

    private let state: Mutex<(steps: [Step], requests: [ConformanceRequest])>

    init(_ steps: [Step]) { state = Mutex((steps, [])) }

    var requests: [ConformanceRequest] { state.withLock(\.requests) }

    func exchange(_ request: ConformanceRequest, now: Timestamp) async throws(ConformanceTransportError)
        -> ConformanceResponse
    {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.isEmpty ? nil : state.steps.removeFirst()
        }
        switch step {
        case .status(let status, let body): return ConformanceResponse(status: status, body: Array(body.utf8))
        case .lost, nil: throw ConformanceTransportError(reason: "no answer")
        }
    }
}

@Suite("A run, request by request (CS-7)")
struct ScriptedRunTests {
    static let notFound =
        #"{"errorCode":3,"errorMessage":"The referenced value was not found.","fieldName":"requestIdentifier"}"#
    static let accepted = #"{"requestIdentifier":"x"}"#
    static let e9 =
        #"{"errors":[{"errorCode":9,"errorMessage":"Missing line items for an external purchase ID that has a LINE_ITEM status.","fieldName":"status"}]}"#

    /// Plays one case and returns the run, how it ended, what it stored, and what it sent.
    private static func play(
        _ id: String,
        _ steps: [ScriptedTransport.Step],
        from start: ConformanceReport? = nil,
        failingStore: Bool = false
    ) async -> (
        report: ConformanceReport, stop: ConformanceStop?, stored: [ConformanceReport], sent: [ConformanceRequest]
    ) {
        let transport = ScriptedTransport(steps)
        let token = ConformanceDataTests.token("plain")
        let report =
            start
            ?? ConformanceReport(
                dataSet: "1.0.0",
                endpoint: "http://127.0.0.1:1",
                seed: 9,
                startedAt: ConformanceDataTests.now,
                tokens: [.init(token)]
            )
        let stored = Mutex<[ConformanceReport]>([])
        var run = ConformanceRun(
            report,
            suite: .published,
            tokens: [token],
            options: .init(allowsAccepted: true, only: [id]),
            transport: transport,
            now: { ConformanceDataTests.now },
            wait: {},
            observer: .init(
                store: { report throws(ConformanceStop) in
                    if failingStore { throw .notStored("full") }
                    stored.withLock { $0.append(report) }
                }
            )
        )
        var stop: ConformanceStop?
        do throws(ConformanceStop) { try await run.play() } catch { stop = error }
        return (run.report, stop, stored.withLock(\.self), transport.requests)
    }

    @Test("The case is stored before it is sent, and its answer before the next one")
    func stored() async {
        let run = await Self.play("E9-absent", [.status(400, Self.e9)])
        #expect(run.stop == nil)
        #expect(run.stored.map { $0.pending?.id } == ["E9-absent", nil, nil])
        #expect(run.stored.map(\.results.count) == [0, 1, 1])
        #expect(run.stored.map(\.isComplete) == [false, false, true])
        let failed = await Self.play("E9-absent", [.status(400, Self.e9)], failingStore: true)
        #expect(failed.stop == .notStored("full"))
        #expect(failed.sent.isEmpty)
    }

    @Test("After a lost answer the report is asked for; if it arrived, nothing is sent again")
    func lostAndAccepted() async {
        let run = await Self.play("accepted-no-line-item", [.lost, .status(200, #"{"report":{}}"#)])
        #expect(run.stop == nil)
        #expect(run.sent.map(\.method) == ["PUT", "GET"])
        #expect(
            run.sent[1].path.hasSuffix(
                "/"
                    + CaseValues(seed: 9, id: "accepted-no-line-item", token: nil, now: ConformanceDataTests.now)
                    .requestIdentifier(of: "accepted-no-line-item")
            )
        )
        #expect(run.report.results.map(\.isRetrieved) == [true])
        #expect(run.report.results.map(\.isAccepted) == [true])
    }

    @Test("After a lost answer the same bytes are sent again if the endpoint does not have the report")
    func lostAndMissing() async {
        let run = await Self.play(
            "accepted-no-line-item",
            [.lost, .status(400, Self.notFound), .status(200, Self.accepted)]
        )
        #expect(run.stop == nil)
        #expect(run.sent.map(\.method) == ["PUT", "GET", "PUT"])
        #expect(run.sent[0].body == run.sent[2].body)
        #expect(run.report.results.map(\.isRetrieved) == [false])
    }

    @Test("A run that was interrupted asks for its report first")
    func interrupted() async {
        let first = await Self.play("accepted-no-line-item", [.lost, .lost])
        #expect(first.stop == .otherSide("no answer"))
        #expect(first.report.pending?.id == "accepted-no-line-item")
        let second = await Self.play("accepted-no-line-item", [.status(200, #"{"report":{}}"#)], from: first.report)
        #expect(second.stop == nil)
        #expect(second.sent.map(\.method) == ["GET"])
        #expect(second.report.results.map(\.isRetrieved) == [true])
        #expect(second.report.pending == nil)
    }

    @Test("A 5xx is the answer to a case if the endpoint answers other requests, and else ends the run")
    func serverErrors() async {
        let one = await Self.play("E9-absent", [.status(500, ""), .status(400, Self.notFound), .status(500, "")])
        #expect(one.stop == nil)
        #expect(one.report.results.map(\.came.status) == [500])
        let all = await Self.play("E9-absent", [.status(500, ""), .status(503, "")])
        #expect(all.stop == .otherSide("the endpoint answers 503"))
        #expect(all.report.results.isEmpty)
    }

    @Test("A 401 is the answer to a case if another request is authorised, and else ends the run")
    func unauthorized() async {
        let one = await Self.play("E9-absent", [.status(401, ""), .status(400, Self.notFound)])
        #expect(one.stop == nil)
        #expect(one.report.results.map(\.came.status) == [401])
        let all = await Self.play("E9-absent", [.status(401, ""), .status(401, "")])
        #expect(all.stop == .unauthorized)
    }

    @Test("A 429 ends the run at once, and the case is open")
    func limited() async {
        let run = await Self.play("E9-absent", [.status(429, "")])
        #expect(run.stop == .rateLimited(until: nil))
        #expect(run.sent.count == 1)
        #expect(run.report.pending == nil && run.report.results.isEmpty)
        let again = await Self.play("E9-absent", [.status(400, Self.e9)], from: run.report)
        #expect(again.stop == nil && again.report.results.count == 1)
    }

    @Test("A case that follows one that is refused is not played, with the reason (CS-6)")
    func refusedBefore() async {
        let run = await Self.play("E22", [.status(400, Self.e9)])
        #expect(run.stop == nil)
        #expect(run.report.results.map(\.id) == ["accepted-buy"])
        #expect(
            run.report.notAsked.filter { $0.reason.hasPrefix("comes after") }.map(\.reason) == [
                "comes after accepted-buy, which is not accepted", "comes after accepted-buy, which is not accepted",
            ]
        )
    }

    @Test("A stored report is read back as it was, and names no token (CS-8, CS-9)")
    func roundTrip() async throws {
        let run = await Self.play("accepted-no-line-item", [.lost, .lost])
        for report in run.stored + [run.report] {
            let json = try ConformanceEvaluation(report, suite: .published).json(program: "0")
            let text = json.formatted()
            #expect(try ConformanceReport(Array(text.utf8)) == report)
            #expect(!text.contains("SANDBOX_"))
        }
        #expect(throws: ConformanceDataError(message: "is not the report of a conformance run")) {
            try ConformanceReport(Array("{}".utf8))
        }
    }
}
