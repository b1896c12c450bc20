// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite

/// Every store that has to keep the contract of a ledger.
enum StoreUnderTest: String, CaseIterable, Sendable {
    case memory
    case sqlite

    func open() throws -> any LedgerStore {
        switch self {
        case .memory: MemoryLedgerStore()
        case .sqlite: try SQLiteLedgerStore(path: temporaryFolder().appendingPathComponent("ledger.sqlite").path)
        }
    }
}

extension LedgerStore {
    /// A transaction that may throw anything, as expectations in its closure need it.
    func step<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws -> Value
    ) async throws -> Value {
        try await write { ledger throws(LedgerError) in
            do {
                return try body(ledger)
            } catch let error as LedgerError {
                throw error
            } catch {
                throw .failed("\(error)")
            }
        }
    }
}

func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ledger-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

/// Rows of one story: a token of `com.example.shop`, a purchase on it, its refund, and a report of both.
enum Sample {
    static let shop: BundleId = "com.example.shop"
    static let scope = ReportingScope(bundleId: shop, environment: .sandbox)
    static let now = Timestamp(milliseconds: 1_795_176_000_000)

    static func token(
        _ id: ExternalPurchaseId = "SANDBOX_00000000-0000-4000-8000-00000000000a",
        of app: BundleId = shop,
        customer: CustomerId? = nil,
        made: Timestamp = now
    ) -> StoredToken {
        let token = ExternalPurchaseToken(
            appAppleId: 9_007_199_254_740_993,
            bundleId: app,
            tokenCreationDate: made,
            externalPurchaseId: id,
            tokenType: .services,
            tokenExpirationDate: now.advanced(byMilliseconds: Timestamp.day)
        )
        return StoredToken(
            token: token,
            text: token.encoded(),
            firstSeen: FirstSeen(source: .website, time: now),
            checkoutId: CheckoutId("checkout of \(id)"),
            customerId: customer,
            storefront: StorefrontCode("NLD"),
            flags: [.repeatedParameter]
        )
    }

    static func sale(
        _ id: SaleId,
        on token: ExternalPurchaseId? = "SANDBOX_00000000-0000-4000-8000-00000000000a",
        state: SaleState = .planned
    ) -> StoredSale {
        let purchase = Purchase(
            productId: "gems/100 ✨",
            quantity: 3,
            currency: "ISK",
            inclusive: 1490,
            tax: .rate(Decimal(string: "24.5")!),
            taxCountry: "ISL",
            exchangeRate: QuotedRate(rate: ExchangeRate("0.0069")!, source: "Bloomberg", asOf: now)
        )
        let sale = Sale(
            saleId: id,
            bundleId: shop,
            occurredAt: now,
            customerId: "customer",
            checkoutId: "checkout",
            externalPurchaseId: token,
            kind: .purchase(purchase)
        )
        return stored(sale, on: token, state: state)
    }

    static func refund(_ id: SaleId, of buy: SaleId) -> StoredSale {
        let refund = Refund(refundOf: buy, inclusive: 490, tax: 12, isChargeback: true)
        let sale = Sale(saleId: id, bundleId: shop, occurredAt: now, kind: .refund(refund))
        return stored(sale, on: "SANDBOX_00000000-0000-4000-8000-00000000000a", state: .planned)
    }

    private static func stored(_ sale: Sale, on token: ExternalPurchaseId?, state: SaleState) -> StoredSale {
        StoredSale(
            sale: sale,
            lineItemId: LineItemId(sale.saleId.rawValue),
            receivedAt: now,
            attribution: Attribution(state: state, externalPurchaseId: token, flags: [.withdrawnCurrency])
        )
    }

    static func report(_ digit: Int, state: ReportState = .written) -> StoredReport {
        StoredReport(
            scope: scope,
            requestIdentifier: RequestIdentifier("ABCDEF00-0000-4000-8000-00000000000\(digit)")!,
            externalPurchaseId: "SANDBOX_00000000-0000-4000-8000-00000000000a",
            status: .lineItem,
            body: [0x7B, 0x00, 0xFF, 0x7D],
            writtenAt: now,
            state: state
        )
    }

    static func item(_ id: LineItemId, refundOf buy: LineItemId? = nil, excluding: Int64 = 1_000) -> ReceivedLineItem {
        var item = ReceivedLineItem()
        item.lineItemId = id
        item.referenceLineItemId = buy
        item.eventType = buy == nil ? .buy : .refund
        item.amountTaxExclusive = excluding
        item.exchangeRate = ExchangeRate("0.00690", isString: true)
        return item
    }
}
