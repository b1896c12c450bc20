import ExternalPurchaseCore
import Testing

@testable import ReportValidation
@testable import Reporting

/// An app whose reports go through the rules of the endpoint, one after another, as they would be sent.
struct Shop {
    static let now = Timestamp(milliseconds: 1_795_176_000_000)
    static let bought = Timestamp(milliseconds: 1_794_477_600_000)
    static let day = Timestamp.millisecondsPerDay

    /// Without expiration.
    static let plain: ExternalPurchaseId = "4d3f0000-0000-4000-8000-00000000000a"
    static let otherPlain: ExternalPurchaseId = "4d3f0000-0000-4000-8000-00000000000c"
    /// From 2025-11-15 to 2026-11-15.
    static let services: ExternalPurchaseId = "4d3f0000-0000-4000-8000-00000000000b"

    var tokens: [ExternalPurchaseId: KnownToken] = [
        plain: KnownToken(creationDate: date("2026-10-01T00:00:00Z"), tokenType: nil, expirationDate: nil),
        otherPlain: KnownToken(creationDate: date("2026-10-01T00:00:00Z"), tokenType: nil, expirationDate: nil),
        services: KnownToken(
            creationDate: date("2025-11-15T00:00:00Z"),
            tokenType: .services,
            expirationDate: date("2026-11-15T00:00:00Z")
        ),
    ]
    private(set) var accepted = AcceptedHistory()
    var settings = RuleSettings()
    var limits = ReportLimits()
    private var reports = 0

    static func date(_ text: String) -> Timestamp {
        guard let date = Timestamp(rfc3339: text) else { preconditionFailure("\(text) is no date") }
        return date
    }

    /// Sends a report; an accepted one enters the history.
    @discardableResult
    mutating func send(_ report: Report, now: Timestamp = Shop.now) throws -> [ReportError] {
        let received = try ReceivedReport.read(report.body, limits: limits)
        let token = tokens[report.externalPurchaseId]
        let slice = accepted.slice(for: HistoryNeeds(of: received), token: token)
        let errors = ReportValidator(settings: settings).validate(received, history: slice, now: now)
        if errors.isEmpty { accepted.accept(received) }
        return errors
    }

    @discardableResult
    mutating func send(
        _ items: [LineItem],
        on token: ExternalPurchaseId = Shop.plain,
        now: Timestamp = Shop.now
    ) throws -> [ReportError] {
        let content = Report.Content.lineItems(items)
        return try send(
            Report(requestIdentifier: identifier(), externalPurchaseId: token, content: content),
            now: now
        )
    }

    /// Sends the reports of a plan in their order, and says what the endpoint answered to each.
    @discardableResult
    mutating func send(_ plan: CorrectionPlan, now: Timestamp = Shop.now) throws -> [[ReportError]] {
        try plan.reports.map { try send($0.report(identifier()), now: now) }
    }

    mutating func identifier() -> RequestIdentifier {
        reports += 1
        let digits = String(reports)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        guard let identifier = RequestIdentifier(text) else { preconditionFailure("\(text) is no UUID") }
        return identifier
    }

    var history: CorrectionHistory { CorrectionHistory(items: accepted.newest, tokens: tokens) }

    func plan(_ requests: CorrectionRequest..., now: Timestamp = Shop.now) -> CorrectionPlan {
        plan(requests, now: now)
    }

    func plan(_ requests: [CorrectionRequest], now: Timestamp = Shop.now) -> CorrectionPlan {
        CorrectionPlanner(settings: settings, limits: limits).plan(requests, history: history, now: now)
    }

    subscript(id: LineItemId) -> ReceivedLineItem? { accepted.newest[id]?.item }
}

/// Line items of a shop; the net is that of a buy without refunds unless it says otherwise.
func buy(
    _ id: LineItemId,
    _ exclusive: Int64,
    tax: Int64 = 0,
    net: Int64? = nil,
    at date: Timestamp = Shop.bought
) -> LineItem {
    LineItem(
        lineItemId: id,
        creationDate: date,
        amounts: euros(exclusive, tax: tax, net: net ?? exclusive),
        taxCountry: "AUT",
        kind: .oneTimeBuy(LineItem.OneTimeBuy(productIdentifier: "coins", quantity: 1))
    )
}

func refund(
    _ id: LineItemId,
    of buy: LineItemId,
    _ exclusive: Int64,
    tax: Int64 = 0,
    net: Int64,
    at date: Timestamp = Shop.bought + .days(1)
) -> LineItem {
    LineItem(
        lineItemId: id,
        creationDate: date,
        amounts: euros(exclusive, tax: tax, net: net),
        taxCountry: "AUT",
        kind: .refund(of: buy)
    )
}

func event(
    _ id: LineItemId,
    _ exclusive: Int64,
    _ event: SubscriptionEvent = .start,
    of start: LineItemId? = nil,
    days: Int32 = 0,
    at date: Timestamp = Shop.bought
) -> LineItem {
    LineItem(
        lineItemId: id,
        creationDate: date,
        amounts: euros(exclusive, tax: 0, net: exclusive),
        taxCountry: "AUT",
        kind: .subscription(
            LineItem.Subscription(
                productIdentifier: "club",
                quantity: 1,
                event: event,
                start: start,
                periodStart: date,
                periodEnd: date + .days(30),
                daysOfPaidService: days
            )
        )
    )
}

func euros(_ exclusive: Int64, tax: Int64, net: Int64) -> LineItemAmounts {
    LineItemAmounts(
        taxExclusive: MilliUnits(exclusive),
        tax: MilliUnits(tax),
        netTaxExclusive: MilliUnits(net),
        pricingCurrency: "EUR",
        reportingCurrency: "EUR"
    )
}

extension CorrectionPlan {
    /// Token, then each item with what is done to it and its net: `…0a: retract o 0, retract a 0`.
    var outline: [String] {
        steps.map { step in
            "\(step.externalPurchaseId.rawValue.suffix(2)): "
                + step.items.map { "\($0.action.rawValue) \($0.item.lineItemId) \($0.item.amounts.netTaxExclusive)" }
                .joined(separator: ", ")
        }
    }

    var refusalCodes: [String] {
        refusals.map { "\($0.code.rawValue) \($0.lineItemId?.rawValue ?? "")" + ($0.rule.map { " \($0)" } ?? "") }
    }

    var warningCodes: [String] { warnings.map { "\($0.code.rawValue) \($0.lineItemId?.rawValue ?? "")" } }
}
