import ConfigurationLint
import Eligibility
public import ExternalPurchaseCore
import Foundation

/// An action of the app that a session cannot observe itself (SK-101).
public enum AppAction: Hashable, Sendable {
    /// The app showed its own disclosure, and the customer continued or declined (SK-66).
    ///
    /// The flow says where the customer would buy; without it no rule on minors is checked (SK-88).
    case disclosureShown(isContinued: Bool, flow: ProgrammeTerms.Flow? = nil)
    /// The app showed its offer.
    case offerShown
    /// The app opened a URL itself, which ends the flow.
    case urlOpened(URL)
    /// The app sent a token to the developer's server.
    case tokenDelivered(String)
    /// The app marked a sale as started.
    ///
    /// This ends a purchase with custom links that opens no URL.
    case saleStarted
    /// The app offered In-App Purchase.
    case inAppPurchaseOffered
    /// A parent passed the app's parental gate, for the flow that follows (SK-88).
    case parentalGatePassed
}

extension StoreKitSession {
    /// Tells the session about an action of the app.
    ///
    /// This affects diagnostics but never results (SK-100).
    ///
    /// - Parameter action: the action.
    public func tell(_ action: AppAction) {
        switch action {
        case .disclosureShown(let isContinued, let flow):
            if let flow { recordMinor(flow, nil, explainingEngine) }
            note(.init(isContinued: isContinued, family: "", hasTokenPeriods: explainingEngine.hasTokenPeriods))
        case .offerShown:
            recordOffer()
        case .urlOpened(let url):
            recordOpening(url)
        case .tokenDelivered(let text):
            let count = state.withLock { state in
                state.usage.deliveries[text, default: 0] += 1
                return state.usage.deliveries[text]
            }
            if count == 2 { record(.tokenDeliveredTwice(text)) }
        case .saleStarted:
            endPurchase()
            if state.withLock({ !$0.flows.isEmpty }) { record(.resultTreatedAsDone) }
        case .inAppPurchaseOffered:
            state.withLock { $0.usage.hasOfferedInAppPurchase = true }
            recordInAppPurchase()
        case .parentalGatePassed:
            state.withLock { $0.usage.hasPassedGate = true }
        }
    }

    /// Waits for open flows and records the diagnostics that only the end reveals: tokens never delivered, types never
    /// requested, and members that need a guard in Xcode.
    ///
    /// - Returns: the diagnostics of the whole session, oldest first.
    @discardableResult
    public func finish() async -> [Diagnostic] {
        await settle()
        let undelivered = state.withLock { state in
            state.usage.handedOut.filter { state.usage.deliveries[$0] == nil }
        }
        for text in undelivered {
            let id = try? ExternalPurchaseToken.decode(text).token.externalPurchaseId.rawValue
            record(.tokenNotDelivered(id ?? text))
        }
        endPurchase()
        recordIncompleteTypes()
        recordMissingGuards()
        recordMissingInAppPurchase()
        return diagnostics
    }

    private func recordOffer() {
        state.withLock { $0.usage.hasShownOffer = true }
        let notice = state.withLock { $0.usage.notice }
        if notice?.isContinued == false {
            record(.offerAfterCancel("The offer was shown"))
        } else if notice == nil, usesTokenPeriods {
            record(.noticeMissing("The offer was shown"))
        }
    }

    private func recordOpening(_ url: URL) {
        let (notice, usable) = state.withLock { state in
            defer { state.usage.notice = nil }
            return (state.usage.notice, state.usable)
        }
        let links = usable.singleLinks.values.map(\.url) + usable.multiLinks.values.flatMap { $0.map(\.url) }
        func page(_ text: String) -> Substring { text.prefix { $0 != "?" && $0 != "#" } }
        if links.contains(where: { page($0) == page(url.absoluteString) }) {
            record(.urlOpenedByApp(url))
        } else if notice?.isContinued == false {
            record(.offerAfterCancel("\(url.absoluteString) was opened"))
        } else if notice == nil, usesTokenPeriods {
            record(.noticeMissing("\(url.absoluteString) was opened"))
        }
        if let named = notice?.destination?.host(), named != url.host() {
            record(.destinationDiffers(named: named, opened: url.host() ?? url.absoluteString))
        }
        endPurchase()
        recordIncompleteTypes()
    }

    /// True while custom links of the EU or EEA are available and the app should not use a link of another family.
    private var usesTokenPeriods: Bool {
        let engine = explainingEngine
        return engine.hasTokenPeriods && engine.evaluate(.isEligible).isEligible
    }

    private func recordIncompleteTypes() {
        let missing = state.withLock { state -> TokenType? in
            let requested = state.usage.requestedTypes
            guard state.usage.hasShownDisclosure || !requested.isEmpty else { return nil }
            return [.acquisition, .services].first { !requested.contains($0) }
        }
        if let missing { record(.tokenTypesIncomplete(missing: missing)) }
    }

    private func recordInAppPurchase() {
        let engine = explainingEngine
        let available = [EligibilityQuestion.isEligible, .eligibleURLs, .canOpen, .canPresent].first {
            engine.evaluate($0).isEligible
        }
        guard !engine.excludesInAppPurchase else { return record(.inAppPurchaseForbidden) }
        // SK-85: the terms of 2026 allow it in Japan, in Brazil and, from that pack on, in the EU.
        let isAllowed = engine.hasTransactionTokens || (engine.isInEuropeanUnion && engine.pack.id >= "2026-10")
        if let available, !isAllowed { record(.inAppPurchaseBesideExternal(available)) }
    }
}

extension PendingDiagnostic {
    static func offerAfterCancel(_ what: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "offer-after-cancel",
            severity: .error,
            message: "The customer declined",
            hint: "\(what) after the notice was cancelled; go back to the shop."
        )
    }

    static func noticeMissing(_ what: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "notice-missing",
            severity: .warning,
            message: "Call showNotice before the offer",
            hint: "\(what) without an answer of continued in this flow."
        )
    }

    static func urlOpenedByApp(_ url: URL) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "url-opened-by-app",
            severity: .error,
            message: "Use open(url:); without it there is no sheet and no token",
            hint: "\(url.absoluteString) is one of the app's links in Info.plist."
        )
    }

    static func destinationDiffers(named: String, opened: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "destination-differs",
            severity: .warning,
            message: "The notice named \(named), the app opened \(opened)",
            hint: "Pass the URL that is opened to showNotice."
        )
    }

    static let resultTreatedAsDone = PendingDiagnostic(
        id: "result-treated-as-done",
        severity: .note,
        member: Member.open.name,
        message: "open() returns before the customer answers",
        hint: "Learn of the sale from the website."
    )

    static func inAppPurchaseBesideExternal(_ question: EligibilityQuestion) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "iap-beside-external",
            severity: .note,
            member: question.rawValue,
            message: "The documents say to use only one",
            hint: "\(question.rawValue) is available in this storefront."
        )
    }

    static func tokenDeliveredTwice(_ text: String) -> PendingDiagnostic {
        let id = try? ExternalPurchaseToken.decode(text).token.externalPurchaseId.rawValue
        return PendingDiagnostic(
            id: "token-delivered-twice",
            severity: .note,
            message: "Deliver once; deduplicate by externalPurchaseId",
            hint: "The server received \(id ?? "the token") before."
        )
    }
}
