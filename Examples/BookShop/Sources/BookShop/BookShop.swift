// region shop
// Sources/BookShop/BookShop.swift
import ExternalPurchaseKit
import Foundation

/// What the views of the shop show, and what a tap does.
@MainActor
final class BookShop {
    let model: ExternalPurchaseModel
    let website: URL

    init(
        store: any ExternalPurchaseStore,
        outbox: TokenOutbox,
        account: Account,
        website: URL,
        disclosure: (@MainActor @Sendable (ExternalPurchaseDestination) async -> Bool)? = nil,
        openURL: @escaping @MainActor @Sendable (URL) async -> Bool
    ) {
        var configuration = ExternalPurchaseModel.Configuration()
        configuration.gates = [account.ageGate]
        configuration.disclosure = disclosure
        // In Japan and Brazil the website's sale names the token of the purchase.
        configuration.destinationURL = { url, tokens in tokens.appendingId(to: url) }
        configuration.openURL = openURL
        model = ExternalPurchaseModel(store: store, outbox: outbox, configuration: configuration)
        self.website = website
    }
}
// endregion
