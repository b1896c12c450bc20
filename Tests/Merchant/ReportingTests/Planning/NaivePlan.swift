import ExternalPurchaseCore
import Foundation
import Ledger

@testable import Reporting

/// RR-60 to RR-67 once more, word by word, without indexes and without a line of the planner: slow, short, and the
/// oracle of the planner on small universes of unreported sales.
struct NaivePlan {
    enum Place: Hashable {
        case on(ExternalPurchaseId)
        case held
        case none
    }

    let universe: PlanningInput
    private(set) var places: [SaleId: Place] = [:]
    private(set) var answers: [ExternalPurchaseId: ReportStatus?] = [:]
    private var customerOfToken: [ExternalPurchaseId: CustomerId] = [:]
    private var customerOfCheckout: [CheckoutId: CustomerId] = [:]
    private var tokenOfCheckout: [CheckoutId: ExternalPurchaseId] = [:]
    private var namedTokens: Set<ExternalPurchaseId> = []

    init(_ universe: PlanningInput) {
        self.universe = universe
        let arrived = universe.sales.sorted { $0.sequence < $1.sequence }.map(\.sale)
        for token in universe.tokens { customerOfToken[token.id] = token.customerId }
        for sale in arrived where isBuy(sale) { link(sale) }
        for sale in arrived where isBuy(sale) { places[sale.saleId] = place(ofBuy: sale) }
        var given: [SaleId: Decimal] = [:]
        // Refunds count in the order of their moments.
        let refunds = universe.sales.sorted {
            ($0.sale.occurredAt.milliseconds, $0.sequence) < ($1.sale.occurredAt.milliseconds, $1.sequence)
        }
        for sale in refunds.map(\.sale) {
            guard case .refund(let refund) = sale.kind else { continue }
            places[sale.saleId] = place(of: refund, sale, given: &given)
        }
        for sale in arrived {
            // Nothing is reported here yet, so that a reversal has nothing to retract.
            if case .chargebackReversal(let id) = sale.kind {
                let isKnown = arrived.contains { $0.saleId == id && $0.refund?.isChargeback == true }
                places[sale.saleId] = isKnown ? Place.none : .held
            }
        }
        for token in universe.tokens { answers[token.id] = .some(answer(token)) }
    }

    private func isBuy(_ sale: Sale) -> Bool {
        switch sale.kind {
        case .purchase, .subscription: true
        default: false
        }
    }

    private func token(_ id: ExternalPurchaseId?) -> TokenRecord? { universe.tokens.first { $0.id == id } }

    private mutating func link(_ sale: Sale) {
        let carried = sale.checkoutId.flatMap { tokenOfCheckout[$0] }
        let named = token(sale.externalPurchaseId ?? carried)
        let customer =
            named.flatMap { customerOfToken[$0.id] } ?? sale.checkoutId.flatMap { customerOfCheckout[$0] }
            ?? sale.customerId
        if let named {
            namedTokens.insert(named.id)
            if customerOfToken[named.id] == nil { customerOfToken[named.id] = customer }
        }
        if let checkout = sale.checkoutId {
            if tokenOfCheckout[checkout] == nil { tokenOfCheckout[checkout] = named?.id }
            if customerOfCheckout[checkout] == nil { customerOfCheckout[checkout] = customer }
        }
    }

    private func named(by sale: Sale) -> ExternalPurchaseId? {
        sale.externalPurchaseId ?? sale.checkoutId.flatMap { tokenOfCheckout[$0] }
    }

    private func customer(of sale: Sale) -> CustomerId? {
        named(by: sale).flatMap { customerOfToken[$0] } ?? sale.checkoutId.flatMap { customerOfCheckout[$0] }
            ?? sale.customerId
    }

    /// Tokens of one owner: a customer's, or the single one that a sale without customer names.
    private func tokens(for sale: Sale) -> [TokenRecord] {
        if let customer = customer(of: sale) { return universe.tokens.filter { customerOfToken[$0.id] == customer } }
        return universe.tokens.filter { $0.id == named(by: sale) }
    }

    /// The one token of a period that takes its sales.
    private func chosen(_ period: [TokenRecord]) -> TokenRecord? {
        let groups = [
            period.filter { $0.wasChosen }, period.filter { $0.reported.contains(.lineItem) },
            period.filter { $0.reported.contains(.noLineItem) },
            period.filter { !$0.reported.contains(.duplicateToken) }, period,
        ]
        return groups.first { !$0.isEmpty }?.sorted {
            ($0.receivedAt.milliseconds, $0.id.rawValue) < ($1.receivedAt.milliseconds, $1.id.rawValue)
        }.first
    }

    private func samePeriod(_ left: TokenRecord, _ right: TokenRecord) -> Bool {
        left.token.tokenType == right.token.tokenType
            && left.token.tokenCreationDate == right.token.tokenCreationDate
            && left.token.tokenExpirationDate == right.token.tokenExpirationDate
            && left.token.environment == right.token.environment
    }

    private func choose(_ owned: [TokenRecord], _ environment: AppStoreEnvironment, at moment: Timestamp)
        -> TokenRecord?
    {
        for type in [TokenType.services, .acquisition] {
            let active = owned.filter { record in
                let token = record.token
                return token.tokenType == type && token.environment == environment && record.state != .unknownToApple
                    && token.tokenCreationDate <= moment && token.tokenExpirationDate.map { moment <= $0 } == true
            }
            let delivered = active.filter { record in
                active.contains {
                    samePeriod($0, record) && ($0.source != .website || $0.state == .confirmed)
                }
            }
            let candidates = delivered.isEmpty ? active : delivered
            let newest = candidates.max {
                ($0.token.tokenCreationDate.milliseconds, $0.token.tokenExpirationDate?.milliseconds ?? 0)
                    < ($1.token.tokenCreationDate.milliseconds, $1.token.tokenExpirationDate?.milliseconds ?? 0)
            }
            if let newest { return chosen(candidates.filter { samePeriod($0, newest) }) }
        }
        return nil
    }

    private func isSound(_ sale: Sale) -> Bool {
        guard let purchase = sale.purchase else { return true }
        return purchase.tax != nil && purchase.taxCountry != nil
    }

    private func place(ofBuy sale: Sale) -> Place {
        let found = whereBelongs(sale)
        return isSound(sale) ? found.map(Place.on) ?? .held : .held
    }

    /// The token of a buy, nil where it waits; what its money lacks is not looked at.
    private func whereBelongs(_ sale: Sale) -> ExternalPurchaseId? {
        var isEvent = false
        var start: Sale?
        if case .subscription(let charge) = sale.kind {
            let charges = universe.sales.map(\.sale).filter { $0.subscriptionId == charge.subscriptionId }
            start = charges.min { ($0.occurredAt, $0.saleId.rawValue) < ($1.occurredAt, $1.saleId.rawValue) }
            isEvent = start?.saleId != sale.saleId
        }
        if isEvent, let start, place(ofBuy: start) == .held { return nil }
        if let id = named(by: sale) {
            guard let named = token(id) else { return nil }
            if isEvent, let start, let startId = whereBelongs(start), startId.environment != id.environment {
                let isCustomLink = named.token.tokenType == .services || named.token.tokenType == .acquisition
                if !isCustomLink { return nil }
            }
            switch named.token.tokenType {
            case .services?, .acquisition?: break
            case nil, .inApp?, .linkOut?, .coreTechnology?: return named.state == .unknownToApple ? nil : id
            default: return nil
            }
        }
        if isEvent, let start, let startId = whereBelongs(start), let startToken = token(startId) {
            if startToken.token.tokenExpirationDate.map({ sale.occurredAt <= $0 }) ?? true { return startId }
            // What a charge does not name is that of the newest earlier charge which names anything (RR-64).
            let known = universe.sales.map(\.sale)
                .filter {
                    $0.subscriptionCharge != nil && $0.subscriptionId == sale.subscriptionId
                        && ($0.occurredAt, $0.saleId) <= (sale.occurredAt, sale.saleId)
                        && (customer(of: $0) != nil || named(by: $0) != nil)
                }
                .max { ($0.occurredAt, $0.saleId) < ($1.occurredAt, $1.saleId) }
            let owned = tokens(for: known ?? start)
            let list = owned.isEmpty ? universe.tokens.filter { $0.id == startId } : owned
            return choose(list, startToken.token.environment, at: sale.occurredAt)?.id
        }
        let worlds = token(named(by: sale)).map { [$0.token.environment] } ?? [.production, .sandbox]
        for world in worlds {
            if let token = choose(tokens(for: sale), world, at: sale.occurredAt) { return token.id }
        }
        return nil
    }

    private func place(of refund: Refund, _ sale: Sale, given: inout [SaleId: Decimal]) -> Place {
        let isUndone = universe.sales.contains {
            if case .chargebackReversal(let id) = $0.sale.kind { id == sale.saleId } else { false }
        }
        if isUndone { return .none }
        guard let buy = universe.sales.first(where: { $0.sale.saleId == refund.refundOf })?.sale,
            let purchase = buy.purchase, sale.occurredAt >= buy.occurredAt
        else { return .held }
        let total = (given[buy.saleId] ?? 0) + refund.inclusive
        if total > purchase.inclusive { return .held }
        given[buy.saleId] = total
        return places[buy.saleId] ?? .held
    }

    private func answer(_ token: TokenRecord) -> ReportStatus? {
        if token.state == .unknownToApple { return nil }
        if places.values.contains(.on(token.id)) { return .lineItem }
        for status in [ReportStatus.lineItem, .noLineItem, .duplicateToken] where token.reported.contains(status) {
            return nil
        }
        let customer = customerOfToken[token.id]
        if token.source == .notification, customer == nil, !namedTokens.contains(token.id) {
            return token.reported.contains(.unrecognizedToken) ? nil : .unrecognizedToken
        }
        if token.token.tokenType == .services || token.token.tokenType == .acquisition, let customer {
            let period = universe.tokens.filter {
                samePeriod($0, token) && customerOfToken[$0.id] == customer && $0.state != .unknownToApple
            }
            if chosen(period)?.id != token.id { return .duplicateToken }
        }
        return .noLineItem
    }
}
