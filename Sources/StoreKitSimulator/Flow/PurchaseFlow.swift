import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation

/// One purchase outside the App Store, in the four steps that every family takes: ask, sheet, token, open.
///
/// The flow keeps the world in which it began: a storefront that changes while the sheet is up does not touch it
/// (SK-91).
struct PurchaseFlow: Sendable {
    let session: StoreKitSession
    let world: StoreKitSession.World
    let evaluation: Evaluation
    let bundleId: BundleId?
    let request: SheetRequest
    /// The link byte for byte as configured (TK-62).
    let destination: String

    // MARK: 1 Ask

    /// Judges C1 to C12 and takes the screen; what the app did out of order is recorded on the way.
    static func ask(
        _ session: StoreKitSession,
        _ call: Call
    ) throws(StoreKitError) -> PurchaseFlow {
        let moment = session.moment(for: call.question)
        let world = moment.world
        let evaluation = moment.engine.evaluate(call.question)
        session.recordUsage(of: call, at: moment, evaluation: evaluation)
        guard evaluation.isEligible else { throw ErrorMapping.error(for: evaluation, in: world) }

        let choice = call.destination(among: evaluation.links)
        if !choice.isEligible { session.record(.urlNotEligible(choice.url, call: call)) }
        guard let link = choice.link ?? (world.ineligibleURLPolicy == .open ? choice.url : nil) else {
            throw refused(.argument, "\(choice.url) is not in eligibleURLs", "Choose one of eligibleURLs.")
        }
        guard world.presenter != nil else {
            session.record(.noPresenter(call))
            throw refused(.sheet, "no sheet presenter is set", "Set the session's presenter.")
        }
        guard session.raiseSheet() else {
            session.record(.sheetAlreadyUp(call))
            throw refused(.sheet, "another sheet is up", "Wait until it is answered.")
        }
        if let error = world.network {
            session.lowerSheet()
            throw refused(.network, "the network fails with code \(error.code.rawValue)", "Try again later.")
        }
        if evaluation.tokenTypes.isEmpty { session.record(.noToken(call)) }
        return PurchaseFlow(
            session: session,
            world: world,
            evaluation: evaluation,
            bundleId: moment.engine.configuration.bundleId,
            request: SheetRequest(
                family: call.question.family,
                kind: call.sheet,
                destination: URL(string: link, encodingInvalidCharacters: false),
                storefront: world.storefront ?? ""
            ),
            destination: link
        )

        func refused(_ id: ConditionID, _ detail: String, _ fix: String) -> StoreKitError {
            let condition = Condition(id: id, holds: false, detail: detail, fix: fix)
            return ErrorMapping.error(for: evaluation.judging(condition), in: world)
        }
    }

    /// The steps after the method has returned; cancelling mints and opens nothing (TK-30, SK-56).
    func run() async -> LinkOutcome {
        do {
            guard try await sheet() == .continue else { return .cancelled }
            let address = try await address(carrying: token())
            try await open(address)
            return .continued(address)
        } catch let error as StoreKitError {
            return .failed(error)
        } catch let error as URLError {
            return .failed(.networkError(error))
        } catch {
            return .failed(.systemError(error))
        }
    }

    // MARK: 2 Sheet

    /// The customer's answer; the screen is free again afterwards, whatever comes.
    func sheet() async throws -> SheetAnswer {
        defer { session.lowerSheet() }
        guard let presenter = world.presenter else { throw failure(.sheetCannotBePresented, "No presenter is set.") }
        let (answers, continuation) = AsyncStream.makeStream(of: Result<SheetAnswer, any Error>.self)
        let asking = Task {
            do {
                continuation.yield(.success(try await presenter.answer(request)))
            } catch {
                continuation.yield(
                    .failure(failure(.sheetCannotBePresented, "The presenter failed.", underlying: error))
                )
            }
        }
        let timeout = world.presenterTimeout
        let waiting = Task {
            try await Task.sleep(for: timeout)
            let message = "The presenter gave no answer within \(timeout); see World.presenterTimeout."
            continuation.yield(.failure(failure(.sheetCannotBePresented, message)))
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        for await answer in answers { return try answer.get() }
        throw failure(.sheetCannotBePresented, "The flow's task was cancelled.")
    }

    // MARK: 3 Token

    /// A plain token, one per Continue; nil on systems without tokens (SK-42, SK-43).
    func token() async throws -> IssuedToken? {
        guard evaluation.tokenTypes.contains(nil) else { return nil }
        guard let bundleId else {
            throw failure(.tokenNotMinted, "Info.plist has no bundle identifier that a token could name.")
        }
        let request = TokenRequest(
            appAppleId: world.appAppleId,
            bundleId: bundleId,
            environment: world.environment,
            now: world.clock(),
            uuid: world.uuid(),
            padding: world.mintedTokenPadding
        )
        do {
            return try await world.tokenIssuer.issue(request)
        } catch {
            throw failure(.tokenNotMinted, "The token could not be issued.", underlying: error)
        }
    }

    // MARK: 4 Open

    /// The destination with token and bundle id appended (TK-60 to TK-62), unchanged without a token.
    func address(carrying issued: IssuedToken?) throws -> URL {
        let text =
            issued.map { issued in
                WebsiteURL.appending(token: issued.text, bundleId: issued.token.bundleId, to: destination)
            } ?? destination
        guard let url = URL(string: text, encodingInvalidCharacters: false) else {
            throw failure(.urlNotEligible, "\(text) is no URL.")
        }
        return url
    }

    func open(_ address: URL) async throws {
        try await world.urlOpener?(address)
    }

    private func failure(
        _ reason: ExternalPurchaseFailure.Reason,
        _ message: String,
        underlying: (any Error)? = nil
    ) -> StoreKitError {
        .systemError(ExternalPurchaseFailure(reason, message, explanation: evaluation, underlying: underlying))
    }
}

extension StoreKitSession {
    /// Asks, then lets sheet, token and browser follow after the call has returned (SK-56, D8).
    func openLink(_ url: URL?) throws(StoreKitError) {
        let call = url.map(PurchaseFlow.Call.openURL) ?? .open
        launch(try PurchaseFlow.ask(self, call))
    }
}
