import ExternalPurchaseCore
import HTTPSupport
import Hummingbird
import NIOCore
import ReportValidation

/// Apple's report endpoint: the main path of Apple's side, stage by stage.
///
/// ```
/// send      authorise ─▶ read ─▶ validate and accept in one step ─▶ respond
///           401          400     400 with errors                    200
/// retrieve  authorise ─▶ look up ─▶ respond
///           401          400        200
/// ```
///
/// The order is that of RR-1. Details that a response omits are in the journal.
struct ReportEndpoint: Sendable {
    let state: EmulatorState
    let dependencies: EmulatorDependencies

    /// `PUT /externalPurchase/v1/reports`.
    func send(_ request: Request, entry: inout JournalEntry) async -> ReportEndpointResponse {
        do throws(ReportEndpointRefusal) {
            let authorised = try await authorise(request)
            entry.bundleId = authorised
            let limits = await state.settings.limits
            entry.body = try await body(of: request, limits: limits)
            if let authorised { try await spend(authorised, .sendReport, sending: entry.body, limits: limits) }
            let report = try read(entry.body, limits: limits)
            entry.bundleId = try await caller(authorised, naming: report)
            return try await validate(report, entry: entry)
        } catch {
            entry.note(error)
            return error.answer(await state.settings)
        }
    }

    /// `GET /externalPurchase/v1/reports/{requestIdentifier}`.
    func retrieve(_ text: String, _ request: Request, entry: inout JournalEntry) async -> ReportEndpointResponse {
        do throws(ReportEndpointRefusal) {
            let authorised = try await authorise(request)
            let caller: BundleId? =
                if let authorised { authorised } else { await state.owner(of: nil) }
            entry.bundleId = caller
            if let caller {
                let environment = state.configuration.environment ?? .production
                try await spend(caller, .retrieveReport, in: environment)
            }
            guard let caller, let id = RequestIdentifier(text), let report = await state.report(id, of: caller) else {
                throw .unknownReport(wrapped: await state.settings.notFoundForm == .wrapped)
            }
            return .found(report)
        } catch {
            entry.note(error)
            return error.answer(await state.settings)
        }
    }

    /// Counts a report against the budget of its environment.
    ///
    /// The token determines the environment; without a readable token it is production (SA-91). The limit is checked
    /// before the body is validated (RR-1).
    private func spend(
        _ bundleId: BundleId,
        _ endpoint: AppleEndpoint,
        sending body: [UInt8],
        limits: ReportLimits
    ) async throws(ReportEndpointRefusal) {
        guard await state.settings.requestsPerSecond != nil else { return }
        let token = (try? ReceivedReport.read(body, limits: limits))?.externalPurchaseId
        let environment = state.configuration.environment ?? token?.environment ?? .production
        try await spend(bundleId, endpoint, in: environment)
    }

    private func spend(
        _ bundleId: BundleId,
        _ endpoint: AppleEndpoint,
        in environment: AppStoreEnvironment
    ) async throws(ReportEndpointRefusal) {
        if let retryAt = await state.exhausts(bundleId, endpoint, environment) { throw .rateLimited(retryAt: retryAt) }
    }

    private func authorise(_ request: Request) async throws(ReportEndpointRefusal) -> BundleId? {
        do {
            return try await state.authorise(request.headers[.authorization])
        } catch {
            throw .unauthenticated(error)
        }
    }

    /// Reads the body, up to the limit and no further.
    private func body(of request: Request, limits: ReportLimits) async throws(ReportEndpointRefusal) -> [UInt8] {
        do {
            return try await request.bytes(upTo: limits.bodyBytes)
        } catch {
            let reason =
                switch error {
                case .tooLong: "the body has more than \(limits.bodyBytes) bytes"
                case .malformed: "the body's chunks or length contradict HTTP"
                case .brokenOff: "the body broke off"
                }
            throw .malformed(MalformedReport(rule: .unreadable, reason: reason))
        }
    }

    private func read(_ body: [UInt8], limits: ReportLimits) throws(ReportEndpointRefusal) -> ReceivedReport {
        do {
            return try ReceivedReport.read(body, limits: limits)
        } catch {
            throw .malformed(error)
        }
    }

    private func caller(
        _ authorised: BundleId?,
        naming report: ReceivedReport
    ) async throws(ReportEndpointRefusal) -> BundleId {
        if let authorised { return authorised }
        guard let owner = await state.owner(of: report.externalPurchaseId) else {
            // When no app is registered, the token is unknown as well.
            throw .errors([ReportError(.notFound, field: "externalPurchaseId")])
        }
        return owner
    }

    private func validate(
        _ report: ReceivedReport,
        entry: JournalEntry
    ) async throws(ReportEndpointRefusal) -> ReportEndpointResponse {
        guard let bundleId = entry.bundleId else { throw .unauthenticated(.bundleMissing) }
        let errors = await state.receive(report, from: bundleId)
        guard errors.isEmpty, let requestIdentifier = report.requestIdentifier else { throw .errors(errors) }
        return .accepted(requestIdentifier)
    }
}

/// Why the endpoint does not respond with 200.
enum ReportEndpointRefusal: Error, Hashable, Sendable {
    case unauthenticated(AuthorizationFault)
    case malformed(MalformedReport)
    case errors([ReportError])
    case unknownReport(wrapped: Bool)
    case rateLimited(retryAt: Timestamp)

    /// The answer in the form that the settings choose; the journal has the errors as the rules found them.
    func answer(_ settings: EmulatorSettings) -> ReportEndpointResponse {
        switch self {
        case .unauthenticated: .unauthenticated
        case .rateLimited(let retryAt): .rateLimited(retryAt: retryAt)
        case .malformed: .malformed
        case .errors(let errors): .rejected(settings.answers.shaped(errors))
        case .unknownReport(let wrapped): Self.notFound(settings, wrapped: wrapped)
        }
    }

    static let notAccepted = ReportError(.notFound, field: "requestIdentifier")

    private static func notFound(_ settings: EmulatorSettings, wrapped: Bool) -> ReportEndpointResponse {
        var error = Self.notAccepted
        if let message = settings.rules.messages[.notFound] { error.errorMessage = message }
        let shaped = settings.answers.shaped([error])
        return wrapped ? .rejected(shaped) : .rejectedBare(shaped.first ?? error)
    }
}

extension JournalEntry {
    fileprivate mutating func note(_ refusal: ReportEndpointRefusal) {
        switch refusal {
        case .unauthenticated(let fault): reason = fault.rawValue
        case .malformed(let fault):
            reason = fault.rule.rawValue
            message = fault.reason
        case .errors(let errors): note(errors)
        case .rateLimited: reason = "rate-limited"
        case .unknownReport: note([ReportEndpointRefusal.notAccepted])
        }
    }
}
