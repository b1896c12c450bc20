// An app's In-App Purchase code as apps write it, with StoreKit as its only import (SK-110).
import StoreKit

actor InAppPurchaseStore {
    enum Failure: Error { case unverified }

    private(set) var products: [Product] = []
    private(set) var owned: Set<String> = []
    private var listener: Task<Void, any Error>?

    func start() {
        listener = Task { [weak self] in
            for await result in Transaction.updates {
                let transaction = try Self.verified(result)
                await self?.own(transaction)
                await transaction.finish()
            }
        }
    }

    func stop() async -> Bool {
        listener?.cancel()
        return await listener?.result.isSuccess ?? false
    }

    func load(_ ids: [String]) async throws {
        products = try await Product.products(for: Set(ids)).sorted { $0.price < $1.price }
    }

    func buy(_ id: String, for account: UUID) async throws -> Transaction? {
        guard SKPaymentQueue.canMakePayments(), let product = products.first(where: { $0.id == id }) else { return nil }
        let result = try await product.purchase(options: [.appAccountToken(account), .quantity(1)])
        switch result {
        case .success(let verification):
            let transaction = try Self.verified(verification)
            own(transaction)
            await transaction.finish()
            return transaction
        case .userCancelled, .pending: return nil
        @unknown default: return nil
        }
    }

    func restore() async throws {
        try await AppStore.sync()
        for await result in Transaction.currentEntitlements {
            if case .verified(let transaction) = result, transaction.revocationDate == nil { own(transaction) }
        }
        for await result in Transaction.unfinished { await result.unsafePayloadValue.finish() }
        for await result in Transaction.all { own(try result.payloadValue) }
    }

    func labels() -> [String] {
        products.map { product in
            let kind: String =
                switch product.type {
                case .consumable: "once"
                case .nonConsumable: "for ever"
                case .autoRenewable: unit(product.subscription?.subscriptionPeriod)
                default: "other"
                }
            return "\(product.displayName): \(product.displayPrice) \(kind) \(product.description)"
        }
    }

    func isSubscribed(_ group: String) async -> Bool {
        let states = (try? await Product.SubscriptionInfo.status(for: group)) ?? []
        return states.contains { status in
            guard case .verified(let renewal) = status.renewalInfo else { return false }
            return status.state == .subscribed || status.state == .inGracePeriod && renewal.willAutoRenew
        }
    }

    private func unit(_ period: Product.SubscriptionPeriod?) -> String {
        guard let period else { return "" }
        switch period.unit {
        case .day: return "\(period.value) d"
        case .week: return "\(period.value) w"
        case .month: return "\(period.value) m"
        case .year: return "\(period.value) y"
        @unknown default: return "?"
        }
    }

    private func own(_ transaction: Transaction) {
        if transaction.productType != .consumable { owned.insert(transaction.productID) }
    }

    private static func verified<T>(_ result: VerificationResult<T>) throws -> T {
        switch result {
        case .unverified: throw Failure.unverified
        case .verified(let value): return value
        }
    }
}

/// As plug-ins write it: the names with their module.
func openAccountPages() async -> String {
    let canOpen = await StoreKit.ExternalLinkAccount.canOpen
    let canMakePayments = StoreKit.SKPaymentQueue.canMakePayments()
    guard canOpen, canMakePayments else { return "not offered" }
    do {
        try await StoreKit.ExternalLinkAccount.open()
        return "asked"
    } catch {
        return error.localizedDescription
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
