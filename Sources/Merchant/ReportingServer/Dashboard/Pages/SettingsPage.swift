import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The page `GET /settings`, which shows what the server runs with.
///
/// The configuration file decides; nothing is changed here.
struct SettingsPage {
    let dashboard: Dashboard

    func add(to group: RouterGroup<ServerContext>) {
        group.get("settings", use: show)
    }

    @Sendable private func show(_ request: Request, _ context: ServerContext) async throws -> Response {
        let system = dashboard.system
        let settings = system.settings
        let apps = TableView(
            caption: "Apps",
            columns: [Column("App"), Column("Apple id"), Column("Environments"), Column("Programmes", .wide)],
            rows: system.apps.keys.sorted().compactMap { system.apps[$0] }.map { app in
                [
                    .text(app.bundleId.rawValue), .text("\(app.appAppleId)"),
                    .text(app.environments.map(\.rawValue).sorted().joined(separator: ", ")),
                    .text(app.programmes.isEmpty ? "any" : app.programmes.joined(separator: ", ")),
                ]
            },
            empty: "No app is registered."
        )
        let facts = FactsView([
            ("reporting.send", .text(settings.isSendingOn ? "on" : "off")),
            ("send.delay", .text(Shown.duration(settings.due.sendDelay))),
            ("send.lead", .text(Shown.duration(settings.due.sendLead))),
            ("due.warn", .text(settings.due.warnDays.map { "\($0) days" }.joined(separator: ", "))),
            ("due.timeZone", .text(settings.due.timeZone.name)),
            ("reporting.foreignCurrency", .text("\(settings.foreignCurrency)")),
            ("corrections.fourEyes", .text(settings.needsFourEyes ? "on" : "off")),
            ("corrections.payments", .text(settings.paymentCorrections.rawValue)),
            ("corrections.subscriptionFigures", .text(settings.subscriptionFigures.rawValue)),
            ("subscriptions.resumeWithin", .text(Shown.duration(settings.resumeWithin))),
            ("unrecognized.wait", .text(Shown.duration(settings.unrecognizedWait))),
            ("review.tokenWait", .text(Shown.duration(settings.tokenWait))),
            ("history.every", .text(Shown.duration(settings.historyEvery))),
            ("ready.freeSpace", .text("\(Shown.number(Int(clamping: settings.readyFreeSpace))) bytes")),
        ])
        let quarantine = try await system.lists.quarantinedTokens(LedgerPage(limit: 20))
        let aside = TableView(
            caption: "Texts kept aside",
            columns: [
                Column("Arrived", sorted: .ascending), Column("Reason"), Column("Detail", .wide), Column("Text", .id),
            ],
            rows: quarantine.map {
                [
                    .time($0.firstSeen.time), .text(Shown.words($0.reason.rawValue)), .text($0.detail), .text($0.text),
                ]
            },
            empty: "Nothing was kept aside."
        )
        let html = RecordView(
            parent: Dashboard.Place.home.link,
            title: "Settings",
            lead: "The configuration file decides these; nothing is changed here.",
            cards: [
                RecordView.Card(title: "Apps", body: apps.html),
                RecordView.Card(title: "Settings", body: facts.html),
                RecordView.Card(title: "Kept aside", note: "texts that are no token of these apps", body: aside.html),
            ]
        ).html
        return await dashboard.page("Settings", at: .settings, html, request, context)
    }
}
