import AppStoreServerClient
import ExternalPurchaseCore
import Synchronization

/// A defect that is built into the merchant's side on purpose: a simulation that does not find it proves nothing.
package enum SeededDefect: String, Hashable, Sendable, CaseIterable {
    /// Sends a report of unknown fate again without a question.
    case resendsWithoutAsking = "resends-without-asking"
    /// Answers that a sale was taken, and forgets it.
    case losesASale = "loses-a-sale"
    /// Answers that a token was taken, and forgets it.
    case losesAToken = "loses-a-token"
    /// Reports every sale a second time under another identifier and item.
    case reportsTwice = "reports-twice"
    /// Takes a refused report for accepted.
    case believesRefusals = "believes-refusals"
    /// A new identifier at every attempt.
    case newIdentifier = "new-identifier"
    /// Converts yen as if they had two digits.
    case multipliesYen = "multiplies-yen"
    /// One milli-unit too much, consistently.
    case roundsUp = "rounds-up"
    /// The net of a sale never shrinks.
    case forgetsReturns = "forgets-returns"
    /// The tax country is always the same.
    case fixedCountry = "fixed-country"
    /// Dates that are a millisecond late.
    case movesDates = "moves-dates"
    /// Never tells Apple of refunds.
    case dropsReturns = "drops-returns"
    /// Answers that a notification was taken, and forgets it.
    case forgetsNotifications = "forgets-notifications"
    /// Never asks for notifications that got lost.
    case neverAsksHistory = "never-asks-history"
    /// Answers tokens of its own as if it did not know them.
    case disowns = "disowns"
    /// Takes corrections, and tells Apple nothing of them.
    case dropsCorrections = "drops-corrections"
    /// Corrects a sale to something else than was asked for.
    case restatesWrongly = "restates-wrongly"
    /// Leaves accepted figures of subscriptions as they are, whatever arrives late.
    case ignoresLateEvents = "ignores-late-events"
    /// Answers that a refund was taken whose purchase is not known yet, and forgets it.
    case forgetsEarlyReturns = "forgets-early-returns"
    /// Leaves the second line of every order out of the report.
    case breaksOrdersUp = "breaks-orders-up"
    /// Gives the shares of the first two lines of an order's refund to each other.
    case swapsShares = "swaps-shares"
    /// Takes a sum of refunds for the amount of the last one.
    case ignoresTotals = "ignores-totals"
    /// Imports charges without what the shop calls their subscription.
    case importsWithoutNames = "imports-without-names"
    /// Apple calls every token unreported that it tells of.
    case criesWolf = "cries-wolf"
    /// Lets tokens that only Apple named wait for weeks.
    case waitsTooLong = "waits-too-long"
}

/// The wire with a defect.
final class MutantClient: ReportEndpointClient {
    private let transport: any ReportEndpointClient
    private let seededDefect: SeededDefect
    private let numbers: Shared<SeededNumbers>

    init(_ transport: any ReportEndpointClient, _ seededDefect: SeededDefect, numbers: Shared<SeededNumbers>) {
        self.transport = transport
        self.seededDefect = seededDefect
        self.numbers = numbers
    }

    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        guard var report = try? ReceivedReport.read(body) else {
            return await transport.send(body, environment: environment)
        }
        switch seededDefect {
        case .reportsTwice:
            let answer = await transport.send(body, environment: environment)
            report.requestIdentifier = freshIdentifier()
            change(&report) { $0.lineItemId = $0.lineItemId.map { LineItemId("\($0)0") } }
            _ = await transport.send(report.json.encoded(), environment: environment)
            return answer
        case .believesRefusals:
            let answer = await transport.send(body, environment: environment)
            return answer.status == 500 ? AppStoreResponse(outcome: .accepted, status: 200, body: []) : answer
        case .newIdentifier:
            report.requestIdentifier = freshIdentifier()
        case .multipliesYen:
            change(&report) { item in
                guard item.pricingCurrency == "JPY" || item.pricingCurrency == "KRW" else { return }
                item.amountTaxInclusive = item.amountTaxInclusive.map { $0 / 100 }
                item.taxAmount = item.taxAmount.map { $0 / 100 }
                item.amountTaxExclusive = (item.amountTaxInclusive ?? 0) - (item.taxAmount ?? 0)
                item.netAmountTaxExclusive = item.amountTaxExclusive
            }
        case .roundsUp:
            change(&report) { item in
                guard item.eventType == .buy else { return }
                item.amountTaxInclusive = item.amountTaxInclusive.map { $0 + 1 }
                item.amountTaxExclusive = item.amountTaxExclusive.map { $0 + 1 }
                item.netAmountTaxExclusive = item.netAmountTaxExclusive.map { $0 + 1 }
            }
        case .forgetsReturns:
            report.lineItems = report.lineItems?.filter { $0.eventType == .buy }
            change(&report) { $0.netAmountTaxExclusive = $0.amountTaxExclusive }
            if report.lineItems?.isEmpty == true { return AppStoreResponse(outcome: .accepted, status: 200, body: []) }
        case .fixedCountry:
            change(&report) { $0.taxCountry = "NLD" }
        case .movesDates:
            change(&report) { $0.creationDate = $0.creationDate.map { $0 + 1 } }
        case .dropsReturns:
            report.lineItems = report.lineItems?.filter { $0.eventType == .buy }
            if report.lineItems?.isEmpty == true { return AppStoreResponse(outcome: .accepted, status: 200, body: []) }
        case .dropsCorrections:
            if report.lineItems?.contains(where: { $0.restatement == true }) == true {
                return AppStoreResponse(outcome: .accepted, status: 200, body: [])
            }
        case .restatesWrongly:
            change(&report) { item in
                if item.restatement == true { item.quantity = item.quantity.map { $0 + 1 } }
            }
        case .breaksOrdersUp:
            report.lineItems = report.lineItems?
                .filter { $0.eventType != .buy || $0.lineItemId?.rawValue.hasSuffix("/2") != true }
        case .swapsShares:
            report.lineItems = report.lineItems.map(Self.swappingShares)
        case .disowns:
            if report.status == .noLineItem { report.status = .unrecognizedToken }
        default:
            return await transport.send(body, environment: environment)
        }
        return await transport.send(report.json.encoded(), environment: environment)
    }

    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        if seededDefect == .resendsWithoutAsking { return AppStoreResponse(outcome: .notFound, status: 400, body: []) }
        return await transport.retrieve(requestIdentifier, environment: environment)
    }

    private static func swappingShares(_ items: [ReceivedLineItem]) -> [ReceivedLineItem] {
        var items = items
        func index(_ id: String) -> Int? {
            items.firstIndex { $0.lineItemId?.rawValue == id && $0.eventType == .refund && $0.restatement != true }
        }
        for id in items.compactMap({ $0.lineItemId?.rawValue }) where id.hasSuffix("/1") {
            guard let one = index(id), let other = index(id.dropLast() + "2") else { continue }
            let kept = items[one]
            items[one].amountTaxInclusive = items[other].amountTaxInclusive
            items[one].taxAmount = items[other].taxAmount
            items[one].amountTaxExclusive = items[other].amountTaxExclusive
            items[other].amountTaxInclusive = kept.amountTaxInclusive
            items[other].taxAmount = kept.taxAmount
            items[other].amountTaxExclusive = kept.amountTaxExclusive
        }
        return items
    }

    private func freshIdentifier() -> RequestIdentifier { RequestIdentifier(numbers.with { $0.uuid() }) }

    private func change(_ report: inout ReceivedReport, _ body: (inout ReceivedLineItem) -> Void) {
        report.lineItems = report.lineItems?.map { item in
            var item = item
            body(&item)
            return item
        }
    }
}
