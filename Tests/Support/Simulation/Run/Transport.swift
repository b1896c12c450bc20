import AppStoreEmulator
import AppStoreServerClient
import ExternalPurchaseCore

/// The connection between the merchant and Apple, which records requests and checks their order.
///
/// Only requests of live processes pass. The rules of the order are SA-60, SA-65 and SA-71.
final class Transport: ReportEndpointClient {
    /// The merchant's knowledge of a report that it sent.
    private enum Fate: Sendable {
        /// The report may be at Apple: GET must precede the next PUT.
        case unknown
        /// The report is certainly not at Apple.
        case absent
        case accepted
        /// Apple refused the report because of its content.
        case refused
    }

    private struct Sent: Sendable {
        var body: [UInt8]
        var fate: Fate
    }

    private struct State: Sendable {
        var sent: [String: Sent] = [:]
        /// The report of each line item.
        var holders: [String: String] = [:]
        var inFlight: [AppStoreEnvironment: Int] = [:]
        /// The number of accepted reports that were already checked.
        var seen: [AppStoreEnvironment: Int] = [:]
        var requests = 0
        var lastTrouble: Timestamp?
    }

    private let emulator: AppStoreEmulator
    private let bundleId: BundleId
    private let app: Int
    private let clock: SimulatedClock
    private let referenceModel: Shared<ReferenceModel>
    private let mint: BearerTokenSigner?
    private let state = Shared(State())

    /// The timeout of the client.
    private static let timeout = Duration.seconds(30)

    init(
        to emulator: AppStoreEmulator,
        of bundleId: BundleId,
        app: Int,
        clock: SimulatedClock,
        referenceModel: Shared<ReferenceModel>,
        mint: BearerTokenSigner?
    ) {
        self.emulator = emulator
        self.bundleId = bundleId
        self.app = app
        self.clock = clock
        self.referenceModel = referenceModel
        self.mint = mint
    }

    /// The number of requests that reached the emulator, including failed ones.
    var requests: Int { state.with { $0.requests } }

    /// The time of the last missing or inconclusive response.
    var lastTrouble: Timestamp? { state.with { $0.lastTrouble } }

    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        let report = try? ReceivedReport.read(body)
        let key = report?.requestIdentifier?.key ?? "none"
        note(report, key: key, body: body, environment: environment)
        let answer = await exchange("PUT", "/externalPurchase/v1/reports", body: body)
        state.with { state in
            state.inFlight[environment, default: 0] -= 1
            guard let answer else { return }
            switch SendOutcome(answer) {
            case .accepted: state.sent[key]?.fate = .accepted
            case .rateLimited, .unauthorized: state.sent[key]?.fate = .absent
            case .rejected(let errors):
                let isHeldUp = errors.contains { $0.errorCode == .simultaneousSubmission }
                state.sent[key]?.fate = isHeldUp ? .absent : .refused
            case .refusedWithoutErrors, .serverError, .noAnswer: break
            }
        }
        await look(at: environment)
        guard let answer else {
            return AppStoreResponse(outcome: .noAnswer(reason: "no answer"), status: nil, body: [])
        }
        return AppStoreResponse(outcome: SendOutcome(answer), status: answer.status, body: answer.body)
    }

    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        let path = "/externalPurchase/v1/reports/\(requestIdentifier.text)"
        guard let answer = await exchange("GET", path, body: nil) else {
            return AppStoreResponse(outcome: .noAnswer(reason: "no answer"), status: nil, body: [])
        }
        let meaning = RetrieveOutcome(answer)
        state.with { state in
            switch meaning {
            case .notFound: state.sent[requestIdentifier.key]?.fate = .absent
            case .found: state.sent[requestIdentifier.key]?.fate = .accepted
            default: break
            }
        }
        return AppStoreResponse(outcome: meaning, status: answer.status, body: answer.body)
    }

    /// Sends a report of the former system, which is not checked against the rules.
    ///
    /// - Returns: the error; nil when Apple accepted the report.
    func sendFormerly(_ body: [UInt8]) async -> String? {
        guard let answer = await exchange("PUT", "/externalPurchase/v1/reports", body: body) else { return "no answer" }
        return answer.status == 200 ? nil : "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
    }

    /// Requests a page of the notification history (NT-68).
    func history(
        from start: Timestamp,
        until end: Timestamp,
        page: String?,
        environment: AppStoreEnvironment
    ) async -> NotificationHistoryOutcome {
        var path = "/inApps/v1/notifications/history?environment=\(environment.rawValue)"
        // Page tokens contain only characters that need no escaping in URLs.
        if let page { path += "&paginationToken=\(page)" }
        let body =
            JSONValue.object([
                "startDate": .integer(start.milliseconds), "endDate": .integer(end.milliseconds),
            ])
        guard let answer = await exchange("POST", path, body: body.encoded()) else {
            return .noAnswer(reason: "no answer")
        }
        return NotificationHistoryOutcome(answer)
    }

    /// Checks the reports that Apple accepted since the last call.
    func look(at environment: AppStoreEnvironment) async {
        let seen = state.with { $0.seen[environment] ?? 0 }
        let reports = await emulator.acceptedReports(of: bundleId, in: environment, after: seen)
        // A concurrent call may have checked them already.
        let new = state.with { state in
            let known = state.seen[environment] ?? 0
            state.seen[environment] = max(known, seen + reports.count)
            return Array(reports.dropFirst(known - seen))
        }
        let now = clock.now
        referenceModel.with { referenceModel in for report in new { referenceModel.accept(report, app: app, at: now) } }
    }

    // MARK: Rules of sending

    private func note(_ report: ReceivedReport?, key: String, body: [UInt8], environment: AppStoreEnvironment) {
        let now = clock.now
        let broken = state.with { state in
            var broken: [(Invariant, String)] = []
            let inFlight = state.inFlight[environment, default: 0] + 1
            state.inFlight[environment] = inFlight
            if inFlight > 1 { broken.append((.oneAtATime, "\(inFlight) reports are on the way at once")) }
            if let sent = state.sent[key] {
                if sent.body != body { broken.append((.oneIdentifier, "\(key) was sent with other bytes before")) }
                switch sent.fate {
                case .unknown: broken.append((.questionFirst, "\(key) is sent again without a question"))
                case .accepted: broken.append((.soldOnce, "\(key) was accepted and is sent again"))
                case .refused: broken.append((.questionFirst, "\(key) was refused and is sent again as it is"))
                case .absent: break
                }
            }
            // A restatement is sent in another report (RR-80).
            for item in report?.lineItems ?? [] where item.restatement != true {
                let id = item.lineItemId?.rawValue ?? ""
                // The item of a report that is certainly not at Apple may have been withdrawn.
                let isTaken = state.holders[id].map { $0 != key && state.sent[$0]?.fate != .absent } ?? false
                if let holder = state.holders[id], isTaken {
                    broken.append((.oneIdentifier, "\(id) was sent in report \(holder) and now in \(key)"))
                }
                state.holders[id] = key
            }
            state.sent[key] = Sent(body: body, fate: .unknown)
            return broken
        }
        for (invariant, detail) in broken { referenceModel.with { $0.report(invariant, now, detail) } }
    }

    /// Sends one request; returns nil when no complete response arrived in time.
    private func exchange(_ method: String, _ path: String, body: [UInt8]?) async -> ReceivedResponse? {
        let start = clock.now
        state.with { $0.requests += 1 }
        var authorization: String?
        if let mint { authorization = (try? mint.token(now: clock.now)).map { "Bearer \($0)" } }
        let answer = await emulator.answer(method, path, authorization: authorization, body: body)
        let now = clock.now
        guard case .answered(let status, let retryAfter, let bytes) = answer,
            start.duration(to: now) <= Self.timeout
        else {
            state.with { $0.lastTrouble = now }
            return nil
        }
        if status != 200, status != 400 { state.with { $0.lastTrouble = now } }
        return ReceivedResponse(status: status, body: bytes, retryAfter: retryAfter, now: clock.merchantNow)
    }
}

/// The connection of one process, which stops in both directions when the process crashes.
final class CrashingClient: ReportEndpointClient {
    private let transport: any ReportEndpointClient
    private let life: ProcessLife

    init(_ transport: any ReportEndpointClient, life: ProcessLife) {
        self.transport = transport
        self.life = life
    }

    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        guard !life.isDead, life.passes() else { return Self.silence(.noAnswer(reason: "dead")) }
        let answer = await transport.send(body, environment: environment)
        return life.passes() ? answer : Self.silence(.noAnswer(reason: "dead"))
    }

    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        guard !life.isDead, life.passes() else { return Self.silence(.noAnswer(reason: "dead")) }
        let answer = await transport.retrieve(requestIdentifier, environment: environment)
        return life.passes() ? answer : Self.silence(.noAnswer(reason: "dead"))
    }

    private static func silence<Outcome>(_ answer: Outcome) -> AppStoreResponse<Outcome> {
        AppStoreResponse(outcome: answer, status: nil, body: [])
    }
}
