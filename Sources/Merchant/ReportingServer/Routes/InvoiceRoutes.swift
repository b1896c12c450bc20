import ExternalPurchaseCore
import Hummingbird
import Reporting

/// The routes `POST /v1/invoices` and `GET /v1/invoices?month=` (OB-80).
struct InvoiceRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.post("invoices", use: enter)
        group.get("invoices", use: account)
    }

    @Sendable private func enter(_ request: Request, _ context: Context) async throws -> Response {
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let command = try InvoiceCommand(body: body, caller: context.caller)
        let entered = try await system.invoices.enter(command)
        return Response(entered.invoice.json, status: entered.isNew ? .created : .ok)
    }

    @Sendable private func account(_ request: Request, _ context: Context) async throws -> Response {
        let query = request.uri.queryParameters
        guard let month = query["month"].map(String.init) else {
            throw Problem.invalid("?month", "is missing; name one such as 2026-10")
        }
        let choice = MonthChoice(
            month,
            of: try request.bundleId(for: context.caller),
            programme: query["programme"].map(String.init)
        )
        let account = try await FieldPlaces.query.naming { () throws(RequestError) in
            try await system.invoices.account(choice)
        }
        return Response(account.json)
    }
}
