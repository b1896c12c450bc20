// region live
// Sources/BookShop/BookShop+live.swift
import ExternalPurchaseKit
import ExternalPurchaseKitHTTP
import Foundation

extension BookShop {
    /// The shop of the app; tests make one over the simulated StoreKit.
    static func live(
        account: Account,
        server: URL,
        website: URL,
        openURL: @escaping @MainActor @Sendable (URL) async -> Bool
    ) throws -> BookShop {
        let transport = try HTTPTokenTransport(server: server, publishableKey: "epk_publishable_0123456789")
        let outbox = TokenOutbox(folder: TokenOutbox.applicationSupport, transport: transport)
        return BookShop(
            store: SystemExternalPurchaseStore(),
            outbox: outbox,
            account: account,
            website: website,
            openURL: openURL
        )
    }
}
// endregion
