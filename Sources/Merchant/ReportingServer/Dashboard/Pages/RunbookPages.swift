import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Reporting

/// The pages `GET /runbooks` and `GET /runbooks/{name}`: what to do, for those who have only the dashboard.
struct RunbookPages {
    let dashboard: Dashboard

    func add(to group: RouterGroup<ServerContext>) {
        group.get("runbooks", use: list)
        group.get("runbooks/:name", use: one)
    }

    /// The name of the page that leads to the others.
    private static let first = "README"

    static let names = Set(RunbookFiles.all.map(\.0))

    static let all: [String: RunbookView] = Dictionary(
        uniqueKeysWithValues: RunbookFiles.all.map { ($0.0, RunbookView($0.1, among: names)) }
    )

    static func link(_ name: String) -> PageLink {
        name == first || all[name] == nil
            ? Dashboard.Place.runbooks.link : PageLink("Runbook: \(all[name]?.title ?? name)", "/runbooks/\(name)")
    }

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let pages = RunbookFiles.all.map(\.0).filter { $0 != Self.first }.compactMap { name in
            Self.all[name].map { PageLink($0.title, "/runbooks/\(name)") }
        }
        let table = TableView(
            caption: "Runbooks",
            columns: [Column("Page", .wide)],
            rows: pages.map { [Cell(links: [$0])] },
            empty: ""
        )
        let html = ListView(
            title: "Runbooks",
            lead: "What to do when something is wrong. The commands are for whoever runs the server.",
            content: CardView.html("Pages", table.html, isTitled: true)
                + CardView.html("Signs", Self.all[Self.first]?.html ?? "", isTitled: true)
        ).html
        return await dashboard.page("Runbooks", at: .runbooks, html, request, context)
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let name = try context.decodedParameter("name")
        guard name != Self.first, let runbook = Self.all[name] else {
            throw Problem.notFound("there is no runbook \(name.quoted)")
        }
        let html = RecordView(
            parent: Dashboard.Place.runbooks.link,
            title: runbook.title,
            lead: "The commands are for whoever runs the server.",
            cards: [RecordView.Card(title: "What to do", body: runbook.html)]
        ).html
        return await dashboard.page(runbook.title, at: .runbooks, html, request, context)
    }
}
