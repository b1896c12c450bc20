import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

// Diagnostics on what the terms of a storefront ask of the app's screens.

extension StoreKitSession {
    /// Records an offer beside which In-App Purchase was not shown, although the terms ask for it (SK-87).
    func recordMissingInAppPurchase() {
        let (isOffered, isBeside) = state.withLock { ($0.usage.hasShownOffer, $0.usage.hasOfferedInAppPurchase) }
        let engine = explainingEngine
        guard isOffered, !isBeside, engine.inAppPurchase == .required, let storefront = engine.storefront else {
            return
        }
        record(.inAppPurchaseMissing(in: storefront))
    }

    /// Records a flow that began without the parental gate that the customer's age asks for, or that is not for customers of
    /// that age (SK-88).
    func recordMinor(_ flow: ProgrammeTerms.Flow, _ member: String?, _ engine: EligibilityEngine) {
        let (age, hasPassed) = state.withLock { state in
            defer { state.usage.hasPassedGate = false }
            return (state.inputs.customerAge, state.usage.hasPassedGate)
        }
        guard let age else { return }
        switch engine.treatment(of: flow, age: age) {
        case .offered: break
        case .parentalGate: if !hasPassed { record(.parentalGateMissing(member, flow)) }
        case .notOffered: record(.notForMinors(member, flow))
        }
    }
}

extension PendingDiagnostic {
    static func inAppPurchaseMissing(in storefront: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "iap-missing",
            severity: .warning,
            message: "An offer was shown in \(storefront) without In-App Purchase beside it",
            hint:
                "The terms ask for In-App Purchase beside it, at least as prominent; tell(.inAppPurchaseOffered) says that it "
                + "is there."
        )
    }

    static let inAppPurchaseForbidden = PendingDiagnostic(
        id: "iap-forbidden",
        severity: .error,
        message: "In-App Purchase was offered in an app whose storefront's terms allow none",
        hint: "An app for South Korea is an app of its own, without In-App Purchase."
    )

    static func parentalGateMissing(_ member: String?, _ flow: ProgrammeTerms.Flow) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "parental-gate-missing",
            severity: .warning,
            member: member,
            message:
                "A purchase \(flow == .withinApp ? "in the app" : "outside the app") began without a parental gate",
            hint:
                "The storefront's terms ask for one at the customer's age; tell(.parentalGatePassed) says that it was passed."
        )
    }

    static func notForMinors(_ member: String?, _ flow: ProgrammeTerms.Flow) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "not-for-minors",
            severity: .error,
            member: member,
            message:
                "A purchase \(flow == .withinApp ? "in the app" : "outside the app") began for a customer of an age that the "
                + "storefront's terms exclude",
            hint: "Do not show the offer to customers of this age."
        )
    }
}
