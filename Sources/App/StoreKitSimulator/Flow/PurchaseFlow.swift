import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation

/// One purchase outside the App Store, in the steps common to all API families: check, sheet, token, open.
///
/// The flow uses the inputs of its start. A change of the storefront while the sheet is shown does not affect it
/// (SK-91).
struct PurchaseFlow: Sendable {
    let session: StoreKitSession
    let inputs: StoreKitSession.SessionInputs
    let evaluation: Evaluation
    let engine: EligibilityEngine
    let member: Member
    let request: SheetRequest
    /// The link exactly as configured (TK-62); nil when the app opens the destination itself.
    let destination: String?
    /// True when the customer has turned the sheet off (SK-67).
    let isSuppressed: Bool

    // MARK: 1 Ask

    /// Checks C1 to C12, records usage diagnostics and reserves the screen for the sheet.
    static func begin(
        _ session: StoreKitSession,
        _ call: Call
    ) throws(StoreKitError) -> PurchaseFlow {
        let member = call.member
        let moment = session.moment(for: member.property)
        let inputs = moment.inputs
        let evaluation = member.evaluate(moment.engine)
        session.recordUsage(of: member, at: moment, evaluation: evaluation)
        session.recordUsage(of: call, at: moment, evaluation: evaluation)
        guard evaluation.isEligible else { throw session.failing(evaluation, of: member, in: inputs) }
        if evaluation.tokenTypes.isEmpty, evaluation.question.group != .customLink {
            session.record(.noToken(member))
        }

        session.recordMinor(call.flow, member.name, moment.engine)

        let shown: URL?
        let link: String?
        switch call.argument(evaluation, moment.engine, inputs.ineligibleURLPolicy) {
        case .accepted(let url, let text):
            (shown, link) = (url, text)
        case .urlNotEligible(let url, let opened):
            session.record(.urlNotEligible(url, member))
            guard let opened else {
                throw refused(.argument, "\(url) is not in eligibleURLs", "Choose one of eligibleURLs.")
            }
            (shown, link) = (URL(exactly: opened), opened)
        case .destinationMissing:
            session.record(.missingDestinationURL(member))
            throw refused(.argument, "outOfApp has no destinationURL", "Name the page that the app will open.")
        }
        let isSuppressed =
            call.sheet == .disclosure && inputs.remindersOff && inputs.suppressedNoticePolicy == .continue
            && moment.engine.isInEuropeanUnion
        if !isSuppressed {
            if inputs.userInteraction == .require, !StoreKitSession.isUserInteraction {
                throw refused(.sheet, "no customer action led here", "Call it from withUserInteraction.")
            }
            guard inputs.presenter != nil else {
                session.record(.noPresenter(member.name))
                throw refused(.sheet, "no sheet presenter is set", "Set the session's presenter.")
            }
            guard session.raiseSheet() else {
                session.record(.sheetAlreadyUp(member.name))
                throw refused(.sheet, "another sheet is up", "Wait until it is answered.")
            }
        }
        if let error = inputs.network {
            if !isSuppressed { session.lowerSheet() }
            throw refused(.network, "the network fails with code \(error.code.rawValue)", "Try again later.")
        }
        if let error = inputs.systemError {
            if !isSuppressed { session.lowerSheet() }
            throw .systemError(error)
        }
        return PurchaseFlow(
            session: session,
            inputs: inputs,
            evaluation: evaluation,
            engine: moment.engine,
            member: member,
            request: SheetRequest(
                family: member.property.family,
                kind: call.sheet,
                destination: shown,
                storefront: inputs.storefront ?? ""
            ),
            destination: link,
            isSuppressed: isSuppressed
        )

        func refused(_ id: ConditionID, _ detail: String, _ fix: String) -> StoreKitError {
            let condition = Condition(id: id, holds: false, detail: detail, fix: fix)
            return session.failing(evaluation.replacing(condition), of: member, in: inputs)
        }
    }

    /// Runs the steps after `open` has returned.
    ///
    /// If the customer cancels, no token is issued and nothing is opened (TK-30, SK-56).
    func run() async -> LinkOutcome {
        do {
            guard try await sheet() == .continue else { return .cancelled }
            let address = try await address(carrying: token())
            try await open(address)
            return .continued(address)
        } catch {
            return .failed(StoreKitError(wrapping: error))
        }
    }

    // MARK: 2 Sheet

    /// Shows the sheet and returns `continue` or `cancel`.
    ///
    /// The screen is released in every case.
    func sheet() async throws -> SheetAnswer {
        guard !isSuppressed else {
            session.record(.noticeSuppressed(member))
            return .continue
        }
        defer { session.lowerSheet() }
        let answer = try await presenterAnswer()
        guard answer == .continueWithoutReminders else { return answer }
        if request.kind == .disclosure, engine.isInEuropeanUnion { session.remindersOff = true }
        return .continue
    }

    private func presenterAnswer() async throws -> SheetAnswer {
        let evaluation = evaluation
        let presentation = SheetPresentation(presenter: inputs.presenter, timeout: inputs.presenterTimeout) {
            .systemError(ExternalPurchaseFailure(.sheetCannotBePresented, $0, explanation: evaluation, underlying: $1))
        }
        return try await session.answer(request, by: presentation, for: member.name)
    }

    // MARK: 3 Token

    /// Issues a plain token, one per Continue; nil on systems without tokens (SK-42, SK-43).
    func token() async throws -> IssuedToken? {
        guard evaluation.tokenTypes.contains(nil) else { return nil }
        return try await session.obtainToken(nil, in: inputs, engine: engine, for: evaluation).issued
    }

    // MARK: 4 Open

    /// Returns the destination with token and bundle id appended (TK-60 to TK-62), or unchanged without a token.
    func address(carrying issued: IssuedToken?) throws -> URL {
        let destination = destination ?? ""
        let text =
            issued.map { issued in
                WebsiteURL.appending(token: issued.text, bundleId: issued.token.bundleId, to: destination)
            } ?? destination
        guard let url = URL(exactly: text) else {
            throw failure(.urlNotEligible, "\(text) is no URL.")
        }
        return url
    }

    func open(_ address: URL) async throws {
        try await inputs.urlOpener?(address)
    }

    private func failure(
        _ reason: ExternalPurchaseFailure.Reason,
        _ message: String,
        underlying: (any Error)? = nil
    ) -> StoreKitError {
        .systemError(ExternalPurchaseFailure(reason, message, explanation: evaluation, underlying: underlying))
    }
}

extension StoreKitError {
    /// Wraps an error of a presenter, issuer or browser in the error that a method throws (SK-51).
    init(wrapping error: any Error) {
        self =
            switch error {
            case let error as StoreKitError: error
            case let error as URLError: .networkError(error)
            default: .systemError(error)
            }
    }
}

extension StoreKitSession {
    /// Checks the call, then runs sheet, token and browser after the call has returned (SK-56, D8).
    func openLink(_ url: URL?) throws(StoreKitError) {
        let call = url.map(PurchaseFlow.Call.openURL) ?? .open
        let flow = try PurchaseFlow.begin(self, call)
        launch(flow.member.name) { await flow.run() }
    }

    /// Checks the call, shows the notice and, if the customer continues, issues the token of the result (SK-53, SK-54).
    func presentNotice() async throws(StoreKitError) -> ExternalPurchase.NoticeResult {
        let flow = try PurchaseFlow.begin(self, .presentNoticeSheet)
        begin(flow.member.name)
        defer { end(flow.member.name) }
        do {
            guard try await flow.sheet() == .continue else {
                note(.init(isContinued: false, family: flow.request.family))
                return .cancelled
            }
            guard let issued = try await flow.token() else { throw StoreKitError.unsupported }
            note(.init(isContinued: true, family: flow.request.family))
            handOut(issued)
            return .continuedWithExternalPurchaseToken(token: issued.text)
        } catch {
            throw StoreKitError(wrapping: error)
        }
    }

    /// Checks the call and shows the disclosure.
    ///
    /// It opens nothing (SK-63).
    func showNotice(_ call: PurchaseFlow.Call) async throws(StoreKitError) -> ExternalPurchaseCustomLink.NoticeResult {
        let flow = try PurchaseFlow.begin(self, call)
        begin(flow.member.name)
        defer { end(flow.member.name) }
        do {
            let isContinued = try await flow.sheet() == .continue
            note(
                .init(
                    isContinued: isContinued,
                    family: flow.request.family,
                    destination: flow.request.destination,
                    hasTokenPeriods: flow.engine.hasTokenPeriods
                )
            )
            return isContinued ? .continued : .cancelled
        } catch {
            throw StoreKitError(wrapping: error)
        }
    }
}
