import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The page `GET /`: health of the sender, what is due, what needs review, and the figures of two months.
struct HomePage {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("/", use: home)
    }

    private static let template = HTMLTemplate(WebFiles.homeHTML)
    private static let monthTemplate = HTMLTemplate(WebFiles.monthHTML)
    /// The number of rows of a list on this page.
    private static let rows = 6

    @Sendable private func home(_ request: Request, _ context: ServerContext) async throws -> Response {
        let environments = AppStoreEnvironment.allCases.filter { environment in
            system.apps.values.contains { $0.environments.contains(environment) }
        }
        let asked = request.uri.queryParameters["environment"].flatMap { AppStoreEnvironment.named($0) }
        let counts = try await system.counts()
        let environment: AppStoreEnvironment
        if let asked {
            environment = asked
        } else {
            environment = try await system.lists.environmentOfRecords(among: environments, counts)
        }
        let due = try await system.dueOverview(
            in: environments.count > 1 ? environment : nil,
            limit: Self.rows
        )
        let ways = try await system.lists.ways(ofTokensIn: due)
        let related = try await DuePage.related(due, in: system)
        let review = try await system.lists.review(LedgerPage(limit: Self.rows, isNewestFirst: true))
        let first = try await system.lists.review(LedgerPage(limit: 1)).first
        let entries = try await system.review.entries(of: Array(review.prefix(3)))
        let onTheWay = counts.tokensOnTheWay.filter {
            environments.count < 2 || $0.key.environment == environment
        }
        let figures = try await dashboard.months.programmes(in: environment)?.filter {
            system.apps[$0.bundleId] != nil
        }
        let apps = system.apps.keys.sorted().map(\.rawValue)
        var values: HTMLTemplate.Values = [
            "lead": .text(
                Shown.text(apps.count > 3 ? "\(apps.count) apps" : apps.joined(separator: ", "))
                    + " · \(Shown.time(system.now))"
            ),
            "hasEnvironments": .condition(environments.count > 1),
            "environments": .list(
                environments.reversed().map {
                    [
                        "href": .text("/?environment=\($0.rawValue)"), "label": .text($0.rawValue.capitalizedFirst),
                        "isCurrent": .condition($0 == environment),
                    ]
                }
            ),
            "tiles": .list(
                tiles(
                    due.counts,
                    counts,
                    first,
                    onTheWay.values.reduce(0, +),
                    in: environments.count > 1 ? environment : nil
                )
            ),
            "due": .markup(DuePage.table(due, ways, related, isShort: true).html),
            "review": .markup(ReviewPages.html(entries, empty: "Nothing waits for a person.")),
            "months": .list(months(figures, in: environment)),
        ]
        values.merge(await health(counts)) { _, new in new }
        return await dashboard.page("Overview", at: .home, Self.template.filled(with: values), request, context)
    }

    // MARK: Health

    private func health(_ counts: LedgerCounts) async -> HTMLTemplate.Values {
        let readiness = await system.readiness()
        let state: (text: String, tone: Tone, summary: String) =
            if readiness.problems.contains(where: { $0.check == .store }) {
                ("Not storing", .bad, "The server cannot store requests.")
            } else if !readiness.isReady {
                (
                    "Little space", .bad,
                    "Requests are stored until the disk is full; a load balancer sends them elsewhere."
                )
            } else if !system.settings.isSendingOn {
                ("Sending is off", .wait, "Sales are planned; nothing is sent, because reporting.send is off.")
            } else if readiness.problems.contains(where: { $0.check == .clock }) {
                ("Stopped", .bad, "Everything is stored; nothing is sent.")
            } else if !readiness.problems.isEmpty, readiness.problems.allSatisfy({ $0.check == .apple }) {
                ("Waiting for Apple", .bad, "Everything is stored; reports wait until Apple's API answers.")
            } else if !readiness.problems.isEmpty {
                ("Partly stopped", .bad, "Everything is stored; reports of some apps are not sent.")
            } else {
                ("Running", .good, "Requests are stored and reports are sent.")
            }
        let open = counts.reports.filter { $0.key.state.isOpen && $0.key.state != .needsAttention }
            .values.reduce(0, +)
        var sender = [open == 0 ? "No report is on its way" : "\(Shown.count(open, "report")) on the way to Apple"]
        // A moment that a clock which was ahead wrote counts as now.
        if let oldest = counts.oldestUnsent.values.min().map({ min($0, system.now) }) {
            let age = oldest.duration(to: system.now)
            sender.append("the oldest unsent since \(Shown.time(oldest)), \(Shown.duration(age))")
        }
        if counts.undeliveredAlerts > 0 {
            sender.append("\(Shown.count(counts.undeliveredAlerts, "alert")) not delivered")
        }
        return [
            "tone": .text(state.tone.rawValue), "state": .text(state.text), "summary": .text(state.summary),
            "problems": .list(
                readiness.problems.map {
                    [
                        "name": .text($0.app.map { Shown.text($0.rawValue) } ?? $0.check.rawValue.capitalizedFirst),
                        "text": .text(Shown.text($0.detail)),
                    ]
                }
            ),
            "sender": .text(sender.joined(separator: " · ") + "."),
        ]
    }

    /// - Parameters:
    ///   - first: the open review item that was opened first.
    ///   - onTheWay: the number of tokens whose first report waits for Apple's answer.
    ///   - environment: the environment to which the counts of due dates are limited; nil for all.
    private func tiles(
        _ entries: DeadlineCounts,
        _ counts: LedgerCounts,
        _ first: ReviewItem?,
        _ onTheWay: Int,
        in environment: AppStoreEnvironment?
    ) -> [HTMLTemplate.Values] {
        // The list behind a count shows what was counted.
        func due(_ state: String?) -> String {
            let parameters = [("state", state), ("environment", environment?.rawValue)]
            return PagePath.query("/due", parameters.compactMap { name, value in value.map { (name, $0) } })
        }
        func tile(_ count: Int, _ label: String, _ note: String, _ href: String, _ tone: Tone) -> HTMLTemplate.Values {
            [
                "count": .text(Shown.number(count)), "label": .text(label), "note": .text(note), "href": .text(href),
                "tone": .text(count == 0 ? "" : tone.rawValue),
            ]
        }
        let soon = entries.warned.values.reduce(0, +)
        let widest = entries.warned.filter { $0.value > 0 }.keys.max()
        let open = counts.review.values.reduce(0, +)
        return [
            tile(
                entries.overdue,
                "Overdue",
                Self.overdueNote(entries),
                due("overdue"),
                .bad
            ),
            tile(
                soon,
                "Due soon",
                widest.map { "within \($0) days" } ?? "no due date is near",
                due("warned"),
                .wait
            ),
            // A token and its sale are one matter to a reader, and both leave the list with the same answer.
            tile(
                max(0, entries.total - onTheWay),
                "Not reported yet",
                onTheWay == 0 ? "tokens and sales" : "and \(Shown.count(onTheWay, "token")) on the way to Apple",
                due(nil),
                .none
            ),
            tile(
                open,
                "Needs review",
                Self.reviewNote(open, first: first?.openedAt, now: system.now),
                "/review",
                .wait
            ),
        ]
            + Self.unreferenced(counts.payments, in: environment).map {
                tile($0.count, $0.label, $0.note, $0.href, .none)
            }
    }

    /// The payments that name no purchase from the app, beside the others; nil where there are none.
    static func unreferenced(
        _ figures: [PaymentFigure],
        in environment: AppStoreEnvironment?
    ) -> [(count: Int, label: String, note: String, href: String)] {
        let figures = figures.filter { environment == nil || $0.isLive == (environment == .production) }
        let unreferenced = figures.filter { $0.reference == .unreferenced }
        let count = unreferenced.reduce(0) { $0 + $1.count }
        guard count > 0 else { return [] }
        var sums: [String: Int64] = [:]
        for figure in unreferenced { sums[figure.currency, default: 0] += figure.amount.value }
        let amounts = sums.sorted { $0.key < $1.key }.map { "\($0.key) \(MilliUnits($0.value).unitsText)" }
        let all = figures.reduce(0) { $0 + $1.count }
        return [
            (
                count, "Payments not from the app",
                "of \(Shown.count(all, "payment")) in 30 days: \(amounts.joined(separator: ", "))",
                PagePath.query("/events", [("state", PaymentEventResult.State.notUsed.rawValue)])
            )
        ]
    }

    /// How many of the overdue entries need a decision (OB-53).
    ///
    /// It promises nothing of the others: some wait for another sale, or for a base URL of the app.
    static func overdueNote(_ entries: DeadlineCounts) -> String {
        switch (entries.overdue, entries.overdueHeld) {
        case (0, _): "nothing is late"
        case (_, 0): "none needs a decision"
        case (let overdue, let held) where held >= overdue: "not sent before a decision"
        case (_, let held): "\(Shown.number(held)) of them not sent before a decision"
        }
    }

    /// Since when something waits for a person; a moment that a clock which was ahead wrote is not repeated.
    static func reviewNote(_ open: Int, first: Timestamp?, now: Timestamp) -> String {
        if open == 0 { return "nothing waits" }
        guard let first, first <= now else { return "waits for a person" }
        return "since \(Shown.day(first))"
    }

    // MARK: Months

    private func months(
        _ figures: [MonthFigures.Programme]?,
        in environment: AppStoreEnvironment
    ) -> [HTMLTemplate.Values] {
        guard let figures else { return [note("The figures are being computed. Open the page again in a moment.")] }
        if figures.isEmpty { return [note("No programme has a sale or token in this or the last month.")] }
        return figures.enumerated().map { index, programme in
            let body = Self.monthTemplate.filled(with: [
                "charts": .list(programme.months.last.flatMap(Self.chart).map { [$0] } ?? []),
                "table": .markup(Self.table(programme, in: environment)),
                "notes": .texts(
                    "Amounts are without tax. Net is what was bought less what was refunded in the month. Reported net is what Apple has of the month's purchases after all their refunds; what separates the two stands below it. The commission is an estimate for the items of the month; the invoice of Apple decides."
                ),
            ])
            return [
                "anchor": .text("month-\(index + 1)"), "title": .text(programme.title),
                "note": .text(system.apps.count > 1 ? Shown.text(programme.bundleId.rawValue) : ""),
                "body": .markup(body),
            ]
        }
    }

    private func note(_ text: String) -> HTMLTemplate.Values {
        [
            "anchor": "months", "title": "This month and the last one", "note": "",
            "body": .markup(
                Self.monthTemplate.filled(with: ["charts": [], "table": .markup(""), "notes": .texts(text)])
            ),
        ]
    }

    static func table(_ programme: MonthFigures.Programme, in environment: AppStoreEnvironment) -> String {
        var rows: [[Cell]] = []
        for month in programme.months.reversed() {
            let sales = month.reconciliation.sales
            let href = PagePath.query(
                "/exports/\(month.month.id)",
                [
                    ("bundleId", programme.bundleId.rawValue), ("programme", month.programme),
                    ("environment", environment.rawValue),
                ]
            )
            let days = month.month.days
            let count = sales.count.values.reduce(0, +)
            let held = sales.count[.held] ?? 0
            let money = sales.money
            if money.isEmpty {
                rows.append(
                    [
                        .link(month.month.description, href, sub: days), .text(Shown.number(count)), .none, .none,
                        .none, .none, .none,
                        .day(month.reconciliation.deadline),
                    ]
                )
            }
            for (place, sum) in money.enumerated() {
                func text(_ value: Decimal) -> String { "\(Shown.amount(value, sum.currency)) \(sum.currency)" }
                // Why the reported net is not what was bought less what was refunded.
                let parts = [
                    (sum.notReported, "not reported"), (sum.refundedElsewhere, "refunded in other months"),
                    (sum.refundsOfOthers, "refunded of other months"),
                ]
                let gap = parts.filter { $0.0 != 0 }.map { "\(text($0.0)) \($0.1)" }
                rows.append([
                    place == 0
                        ? .link(month.month.description, href, sub: days) : .text(month.month.description),
                    place == 0 ? .text(Shown.number(count), sub: held > 0 ? "\(held) held" : nil) : .none,
                    .text(text(sum.bought)), .text(text(sum.refunded)), .text(text(sum.net)),
                    .text(text(sum.reportedNet), sub: gap.isEmpty ? nil : gap.joined(separator: ", ")),
                    .text(
                        sum.estimate.map(text) ?? "–",
                        sub: sum.unknownEstimates > 0 ? "\(sum.unknownEstimates) without an estimate" : nil
                    ), .day(month.reconciliation.deadline),
                ])
            }
        }
        return TableView(
            caption: "\(programme.title), this month and the last one",
            columns: [
                Column("Month"), Column("Sales", .number), Column("Bought", .number), Column("Refunded", .number),
                Column("Net", .number), Column("Reported net", .number), Column("Commission, estimated", .number),
                Column("Reports due"),
            ],
            rows: rows,
            empty: ""
        ).html
    }

    /// The sales of each day as bars; nil for a month without sales.
    static func chart(_ month: MonthFigures.Month) -> HTMLTemplate.Values? {
        let counts = Dictionary(
            month.reconciliation.days.map { ($0.day, $0.sales.count.values.reduce(0, +)) },
            uniquingKeysWith: +
        )
        let most = counts.values.max() ?? 0
        guard most > 0, month.month.firstDay <= month.month.lastDay else { return nil }
        let (step, height) = (10, 96)
        let days = (month.month.firstDay.number...month.month.lastDay.number).map { CalendarDate(number: $0) }
        let bars: [HTMLTemplate.Values] = days.enumerated().map { index, day in
            let count = counts[day] ?? 0
            let size = count == 0 ? 1 : max(3, count * (height - 6) / most)
            return [
                "style": .text(count == 0 ? "none" : "some"), "x": .text("\(index * step + 1)"),
                "y": .text("\(height - 1 - size)"), "w": .text("\(step - 2)"), "h": .text("\(size)"),
                "text": .text("\(Shown.day(day.description)): \(Shown.count(count, "sale"))"),
            ]
        }
        let busiest = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        let total = counts.values.reduce(0, +)
        return [
            "caption": .text("Sales per day in \(month.month)"), "width": .text("\(days.count * step)"),
            "height": .text("\(height)"), "base": .text("\(height - 1)"),
            "description": .text(
                "\(Shown.count(total, "sale")) in \(month.month); the most on "
                    + "\(busiest.map { "\(Shown.day($0.key.description)): \($0.value)" } ?? "no day")"
            ), "bars": .list(bars), "first": .text(Shown.day(month.month.firstDay.description)),
            "last": .text(Shown.day(month.month.lastDay.description)),
        ]
    }
}

extension ReportingMonth {
    /// The first and the last day, with the calendar where it is not the civil one.
    var days: String {
        let span = "\(Shown.day(firstDay.description)) to \(Shown.day(lastDay.description))"
        return calendar == .appleFiscalMonth ? span + ", Apple's fiscal month" : span
    }
}
