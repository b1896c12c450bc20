import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import TokenLifecycle

extension StoreKitSession {
    /// Returns the token of a type for `token(for:)`; nil for none (SK-58 to SK-61).
    func token(_ type: String, for member: Member) async throws(StoreKitError) -> IssuedToken? {
        let moment = moment(for: member.property)
        let (inputs, engine) = (moment.inputs, moment.engine)
        let evaluation = member.evaluate(engine)
        recordUsage(of: member, at: moment, evaluation: evaluation)
        recordDeprecation(of: member, at: moment)
        let misspelling = PendingDiagnostic.misspelledTokenType(type, member, fitting: engine.customLinkTokenTypes)
        record(misspelling)
        guard evaluation.isEligible else { throw failing(evaluation, of: member, in: inputs) }

        let asked = TokenType(rawValue: type)
        guard misspelling == nil, engine.customLinkTokenTypes.contains(asked) else {
            if misspelling == nil {
                let programme = evaluation.programme?.title ?? inputs.storefront ?? ""
                record(.wrongProgramme(asked, member, programme: programme, types: engine.customLinkTokenTypes))
            }
            switch inputs.unknownTokenTypePolicy {
            case .nil: return nil
            case .throw: throw .unsupported
            }
        }
        recordTokenRequest(asked, member, at: moment)
        if let error = inputs.network {
            let detail = "the network fails with code \(error.code.rawValue)"
            let condition = Condition(id: .network, holds: false, detail: detail, fix: "Try again later.")
            throw failing(evaluation.replacing(condition), of: member, in: inputs)
        }
        if let error = inputs.systemError { throw .systemError(error) }

        let isTransaction = engine.hasTransactionTokens
        let kind = "\(member.name) \(type)"
        if isTransaction { begin(kind) }
        defer { if isTransaction { end(kind) } }
        do {
            let (answer, issued) = try await obtainToken(asked, in: inputs, engine: engine, for: evaluation)
            if case .none(let absence) = answer { record(.absent(asked, member, absence, in: inputs.environment)) }
            if let issued {
                if isTransaction { recordTransactionToken(asked, member, at: moment) }
                handOut(issued)
            }
            return issued
        } catch {
            throw StoreKitError(wrapping: error)
        }
    }

    /// Requests a token by the lifecycle rules, and issues it if the session has not issued it before (TK-30 to TK-46).
    func obtainToken(
        _ type: TokenType?,
        in inputs: SessionInputs,
        engine: EligibilityEngine,
        for evaluation: Evaluation
    ) async throws(StoreKitError) -> (answer: TokenAnswer, issued: IssuedToken?) {
        func failure(_ message: String, _ underlying: (any Error)? = nil) -> StoreKitError {
            .systemError(
                ExternalPurchaseFailure(.tokenNotMinted, message, explanation: evaluation, underlying: underlying)
            )
        }
        guard let bundleId = engine.configuration.bundleId else {
            throw failure("Info.plist has no bundle identifier that a token could name.")
        }
        let answer = request(type, of: App(appAppleId: inputs.appAppleId, bundleId: bundleId), in: inputs)
        guard let token = answer.token else { return (answer, nil) }
        do {
            return (answer, try await issue(token, in: inputs))
        } catch {
            throw failure("The token could not be issued.", error)
        }
    }
}
