import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// Parts that several lists of the dashboard share.
struct ListPage {
    let list: MerchantList
    let request: Request
    let filter: ListFilter
    let page: LedgerPage
    /// The parameters of the filter as they were given, without empty ones.
    let given: [(name: String, value: String)]
    private let apps: [BundleId]

    /// The number of rows of a page.
    static let limit = 50

    /// Reads filter and position; a form leaves the fields empty that its user does not fill in.
    ///
    /// - Throws: ``Problem`` 422 with the names of invalid parameters.
    init(_ list: MerchantList, of request: Request, in system: ReportingSystem) throws {
        self.list = list
        self.request = request
        apps = system.apps.keys.sorted()
        let names = Set(list.parameterNames)
        let query = try request.formQuery().map { (name: $0.name, value: $0.value.trimmed) }
        given = query.filter { names.contains($0.name) && !$0.value.isEmpty }
        let isTime = { (name: String) in name == "from" || name == "until" }
        let texts = given.map { pair in
            (
                name: pair.name,
                value: isTime(pair.name) && pair.value.utf8.count == 10 ? pair.value + "T00:00:00Z" : pair.value
            )
        }
        let (filter, faults) = list.filter(texts, apps: apps, programmes: system.settings.programmes.ids)
        if !faults.isEmpty { throw Problem.invalid(faults.map { FieldError("?\($0.name)", $0.message) }) }
        self.filter = filter
        let after = query.first { $0.name == "after" }.flatMap { Int64($0.value) } ?? 0
        page = LedgerPage(after: max(0, after), limit: Self.limit, isNewestFirst: true)
    }

    /// The fields of the filter; a list of one app has none for the app.
    var fields: [FormField] {
        var fields: [FormField] = []
        for parameter in list.parameters {
            let name = parameter.name.rawValue
            if name == "bundleId", apps.count == 1 { continue }
            let known = name == "bundleId" ? apps.map(\.rawValue) : parameter.known
            fields.append(
                FormField(
                    name: name,
                    label: Self.labels[name] ?? Shown.words(name),
                    kind: known.map { known in
                        .choice([("", "Any")] + known.map { ($0, label(of: $0, in: name)) })
                    } ?? .text(placeholder: ""),
                    value: value(of: name)
                )
            )
        }
        for (name, label) in [("from", "From"), ("until", "Until")] {
            let kind = FormField.Kind.text(placeholder: "2026-11-20")
            fields.append(FormField(name: name, label: label, kind: kind, value: value(of: name)))
        }
        return fields
    }

    /// The words of a value; names of apps and of Apple's constants stay as they are.
    private func label(of value: String, in parameter: String) -> String {
        switch (list, parameter) {
        case (.sales, "flag"): return SaleFlag(rawValue: value).label.capitalizedFirst
        case (.review, "kind"): return ReviewWords.of(ReviewKind(rawValue: value)).title
        default: break
        }
        return value.contains(".") || !value.contains(where: \.isLowercase) ? value : Shown.words(value)
    }

    private func value(of name: String) -> String { given.first { $0.name == name }?.value ?? "" }

    private static let labels = [
        "bundleId": "App", "environment": "Environment", "state": "State", "standing": "Standing", "kind": "Type",
        "subtype": "Subtype", "externalPurchaseId": "Token", "saleId": "Sale", "customerId": "Customer",
        "checkoutId": "Checkout", "productId": "Product", "flag": "Flag", "programme": "Programme", "month": "Month",
    ]

    /// Returns the list with a table of the rows; `last` is the place of the last row.
    func html(_ title: String, lead: String, link: PageLink? = nil, _ table: TableView, last: Int64?) -> String {
        let path = "/\(list.rawValue)"
        return ListView(
            title: title,
            lead: lead,
            action: path,
            filter: fields,
            isFiltered: !given.isEmpty,
            link: link,
            content: CardView.html(title, table.html),
            first: page.after > 0 ? PagePath.query(path, given.map { ($0.name, $0.value) }) : nil,
            next: table.rows.count == Self.limit
                ? last.map { last in
                    PageLink(
                        "Older",
                        PagePath.query(path, given.map { ($0.name, $0.value) } + [("after", String(last))])
                    )
                } : nil
        ).html
    }
}

extension SaleStanding {
    var chip: Chip {
        switch self {
        case .planned: Chip("planned", .info)
        case .held: Chip("held", .wait)
        case .inReport: Chip("in a report", .info)
        case .reported: Chip("reported", .good)
        case .handedOver: Chip("submitted by hand", .good)
        case .recorded: Chip("recorded")
        case .retracted: Chip("retracted")
        case .void: Chip("void")
        }
    }
}

extension ReportState {
    var chip: Chip {
        switch self {
        case .written: Chip("written", .info)
        case .sending: Chip("sending", .info)
        case .unknown: Chip("no answer yet", .wait)
        case .accepted: Chip("accepted", .good)
        case .needsAttention: Chip("needs review", .bad)
        case .withdrawn: Chip("withdrawn")
        }
    }
}

extension TokenState {
    var chip: Chip {
        switch self {
        case .unconfirmed: Chip("unconfirmed")
        case .confirmed: Chip("confirmed", .good)
        case .unknownToApple: Chip("unknown to Apple", .bad)
        }
    }
}

extension Sale {
    /// The money of the sale as the caller stated it.
    var amountText: String? {
        switch kind {
        case .purchase(let purchase): purchase.amountText
        case .subscription(let charge): charge.purchase.amountText
        case .refund(let refund):
            // The currency of a refund whose purchase is not known may be missing.
            "−\(Shown.amount(refund.refundedTotal ?? refund.inclusive, refund.currency ?? ""))"
                + (refund.currency.map { " \($0)" } ?? "")
        case .order(let lines):
            Set(lines.map(\.currency)).count == 1
                ? lines.first.map {
                    "\(Shown.amount(lines.reduce(0) { $0 + $1.inclusive }, $0.currency)) \($0.currency)"
                } : Shown.count(lines.count, "line")
        case .cancellation, .lapse, .chargebackReversal: nil
        }
    }

    var productText: String? {
        switch kind {
        case .order(let lines): Shown.count(lines.count, "line")
        default: purchase?.productId
        }
    }
}

extension Purchase {
    fileprivate var amountText: String { "\(Shown.amount(inclusive, currency)) \(currency)" }
}

/// Tables of records that several pages show.
enum RecordTable {
    static func sales(_ sales: [StoredSale], empty: String) -> TableView {
        TableView(
            caption: "Sales",
            columns: [
                Column("Sale", .wide), Column("Date of sale"), Column("Received", sorted: .ascending),
                Column("Amount", .number), Column("Standing"),
            ],
            rows: sales.sorted { ($0.receivedAt, $0.sequence) < ($1.receivedAt, $1.sequence) }.map { sale in
                [
                    .link(sale.sale.name, PagePath.sale(sale.sale.saleId.rawValue), sub: sale.sale.saleId.rawValue),
                    .time(sale.sale.occurredAt), .time(sale.receivedAt), .text(sale.sale.amountText),
                    Cell(chips: [sale.standing.chip]),
                ]
            },
            empty: empty
        )
    }

    static func reports(_ reports: [StoredReport], _ related: RelatedRecords, empty: String) -> TableView {
        TableView(
            caption: "Reports",
            columns: [
                Column("Report", .id), Column("Status"), Column("Written", sorted: .descending), Column("Answer"),
                Column("Attempts", .number), Column("Token"), Column("State"),
            ],
            rows: reports.map { report in
                [
                    .link(report.title, PagePath.report(report.requestIdentifier), sub: report.requestIdentifier.text),
                    .text(Shown.words(report.status.rawValue.lowercased())),
                    .time(report.writtenAt), .time(report.answer?.receivedAt), .text(Shown.number(report.attempts)),
                    .token(report.externalPurchaseId, in: related), Cell(chips: [report.state.chip]),
                ]
            },
            empty: empty
        )
    }

    static func notifications(_ notifications: [StoredNotification], _ related: RelatedRecords) -> TableView {
        TableView(
            caption: "Notifications",
            columns: [
                Column("Notification", .id), Column("Signature"), Column("Received", sorted: .descending),
                Column("Token"), Column("Effect", .wide),
            ],
            rows: notifications.map { notification in
                [
                    .link(
                        notification.title,
                        PagePath.of("notifications", notification.uuid.rawValue),
                        sub: notification.uuid.rawValue
                    ),
                    .time(notification.signedDate), .time(notification.receivedAt),
                    .token(notification.externalPurchaseId, in: related),
                    notification.effect.map { .text($0.detail) } ?? .chip("waiting", .wait),
                ]
            },
            empty: "No notification matches."
        )
    }
}
