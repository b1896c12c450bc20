import AppStoreServerClient
import ExternalPurchaseCore
import Synchronization

/// A deliberate defect of the reporting system, which the simulation must detect.
package enum SeededDefect: String, Hashable, Sendable, CaseIterable {
    /// Resends a report with an unknown result without a preceding GET.
    case resendsWithoutAsking = "resends-without-asking"
    /// Acknowledges a sale without storing it.
    case losesASale = "loses-a-sale"
    /// Acknowledges a token without storing it.
    case losesAToken = "loses-a-token"
    /// Reports every sale a second time with another identifier and item.
    case reportsTwice = "reports-twice"
    /// Treats a refused report as accepted.
    case believesRefusals = "believes-refusals"
    /// Uses a new identifier for every attempt.
    case newIdentifier = "new-identifier"
    /// Converts yen as if the currency had two decimal places.
    case multipliesYen = "multiplies-yen"
    /// Adds one milli-unit to every amount.
    case roundsUp = "rounds-up"
    /// Never reduces the net of a sale.
    case forgetsReturns = "forgets-returns"
    /// Always reports the same tax country.
    case fixedCountry = "fixed-country"
    /// Reports dates one millisecond late.
    case movesDates = "moves-dates"
    /// Never reports refunds.
    case dropsReturns = "drops-returns"
    /// Acknowledges a notification without storing it.
    case forgetsNotifications = "forgets-notifications"
    /// Never queries the notification history.
    case neverAsksHistory = "never-asks-history"
    /// Reports known tokens as `UNRECOGNIZED_TOKEN`.
    case disowns = "disowns"
    /// Accepts corrections without reporting them.
    case dropsCorrections = "drops-corrections"
    /// Restates a sale with other values than requested.
    case restatesWrongly = "restates-wrongly"
    /// Never corrects accepted subscription figures after late events.
    case ignoresLateEvents = "ignores-late-events"
    /// Acknowledges a refund that precedes its purchase without storing it.
    case forgetsEarlyReturns = "forgets-early-returns"
    /// Acknowledges a refund for which its purchase has no room yet without storing it.
    case forgetsReturnsWithoutRoom = "forgets-returns-without-room"
    /// Omits the second line of every order from the report.
    case breaksOrdersUp = "breaks-orders-up"
    /// Exchanges the shares of the first two lines of an order's refund.
    case swapsShares = "swaps-shares"
    /// Uses a refund total as the amount of the last refund.
    case ignoresTotals = "ignores-totals"
    /// Imports charges without the shop's subscription ids.
    case importsWithoutNames = "imports-without-names"
    /// Makes Apple send every notification as `UNREPORTED`.
    case criesWolf = "cries-wolf"
    /// Delays the report of tokens that only Apple named for weeks.
    case waitsTooLong = "waits-too-long"
}

/// A report client with a defect.
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
