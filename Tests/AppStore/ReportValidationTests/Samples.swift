import ExternalPurchaseCore
import ReportValidation
import Testing

/// The samples of spec/05 section 2.
enum Sample {
    static let now = Timestamp(milliseconds: 1_795_176_000_000)
    static let D: Int64 = 1_794_477_600_000
    static let N = now.milliseconds
    static let minute: Int64 = 60_000
    static let d = Timestamp.millisecondsPerDay

    static let plain = ExternalPurchaseId("11111111-0000-4000-8000-000000000001")
    static let services = ExternalPurchaseId("11111111-0000-4000-8000-000000000002")
    static let tokens: [ExternalPurchaseId: KnownToken] = [
        plain: KnownToken(creationDate: date("2026-10-01T00:00:00Z"), tokenType: nil, expirationDate: nil),
        services: KnownToken(
            creationDate: date("2025-11-15T00:00:00Z"),
            tokenType: .services,
            expirationDate: date("2026-11-15T00:00:00Z")
        ),
    ]

    static func date(_ text: String) -> Timestamp {
        guard let date = Timestamp(rfc3339: text) else { preconditionFailure("\(text) is no date") }
        return date
    }

    static let O = item("o", .buy, D, 10_000, 2_000, net: 10_000) { $0.oneTime() }
    static let S = item("s", .buy, D - 30 * d, 5_000, 1_000, net: 5_000) { $0.subscription(.start, days: 0) }
    static let W = item("w", .buy, D, 5_000, 1_000, net: 5_000) {
        $0.subscription(.renewal, days: 30)
        $0.ref = "s"
    }
    static let R = item("r", .refund, D + d, 3_000, 600, net: 7_000) { $0.ref = "o" }
    static let F = item("f", .buy, D, 8_294, 1_987, net: 8_294) {
        $0.oneTime()
        $0.iceland()
    }
    static let G = item("g", .refund, D + d, 1_000, 240, net: 7_294) {
        $0.ref = "f"
        $0.iceland()
    }

    private static func item(
        _ id: LineItemId,
        _ type: EventType,
        _ date: Int64,
        _ excl: Int64,
        _ tax: Int64,
        net: Int64,
        _ change: (inout ReceivedLineItem) -> Void
    ) -> ReceivedLineItem {
        var item = ReceivedLineItem()
        item.lineItemId = id
        item.eventType = type
        item.creationDate = date
        item.money(excl: excl, tax: tax, net: net)
        item.pricingCurrency = "EUR"
        item.reportingCurrency = "EUR"
        item.taxCountry = "AUT"
        change(&item)
        return item
    }
}

extension ReceivedLineItem {
    var ref: LineItemId? {
        get { referenceLineItemId }
        set { referenceLineItemId = newValue }
    }

    mutating func oneTime() {
        productType = .oneTimeBuy
        productIdentifier = "coins"
        quantity = 1
    }

    mutating func subscription(_ event: SubscriptionEvent, days: Int32) {
        productType = .subscription
        productIdentifier = "club"
        quantity = 1
        subscriptionEvent = event
        subscriptionStartDate = creationDate
        subscriptionEndDate = (creationDate ?? 0) + 30 * Timestamp.millisecondsPerDay
        subscriptionDaysOfPaidService = days
    }

    mutating func iceland() {
        pricingCurrency = "ISK"
        exchangeRate = ExchangeRate("0.0069")
        taxCountry = "ISL"
    }

    mutating func money(excl: Int64? = nil, tax: Int64? = nil, net: Int64? = nil) {
        amountTaxExclusive = excl ?? amountTaxExclusive
        taxAmount = tax ?? taxAmount
        amountTaxInclusive = (amountTaxExclusive ?? 0) &+ (taxAmount ?? 0)
        netAmountTaxExclusive = net ?? netAmountTaxExclusive
    }

    /// A copy of the item with members replaced, added or removed.
    func with(_ change: (inout ReceivedLineItem) -> Void) -> ReceivedLineItem {
        var item = self
        change(&item)
        return item
    }

    func net(_ value: Int64) -> ReceivedLineItem { with { $0.netAmountTaxExclusive = value } }

    func dated(_ date: Int64) -> ReceivedLineItem { with { $0.creationDate = date } }

    var restated: ReceivedLineItem { with { $0.restatement = true } }

    var retracted: ReceivedLineItem {
        with {
            $0.restatement = true
            $0.erroneouslySubmitted = true
        }
    }
}

extension ReceivedReport {
    /// A `LINE_ITEM` report.
    static func items(_ items: ReceivedLineItem..., on token: ExternalPurchaseId = Sample.plain) -> ReceivedReport {
        list(items, on: token)
    }

    static func list(_ items: [ReceivedLineItem], on token: ExternalPurchaseId = Sample.plain) -> ReceivedReport {
        var report = status(.lineItem, on: token)
        report.lineItems = items
        return report
    }

    static func status(_ status: ReportStatus, on token: ExternalPurchaseId = Sample.plain) -> ReceivedReport {
        var report = ReceivedReport()
        report.externalPurchaseId = token
        report.status = status
        return report
    }

    func with(_ change: (inout ReceivedReport) -> Void) -> ReceivedReport {
        var report = self
        change(&report)
        return report
    }
}

/// A minimal endpoint: it reads bytes, validates reports, and stores accepted ones.
struct Endpoint {
    var history = AcceptedHistory()
    var settings = RuleSettings()
    var tokens = Sample.tokens
    private var count = 0

    init(settings: RuleSettings = .init()) { self.settings = settings }

    /// The default identifier of the n-th report.
    static func identifier(_ number: Int) -> RequestIdentifier {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        guard let identifier = RequestIdentifier(text) else { preconditionFailure("\(text) is no UUID") }
        return identifier
    }

    mutating func number(_ report: ReceivedReport) -> ReceivedReport {
        count += 1
        return report.with { $0.requestIdentifier = $0.requestIdentifier ?? Self.identifier(count) }
    }

    func validate(_ report: ReceivedReport, now: Timestamp = Sample.now) throws -> [ReportError] {
        let report = try ReceivedReport.read(report.json.encoded())
        let slice = history.slice(
            for: HistoryNeeds(of: report),
            token: report.externalPurchaseId.flatMap { tokens[$0] }
        )
        return ReportValidator(settings: settings).validate(report, history: slice, now: now)
    }

    /// Validates a report and accepts it if it has no errors.
    mutating func put(_ report: ReceivedReport, now: Timestamp = Sample.now) throws -> [ReportError] {
        let report = number(report)
        let errors = try validate(report, now: now)
        if errors.isEmpty { history.accept(report) }
        return errors
    }
}

/// `E4 taxCountry o`: the part of an error that expectations compare.
func brief(_ errors: [ReportError]) -> [String] {
    errors.map { error in
        [error.errorCode.description, error.fieldName, error.lineItemId?.rawValue].compactMap { $0 }.joined(
            separator: " "
        )
    }
}
