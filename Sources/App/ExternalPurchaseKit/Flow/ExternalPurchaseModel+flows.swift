import ExternalPurchaseCore
public import Foundation

extension ExternalPurchaseModel {
    /// Opens a link in the browser after StoreKit's sheet (`ExternalPurchaseLink`).
    ///
    /// Call it as the direct result of a tap (SK-50). It returns before the customer answers; the token goes to the
    /// website with the address (TK-60), not through the outbox.
    ///
    /// - Parameter choose: picks one of the eligible links, whose order has no meaning; nil for none. It is not called
    ///   where only the one configured link can be opened.
    public func openLink(choosing choose: ([URL]) -> URL? = \.first) async -> LinkResult {
        await exclusively(.notOffered(.purchaseInProgress)) {
            let now = await readAvailability()
            if let reason = await refusal(of: .outOfApp, now, unless: [.eligibleURLs, .canOpen]) {
                return .notOffered(reason)
            }
            log(.tapped(.link))
            do {
                // SK-82: the one configured link serves where several cannot be opened.
                guard now.isAvailable(.eligibleURLs) else {
                    try await store.open()
                    return .askingCustomer(nil)
                }
                guard let url = choose(now.eligibleURLs) else { return .notOffered(.noLinkChosen) }
                try await store.open(url: url)
                return .askingCustomer(url)
            } catch {
                return .failed(await failed("ExternalPurchaseLink.open", error))
            }
        }
    }

    /// Shows the notice sheet before a purchase in the app (`ExternalPurchase`) and keeps the token.
    ///
    /// Call it as the direct result of a tap (SK-50), each time before the purchase is shown (SK-53).
    public func presentNoticeSheet() async -> NoticeSheetResult {
        await exclusively(.notOffered(.purchaseInProgress)) {
            let now = await readAvailability()
            if let reason = await refusal(of: .withinApp, now, unless: [.canPresent]) { return .notOffered(reason) }
            log(.tapped(.noticeSheet))
            let request: Int
            switch await beginRequest(type: nil, storefront: now.storefront) {
            case .success(let number): request = number
            case .failure(let reason): return .notOffered(reason.reason)
            }
            do {
                guard case .continued(let text) = try await store.presentNoticeSheet() else {
                    await outbox.endRequest(request)
                    log(.cancelled(.noticeSheet))
                    return .cancelled
                }
                log(.continued(.noticeSheet))
                guard let text else {
                    await outbox.endRequest(request)
                    return .continuedWithoutToken
                }
                // EK-19: StoreKit does not say in which of two storefronts it made the token.
                let storefront = await store.storefront == now.storefront ? now.storefront : nil
                let token = PurchaseToken(text: text, type: nil, storefront: storefront, customerId: customerId)
                let isSafe = await keep(token, endingRequest: request)
                return isSafe ? .continued(token) : .tokenNotKept(token)
            } catch {
                await outbox.endRequest(request)
                return .failed(await failed("ExternalPurchase.presentNoticeSheet", error))
            }
        }
    }

    /// Shows the disclosure of a custom link, requests the tokens of the purchase, keeps them, and opens the website
    /// (`ExternalPurchaseCustomLink`).
    ///
    /// Call it as the direct result of a tap (SK-50). The order is the same everywhere, because a token of Japan or
    /// Brazil that is requested before the customer continued would have to be reported without a purchase (TK-46).
    ///
    /// - Parameter destination: where the customer buys. The URL may be nil only in the EU (SK-64).
    public func purchaseWithCustomLink(_ destination: ExternalPurchaseDestination) async -> CustomLinkResult {
        await exclusively(.notOffered(.purchaseInProgress)) {
            let now = await readAvailability()
            if let reason = await refusal(of: destination.flow, now, unless: [.isEligible]) {
                return .notOffered(reason)
            }
            if let reason = now.customLinkRefusal { return .notOffered(reason) }
            guard let storefront = now.storefront, let scheme = configuration.tokenScheme(storefront) else {
                return .notOffered(.unknownTokenScheme(storefront: now.storefront))
            }
            // A system that does not take the address would not refuse it.
            if case .transaction = scheme, destination == .outOfApp(destinationURL: nil) {
                return .notOffered(.noLinkChosen)
            }
            log(.tapped(destination.way))
            guard now.requestsTokens else {
                if let stop = await disclose(destination, scheme, in: storefront) { return stop }
                return await finish(destination, PurchaseTokens(notRequested: scheme.types(of: destination.flow)))
            }
            if let reason = await outboxRefusal() { return .notOffered(reason) }
            switch scheme {
            case .periods(let types):
                if let stop = await disclose(destination, scheme, in: storefront) { return stop }
                return await finish(destination, await requestPeriodTokens(types, storefront: storefront))
            case .transaction(let withinApp, let outOfApp):
                let type = destination.flow == .withinApp ? withinApp : outOfApp
                return await purchase(destination, type, scheme, storefront: storefront)
            }
        }
    }

    /// A purchase with a token that StoreKit makes anew: the request is recorded before the customer sees anything.
    private func purchase(
        _ destination: ExternalPurchaseDestination,
        _ type: TokenType,
        _ scheme: TokenScheme,
        storefront: String
    ) async -> CustomLinkResult {
        let request: Int
        switch await beginRequest(type: type.rawValue, storefront: storefront) {
        case .success(let number): request = number
        case .failure(let stop): return .notOffered(stop.reason)
        }
        if let stop = await disclose(destination, scheme, in: storefront) {
            await outbox.endRequest(request)
            return stop
        }
        switch await requestTransactionToken(type, storefront: storefront, request: request) {
        case .success(let tokens): return await finish(destination, tokens)
        case .failure(let stop): return stop.reason
        }
    }

    /// Opens the destination once the tokens are safe.
    private func finish(_ destination: ExternalPurchaseDestination, _ tokens: PurchaseTokens) async -> CustomLinkResult
    {
        var tokens = tokens
        if tokens.tokens.isEmpty, tokens.missing.values.contains(where: { $0 == .unsupported || $0 == .notRequested }) {
            tokens.tokenlessSystem = store.system
        }
        guard tokens.areSafe else { return .tokensNotKept(tokens) }
        guard case .outOfApp(let url?) = destination, let openURL = configuration.openURL else {
            return .continued(tokens)
        }
        let address = configuration.destinationURL(url, tokens)
        return await openURL(address) ? .continued(tokens) : .destinationNotOpened(tokens)
    }

    /// Shows the system's notice, or the app's disclosure where the system's is not for the storefront.
    ///
    /// - Returns: nil when the customer continued in the storefront in which the flow began, else what stops the flow.
    private func disclose(
        _ destination: ExternalPurchaseDestination,
        _ scheme: TokenScheme,
        in storefront: String
    ) async -> CustomLinkResult? {
        if let stop = await disclose(destination, scheme) {
            if stop == .cancelled { log(.cancelled(destination.way)) }
            return stop
        }
        log(.continued(destination.way))
        guard await store.storefront != storefront else { return nil }
        // EK-19: the customer may buy under other terms now, or not at all.
        await readAvailability()
        return .failed(StoreFailure(.notAvailableInStorefront, message: "The storefront changed."))
    }

    private func disclose(
        _ destination: ExternalPurchaseDestination,
        _ scheme: TokenScheme
    ) async -> CustomLinkResult? {
        if case .transaction = scheme, !store.noticeNamesDestination {
            guard let disclosure = configuration.disclosure else { return .notOffered(.disclosureMissing) }
            let isContinued = await disclosure(destination)
            store.disclosureShown(destination.flow, isContinued: isContinued)
            return isContinued ? nil : .cancelled
        }
        do {
            return try await store.showNotice(destination) == .cancelled ? .cancelled : nil
        } catch {
            return .failed(await failed("ExternalPurchaseCustomLink.showNotice", error))
        }
    }

    /// Tells the log that the app shows what ``availability`` lists (EK-63).
    ///
    /// - Parameter offers: what is shown; by default everything that is listed.
    public func offersShown(_ offers: [PurchaseAvailability.Offer]? = nil) {
        log(.offersShown((offers ?? availability?.offers ?? []).flatMap(\.ways)))
    }

    // MARK: Parts of the flows

    /// Why a flow must not begin; nil if it may.
    ///
    /// Gates that decide for each flow are asked once more, now that a customer tapped (EK-10).
    private func refusal(
        of flow: ProgrammeTerms.Flow,
        _ now: PurchaseAvailability,
        unless properties: [EligibilityProperty]
    ) async -> NotOffered? {
        if let reason = now.notOffered(flow, unless: properties) { return reason }
        let question = PurchaseGate.Question(flow: flow, storefront: now.storefront, beginsPurchase: true)
        guard let gate = await configuration.gates.firstClosed(question) else {
            if configuration.gates.contains(where: \.isForMinors) { store.parentalGatePassed() }
            return nil
        }
        log(.gateClosed(gate))
        return .gateClosed(gate)
    }

    /// Runs one flow at a time.
    private func exclusively<Result>(_ refusal: Result, _ flow: () async -> Result) async -> Result {
        guard !isPurchasing else { return refusal }
        isPurchasing = true
        defer { isPurchasing = false }
        return await flow()
    }

    /// Logs an error of StoreKit; what may be offered is read anew, since a failure often follows a change.
    private func failed(_ member: String, _ error: any Error) async -> StoreFailure {
        let failure = store.failure(error)
        log(.storeFailed(member: member, failure.kind))
        await readAvailability()
        return failure
    }
}

extension ExternalPurchaseDestination {
    fileprivate var way: KitEvent.Way { flow == .withinApp ? .customLinkWithinApp : .customLinkOutOfApp }
}

extension PurchaseAvailability.Offer {
    fileprivate var ways: [KitEvent.Way] {
        switch self {
        case .customLink(let flows): flows.map { $0 == .withinApp ? .customLinkWithinApp : .customLinkOutOfApp }
        case .links, .link: [.link]
        case .noticeSheet: [.noticeSheet]
        case .inAppPurchase: [.inAppPurchase]
        }
    }
}

extension PurchaseAvailability {
    /// Why a flow of an API must not begin; nil if it may.
    fileprivate func notOffered(_ flow: ProgrammeTerms.Flow, unless properties: [EligibilityProperty]) -> NotOffered? {
        if !canMakePayments { return .paymentsNotAllowed }
        if let gate = closedGates[flow] { return .gateClosed(gate) }
        if properties.contains(where: isAvailable) { return nil }
        return .notAvailable(reason: properties.first.flatMap { answers[$0]?.reason })
    }
}
