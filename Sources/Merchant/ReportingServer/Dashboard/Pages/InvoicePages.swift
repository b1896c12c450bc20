import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The page `GET /invoices`: Apple's invoices beside the estimates of a month, and `POST /invoices`.
struct InvoicePages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("invoices", use: month)
        group.post("invoices", use: enter)
    }

    @Sendable private func month(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = request.uri.queryParameters
        func given(_ name: String) -> String? {
            query[Substring(name)].map { String($0).trimmed }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let apps = system.apps.keys.sorted()
        let rules = system.due.rules
        let day = CalendarDate(inUTC: system.now).adding(months: -1).description
        let month = given("month") ?? String(day.prefix(7))
        let app = given("bundleId").map { BundleId($0) } ?? apps.first
        if app == nil, context.caller.apps != nil {
            throw Problem.invalid("?bundleId", "you have none of the apps here")
        }
        if let app, !apps.contains(app) {
            throw Problem.invalid("?bundleId", "is none of the apps registered here")
        }
        var programmes: [(value: String, label: String)] = []
        for programme in rules.catalog.programmes where rules.table(of: programme) != nil {
            guard !programmes.contains(where: { $0.value == programme.id }) else { continue }
            programmes.append((programme.id, programme.title))
        }
        let configured = app.flatMap { rules.appProgrammes[$0] } ?? []
        let ofApp = programmes.filter { programme in
            configured.contains(programme.value)
                || rules.catalog.programmes.contains {
                    $0.id == programme.value && !Set(configured).isDisjoint(with: $0.clientProgrammes)
                }
        }
        if !ofApp.isEmpty { programmes = ofApp }
        let programme = given("programme") ?? programmes.first?.value
        var filter: [FormField] = []
        if apps.count > 1 {
            filter.append(
                FormField(
                    name: "bundleId",
                    label: "App",
                    kind: .choice(apps.map { ($0.rawValue, $0.rawValue) }),
                    value: app?.rawValue ?? ""
                )
            )
        }
        filter += [
            FormField(name: "programme", label: "Programme", kind: .choice(programmes), value: programme ?? ""),
            FormField(name: "month", label: "Month", kind: .text(placeholder: "2026-10"), value: month),
        ]
        let account = try await FieldPlaces.query.naming { () throws(RequestError) in
            try await system.invoices.account(MonthChoice(month, of: app, programme: programme))
        }
        let html = ListView(
            title: "Invoices",
            lead:
                "Apple's invoices of \(account.month) beside the estimates. \(account.payment.reason.capitalizedFirst).",
            action: "/invoices",
            filter: filter,
            content: CardView.html("Amounts", Self.amounts(account).html, isTitled: true)
                + CardView.html("Invoices", Self.invoices(account.invoices).html, isTitled: true)
                + (dashboard.allows(.post, "/invoices", context)
                    ? CardView.html("Enter a line of an invoice", form(account, context).html, isTitled: true) : "")
        ).html
        return await dashboard.page("Invoices", at: .invoices, html, request, context)
    }

    private static func amounts(_ account: InvoiceBook.Account) -> TableView {
        TableView(
            caption: "Amounts by currency",
            columns: [
                Column("Currency"), Column("Reported net", .number), Column("Estimate", .number),
                Column("Invoiced", .number), Column("Difference", .number), Column("Surcharge", .number),
                Column("Tax", .number), Column("Total", .number), Column("State"),
            ],
            rows: account.lines.map { line in
                let state: Cell =
                    if line.billed == nil {
                        .chip("no invoice yet")
                    } else if line.estimate != nil, line.unknownEstimates > 0 {
                        .chip("estimate incomplete")
                    } else if let difference = line.difference {
                        difference == 0 ? .chip("agrees", .good) : .chip("differs", .wait)
                    } else {
                        .chip("no estimate")
                    }
                func amount(_ value: Decimal) -> String { Shown.amount(value, line.currency) }
                return [
                    .text(line.currency), .text(amount(line.reportedNet)),
                    .text(
                        line.estimate.map(amount) ?? "–",
                        sub: line.unknownEstimates > 0 ? "\(line.unknownEstimates) without an estimate" : nil
                    ), .text(line.billed.map { amount($0.commission) }), .text(line.difference.map(amount)),
                    .text(line.billed.map { amount($0.surcharge) }), .text(line.billed.map { amount($0.tax) }),
                    .text(line.billed.map { amount($0.total) }), state,
                ]
            },
            empty: "The month has no sales under this programme and no invoice."
        )
    }

    private static func invoices(_ invoices: [StoredInvoice]) -> TableView {
        TableView(
            caption: "Invoices",
            columns: [
                Column("Invoice", .id), Column("Issued"), Column("Due"), Column("Commission", .number),
                Column("Surcharge", .number), Column("Tax", .number), Column("Total", .number), Column("Entered"),
            ],
            rows: invoices.map { invoice in
                func amount(_ value: Decimal) -> String {
                    "\(Shown.amount(value, invoice.currency)) \(invoice.currency)"
                }
                return [
                    .text(invoice.invoiceId, sub: invoice.purchaseOrder.map { "purchase order \($0)" }),
                    .text(Shown.day(invoice.issuedOn)), .text(invoice.dueOn.map(Shown.day)),
                    .text(amount(invoice.amount)), .text(invoice.surcharge.map(amount)),
                    .text(invoice.tax.map(amount)), .text(amount(invoice.total)),
                    .time(invoice.enteredAt, sub: "by \(invoice.enteredBy)"),
                ]
            },
            empty: "No invoice was entered for this month."
        )
    }

    private static func optional(
        _ name: String,
        _ label: String,
        _ placeholder: String,
        hint: String? = nil
    ) -> FormField {
        FormField(name: name, label: label, kind: .text(placeholder: placeholder), isOptional: true, hint: hint)
    }

    private func form(_ account: InvoiceBook.Account, _ context: ServerContext) -> FormView {
        FormView(
            action: "/invoices",
            csrf: dashboard.csrf(context),
            isInline: true,
            intro:
                "A credit is an invoice of its own with a negative amount. The estimate is compared with the commission alone.",
            hidden: [
                ("bundleId", account.bundleId.rawValue), ("programme", account.programme.id),
                ("month", account.month.id),
            ],
            fields: [
                FormField(name: "invoiceId", label: "Invoice number", limit: 255),
                FormField(name: "issuedOn", label: "Issued on", kind: .text(placeholder: "2026-11-20"), limit: 10),
                FormField(name: "currency", label: "Currency", kind: .text(placeholder: "EUR"), limit: 3),
                FormField(name: "amount", label: "Commission", kind: .text(placeholder: "128.40"), limit: 32),
                Self.optional("surcharge", "Surcharge", "1.28", hint: "such as that of a digital services tax"),
                Self.optional("tax", "Tax", "27.23"),
                Self.optional("total", "Total", "156.91", hint: "must be the sum of the three"),
                Self.optional("dueOn", "Payment due on", "2026-12-20"),
                Self.optional("purchaseOrder", "Purchase order", ""),
            ] + dashboard.authorField(context),
            buttons: [FormView.Button(label: "Enter")]
        )
    }

    @Sendable private func enter(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await dashboard.form(request, context)
        let names = [
            "invoiceId", "bundleId", "programme", "month", "issuedOn", "dueOn", "purchaseOrder", "currency", "amount",
            "surcharge", "tax", "total",
        ]
        let fields = names.map { ($0, form.text($0)) } + [("by", dashboard.author(form, context))]
        let entered = try await system.invoices.enter(try InvoiceCommand(body: .form(fields), caller: context.caller))
        let invoice = entered.invoice
        return .seeOther(
            PagePath.query(
                "/invoices",
                [
                    ("bundleId", invoice.bundleId.rawValue), ("programme", invoice.programme), ("month", invoice.month),
                    ("done", Dashboard.Notice.entered.rawValue),
                ]
            )
        )
    }
}
