import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
public import TokenLifecycle

extension StoreKitSession {
    /// The customer who is signed in.
    public var customer: AccountID { state.withLock { $0.customer } }

    /// Signs in a new customer, who has no tokens yet (TK-37).
    ///
    /// - Returns: the new customer, whose token periods are independent of those of other customers.
    @discardableResult
    public func newSandboxAccount() -> AccountID {
        state.withLock { state in
            state.customer = state.periods.openAccount()
            return state.customer
        }
    }

    /// Signs in an existing customer.
    ///
    /// - Parameter customer: a customer of this session.
    public func signIn(_ customer: AccountID) {
        state.withLock { $0.customer = customer }
    }

    /// Adds a device for the customer who is signed in.
    ///
    /// Token periods belong to the customer, not to the device (TK-40).
    public func newDevice() -> DeviceID {
        state.withLock { $0.periods.addDevice(of: $0.customer) }
    }

    /// Simulates an install, update or re-download of the app, at which the App Store creates tokens (TK-32, TK-33).
    ///
    /// This applies in production only; in the sandbox the first request creates the tokens (TK-34). Tokens are created
    /// if Info.plist and entitlements configure custom links for the storefront at that moment and the system has
    /// tokens there (SK-46), which excludes systems before iOS 18.1.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - device: a device of ``newDevice()``; nil for the customer who is signed in.
    /// - Returns: the created tokens, `ACQUISITION` before `SERVICES`.
    /// - Throws: the error of the issuer. The period has begun nevertheless, and the next request issues its token.
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

    /// Applies the lifecycle rules to a token request.
    func request(_ type: TokenType?, of app: App, in inputs: SessionInputs) -> TokenAnswer {
        // Clock and randomness are the caller's code and may use the session, so they are called outside the lock.
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

    /// Issues a token, once for each id with a period.
    ///
    /// Simultaneous requests wait for the same issue.
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
    /// Whether an event creates tokens with periods in the storefront: C3 to C6 hold (TK-33), and the system has custom
    /// links and their tokens, C1 and C7 (SK-46).
    var createsTokenPeriods: Bool {
        let conditions = evaluate(.token).conditions.filter { $0.route == nil && $0.id <= .systemGate }
        return hasTokenPeriods && conditions.allSatisfy { $0.holds == true }
    }
}
