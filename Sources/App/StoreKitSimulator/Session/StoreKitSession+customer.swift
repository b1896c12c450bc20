import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import Synchronization
public import TokenLifecycle

extension StoreKitSession {
    /// The customer who is signed in.
    public var customer: AccountID { state.withLock { $0.customer } }

    /// Signs another customer in, who has had no tokens yet (TK-37).
    ///
    /// - Returns: the new customer, whose periods are apart from those of the others.
    @discardableResult
    public func newSandboxAccount() -> AccountID {
        state.withLock { state in
            state.customer = state.periods.openAccount()
            return state.customer
        }
    }

    /// Signs a customer in who was there before.
    ///
    /// - Parameter customer: one of this session.
    public func signIn(_ customer: AccountID) {
        state.withLock { $0.customer = customer }
    }

    /// A device of the customer who is signed in; periods are the customer's, not the device's (TK-40).
    public func newDevice() -> DeviceID {
        state.withLock { $0.periods.addDevice(of: $0.customer) }
    }

    /// Lets the app be installed, updated or downloaded again, at which the App Store creates tokens (TK-32, TK-33).
    ///
    /// Only in production; in the sandbox the first request creates them (TK-34). The event counts when Info.plist and
    /// entitlements configure custom links for the storefront at that moment, and the system has tokens there (SK-46):
    /// none below iOS 18.1.
    ///
    /// - Parameters:
    ///   - event: what happens.
    ///   - device: a device of ``newDevice()``; nil for the one of the customer who is signed in.
    /// - Returns: the tokens created, `ACQUISITION` before `SERVICES`.
    /// - Throws: what the issuer throws; the period has begun all the same, and the next request issues its token.
    @discardableResult
    public func simulate(_ event: AppEvent, on device: DeviceID? = nil) async throws -> [IssuedToken] {
        let (inputs, engine) = state.withLock { ($0.inputs, $0.inputs.engine($0.usable)) }
        guard let bundleId = engine.configuration.bundleId else { return [] }
        let (now, draw) = (inputs.clock(), (inputs.uuid(), inputs.uuid()))
        let created = state.withLock { state in
            state.periods.receive(
                event,
                of: device.flatMap { state.periods.account(on: $0) } ?? state.customer,
                for: App(appAppleId: inputs.appAppleId, bundleId: bundleId),
                in: inputs.environment,
                isConfigured: engine.createsTokenPeriods,
                at: now,
                drawing: draw,
                settings: inputs.lifecycleSettings
            )
        }
        var issued: [IssuedToken] = []
        for token in created { issued.append(try await issue(token, in: inputs)) }
        return issued
    }

    /// What the lifecycle rules answer to a request.
    func request(_ type: TokenType?, of app: App, in inputs: SessionInputs) -> TokenAnswer {
        // Clock and randomness are the caller's code and may use the session, so they run outside the lock.
        let (now, uuid) = (inputs.clock(), inputs.uuid())
        return state.withLock { state in
            state.periods.request(
                type,
                by: state.customer,
                for: app,
                in: inputs.environment,
                at: now,
                drawing: uuid,
                settings: inputs.lifecycleSettings
            )
        }
    }

    /// Issues a token, once for each id of a period: simultaneous requests wait for the same issue.
    func issue(_ token: ExternalPurchaseToken, in inputs: SessionInputs) async throws -> IssuedToken {
        let request = TokenRequest(token: token, padding: inputs.mintedTokenPadding)
        guard token.family == .customLink else { return try await inputs.tokenIssuer.issue(request) }
        let id = token.externalPurchaseId
        let issuing = state.withLock { state in
            if let begun = state.issued[id] { return begun }
            let issuing = Task { try await inputs.tokenIssuer.issue(request) }
            state.issued[id] = issuing
            return issuing
        }
        do {
            return try await issuing.value
        } catch {
            state.withLock { state in
                if state.issued[id] == issuing { state.issued[id] = nil }
            }
            throw error
        }
    }
}

extension EligibilityEngine {
    /// Whether an event creates tokens with periods in the storefront: C3 to C6 (TK-33), and the system has custom links
    /// and their tokens, C1 and C7 (SK-46).
    var createsTokenPeriods: Bool {
        let conditions = evaluate(.token).conditions.filter { $0.route == nil && $0.id <= .systemGate }
        return hasTokenPeriods && conditions.allSatisfy { $0.holds == true }
    }
}
