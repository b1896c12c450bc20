// The public surface of SK-1, with every member once as used in app code. This file compiles only if the surface is
// right.
import Foundation
import StoreKit

private func requireSendable(_ type: (some Sendable).Type) {}
private func requireHashable(_ type: (some Hashable & Sendable).Type) {}

enum Surface {
    // MARK: Conformances

    static func conformances() {
        requireSendable(Storefront.self)
        requireSendable(Storefront.Storefronts.self)
        requireSendable(StoreKitError.self)
        requireSendable(ExternalPurchase.self)
        requireSendable(ExternalPurchaseLink.self)
        requireSendable(ExternalPurchaseCustomLink.self)
        requireHashable(ExternalPurchase.NoticeResult.self)
        requireHashable(ExternalPurchaseCustomLink.Token.self)
        requireHashable(ExternalPurchaseCustomLink.NoticeResult.self)
        requireHashable(ExternalPurchaseCustomLink.NoticeType.self)
        requireHashable(ExternalPurchaseCustomLink.TokenType.self)
        requireHashable(ExternalPurchaseCustomLink.ExternalPurchaseType.self)
        let _: any Identifiable.Type = Storefront.self
        let _: any AsyncSequence.Type = Storefront.Storefronts.self
        let _: any AsyncIteratorProtocol.Type = Storefront.Storefronts.AsyncIterator.self
        let _: any LocalizedError.Type = StoreKitError.self
        let _: any RawRepresentable.Type = ExternalPurchaseCustomLink.NoticeType.self
        let _: any RawRepresentable.Type = ExternalPurchaseCustomLink.TokenType.self
        let _: Storefront.ID.Type = String.self
        let _: Storefront.Type = Storefront.Storefronts.Element.self
    }

    // MARK: Signatures

    /// The overloads with their labels, arguments and results, including `async throws`.
    static let presentNoticeSheet: @Sendable () async throws -> ExternalPurchase.NoticeResult =
        ExternalPurchase.presentNoticeSheet
    static let open: @Sendable () async throws -> Void = ExternalPurchaseLink.open
    static let openURL: @Sendable (URL) async throws -> Void = ExternalPurchaseLink.open(url:)
    static let tokenOfString: @Sendable (String) async throws -> ExternalPurchaseCustomLink.Token? =
        ExternalPurchaseCustomLink.token(for:)
    static let tokenOfType:
        @Sendable (ExternalPurchaseCustomLink.TokenType) async throws -> ExternalPurchaseCustomLink.Token? =
            ExternalPurchaseCustomLink.token(for:)
    static let showNoticeOfType:
        @Sendable (ExternalPurchaseCustomLink.NoticeType) async throws -> ExternalPurchaseCustomLink.NoticeResult =
            ExternalPurchaseCustomLink.showNotice(type:)
    static let showNotice:
        @Sendable (ExternalPurchaseCustomLink.ExternalPurchaseType) async throws ->
            ExternalPurchaseCustomLink.NoticeResult =
            ExternalPurchaseCustomLink.showNotice(for:)

    // MARK: Properties

    static func properties() async -> [String] {
        let canMakePayments: Bool = AppStore.canMakePayments
        let canPresent: Bool = await ExternalPurchase.canPresent
        let canOpen: Bool = await ExternalPurchaseLink.canOpen
        let eligibleURLs: [URL]? = await ExternalPurchaseLink.eligibleURLs
        let isEligible: Bool = await ExternalPurchaseCustomLink.isEligible
        return [
            "\(canMakePayments)", "\(canPresent)", "\(canOpen)", "\(eligibleURLs?.count ?? 0)", "\(isEligible)",
        ]
    }

    static func storefront() async -> String? {
        guard let storefront: Storefront = await Storefront.current else { return nil }
        let code: String = storefront.countryCode
        let id: Storefront.ID = storefront.id
        let currency: Locale.Currency? = storefront.currency
        return "\(code) \(id.isEmpty) \(currency?.identifier ?? "")"
    }

    static func nextStorefront(_ change: () -> Void) async -> String? {
        let updates: Storefront.Storefronts = Storefront.updates
        var iterator: Storefront.Storefronts.AsyncIterator = updates.makeAsyncIterator()
        change()
        let next: Storefront? = await iterator.next()
        return next?.countryCode
    }

    // MARK: Methods, with the switches that apps write

    static func notice() async -> String {
        do {
            let result = try await ExternalPurchase.presentNoticeSheet()
            switch result {
            case .continuedWithExternalPurchaseToken(token: let token): return "continued \(token.isEmpty)"
            case .cancelled: return "cancelled"
            @unknown default: return "newer"
            }
        } catch { return texts(of: error) }
    }

    static func links() async -> String {
        do {
            try await ExternalPurchaseLink.open()
            if let url = await ExternalPurchaseLink.eligibleURLs?.first {
                try await ExternalPurchaseLink.open(url: url)
            }
            return "asked"
        } catch { return texts(of: error) }
    }

    static func customLinks() async -> [String] {
        var results: [String] = []
        do {
            let token: ExternalPurchaseCustomLink.Token? = try await ExternalPurchaseCustomLink.token(for: "SERVICES")
            let value: String? = token?.value
            results.append("token \(value?.isEmpty ?? true)")
            results.append(name(try await ExternalPurchaseCustomLink.showNotice(type: .browser)))
            results.append(name(try await ExternalPurchaseCustomLink.showNotice(type: .withinApp)))
            if #available(iOS 27.2, *) {
                let acquisition = ExternalPurchaseCustomLink.TokenType(rawValue: "ACQUISITION")
                let typed = try await ExternalPurchaseCustomLink.token(for: acquisition)
                results.append("typed \(typed?.value.isEmpty ?? true)")
                let none = try await ExternalPurchaseCustomLink.token(for: .outOfApp)
                results.append("none \(none == nil)")
                let destination = URL(string: "https://shop.acme.example")
                results.append(
                    name(try await ExternalPurchaseCustomLink.showNotice(for: .outOfApp(destinationURL: destination)))
                )
                results.append(name(try await ExternalPurchaseCustomLink.showNotice(for: .withinApp)))
            }
        } catch { results.append(texts(of: error)) }
        return results
    }

    static func name(_ result: ExternalPurchaseCustomLink.NoticeResult) -> String {
        switch result {
        case .cancelled: "cancelled"
        case .continued: "continued"
        @unknown default: "newer"
        }
    }

    static func name(_ type: ExternalPurchaseCustomLink.NoticeType) -> String {
        switch type {
        case .withinApp: "within \(type.rawValue)"
        case .browser: "browser \(type.rawValue)"
        @unknown default: "newer"
        }
    }

    static func name(_ type: ExternalPurchaseCustomLink.ExternalPurchaseType) -> String {
        switch type {
        case .outOfApp(destinationURL: let url): "out \(url?.absoluteString ?? "nowhere")"
        case .withinApp: "within"
        @unknown default: "newer"
        }
    }

    static func texts(of error: any Error) -> String {
        guard let error = error as? StoreKitError else { return "other" }
        let texts = [error.errorDescription, error.failureReason, error.recoverySuggestion]
        let name: String =
            switch error {
            case .unknown: "unknown"
            case .userCancelled: "userCancelled"
            case .networkError(let underlying): "network \(underlying.code.rawValue)"
            case .systemError: "system"
            case .notAvailableInStorefront: "notAvailableInStorefront"
            case .notEntitled: "notEntitled"
            case .unsupported: "unsupported"
            case .invalidPresentationContext: "invalidPresentationContext"
            @unknown default: "newer"
            }
        return "\(name) \(texts.compactMap(\.self).count)"
    }
}
