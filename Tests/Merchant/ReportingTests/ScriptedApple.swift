import AppStoreServerClient
import ExternalPurchaseCore
import Synchronization

@testable import ReportValidation

/// Apple's endpoint in memory: the real rules over what it accepted, and faults by script.
final class ScriptedApple: ReportEndpointClient {
    /// What happens to one PUT instead of judging it, or after it.
    enum Fault: Sendable {
        case answer(SendOutcome)
        /// The report is judged and kept, but the answer gets lost.
        case dropAfterAccept
    }

    private struct State {
        var tokens: [ExternalPurchaseId: KnownToken] = [:]
        var accepted: [String: ReceivedReport] = [:]
        var items: [LineItemId: AcceptedLineItem] = [:]
        var puts: [[UInt8]] = []
        var gets: [String] = []
        var faults: [Fault] = []
        /// By the number of the PUT, from 0.
        var faultsByNumber: [Int: Fault] = [:]
        var getFaults: [RetrieveOutcome] = []
        /// What answers instead of Apple to everything; nil lets the requests through.
        var gateway: (put: SendOutcome, get: RetrieveOutcome)?
    }

    private let state = Mutex(State())
    private let clock: Merchant.Clock
    /// Stricter than the merchant's own: a plain token takes no buy from long before it.
    private let strictRules: RuleSettings
    private let isMild = Mutex(false)

    init(clock: Merchant.Clock) {
        self.clock = clock
        var rules = RuleSettings()
        rules.plainTokenRange = true
        strictRules = rules
    }

    /// From now on a plain token takes buys from long before it.
    func allowEarlySales() { isMild.withLock { $0 = true } }

    private var rules: RuleSettings { isMild.withLock { $0 } ? RuleSettings() : strictRules }

    func know(_ token: ExternalPurchaseToken) {
        state.withLock {
            $0.tokens[token.externalPurchaseId] = KnownToken(
                creationDate: token.tokenCreationDate,
                tokenType: token.tokenType,
                expirationDate: token.tokenExpirationDate
            )
        }
    }

    func forget(_ token: ExternalPurchaseToken) {
        state.withLock { $0.tokens[token.externalPurchaseId] = nil }
    }

    func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    /// Lets one PUT go wrong, counted from 0.
    func failPut(_ number: Int, _ fault: Fault) { state.withLock { $0.faultsByNumber[number] = fault } }

    func failGet(_ answers: RetrieveOutcome...) { state.withLock { $0.getFaults += answers } }

    /// From now on something in between answers every request; nil lets them through.
    func interpose(_ gateway: (put: SendOutcome, get: RetrieveOutcome)?) { state.withLock { $0.gateway = gateway } }

    var puts: [[UInt8]] { state.withLock(\.puts) }
    var gets: [String] { state.withLock(\.gets) }
    var acceptedReports: Int { state.withLock { $0.accepted.count } }
    /// The newest accepted version of every line item.
    var items: [ReceivedLineItem] { state.withLock { $0.items.values.map(\.item) } }
    func item(_ id: LineItemId) -> ReceivedLineItem? { state.withLock { $0.items[id]?.item } }

    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        state.withLock { state in
            let numbered = state.faultsByNumber.removeValue(forKey: state.puts.count)
            state.puts.append(body)
            if let gateway = state.gateway { return gateway.put.answered }
            let fault = numbered ?? (state.faults.isEmpty ? nil : state.faults.removeFirst())
            if case .answer(let answer) = fault { return answer.answered }
            let answer = validate(body, &state)
            if case .dropAfterAccept = fault { return SendOutcome.noAnswer(reason: "connection dropped").answered }
            return answer.answered
        }
    }

    private func validate(_ body: [UInt8], _ state: inout State) -> SendOutcome {
        guard let report = try? ReceivedReport.read(body), let id = report.requestIdentifier else {
            return .refusedWithoutErrors
        }
        var history = HistorySlice()
        history.token = report.externalPurchaseId.flatMap { state.tokens[$0] }
        history.isRequestIdentifierUsed = state.accepted[id.key] != nil
        history.hasLineItemReport = state.accepted.values.contains {
            $0.externalPurchaseId == report.externalPurchaseId && $0.status == .lineItem
        }
        history.newest = state.items
        let errors = ReportValidator(settings: rules).validate(report, history: history, now: clock.now)
        guard errors.isEmpty else { return .rejected(errors) }
        state.accepted[id.key] = report
        for item in report.lineItems ?? [] {
            guard let itemId = item.lineItemId, let token = report.externalPurchaseId else { continue }
            state.items[itemId] = AcceptedLineItem(item: item, externalPurchaseId: token)
        }
        return .accepted
    }

    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        state.withLock { state in
            state.gets.append(requestIdentifier.key)
            let answer: RetrieveOutcome =
                if let gateway = state.gateway {
                    gateway.get
                } else if !state.getFaults.isEmpty {
                    state.getFaults.removeFirst()
                } else if let report = state.accepted[requestIdentifier.key] {
                    .found(report)
                } else {
                    .notFound
                }
            return AppStoreResponse(outcome: answer, status: 200, body: [])
        }
    }
}

extension SendOutcome {
    fileprivate var answered: AppStoreResponse<SendOutcome> {
        let status: Int? =
            switch self {
            case .accepted: 200
            case .rejected, .refusedWithoutErrors: 400
            case .unauthorized: 401
            case .rateLimited: 429
            case .serverError(let status): status
            case .noAnswer: nil
            }
        return AppStoreResponse(outcome: self, status: status, body: Array("the body".utf8))
    }
}
