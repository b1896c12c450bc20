import ExternalPurchaseCore
import Hummingbird
import Ledger

extension Dashboard {
    /// The page of an id that records of several apps have: a link to each.
    ///
    /// - Parameters:
    ///   - record: the kind of the record, such as `sale`.
    ///   - path: the path of the record, which the app completes.
    func choice(
        _ record: String,
        _ id: String,
        at place: Place,
        _ path: String,
        _ apps: [BundleId],
        _ request: Request,
        _ context: ServerContext
    ) async -> Response {
        let rows = Set(apps).sorted().map { app -> [Cell] in
            [.link(app.rawValue, PagePath.query(path, [("bundleId", app.rawValue)]))]
        }
        let table = TableView(caption: "Apps", columns: [Column("App")], rows: rows, empty: "")
        let title = "\(record.capitalizedFirst) \(id)"
        let html = ListView(
            title: Shown.text(title),
            lead: "Several apps have a \(record) with this id.",
            content: CardView.html("Apps", table.html)
        ).html
        return await page(title, at: place, html, request, context)
    }
}
