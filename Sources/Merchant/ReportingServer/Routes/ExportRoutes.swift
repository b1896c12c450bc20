import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The routes of month exports.
///
/// - `GET /v1/exports/{YYYY-MM}.csv` and `.json`: the sales of an app under a programme in a month (OB-61, OB-80).
/// - `POST /v1/exports/{YYYY-MM}/submitted` and `…/withdrawn`: a manual submission and its withdrawal (OB-62).
struct ExportRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.get("exports", use: list)
        group.get("exports/:file", use: export)
        group.post("exports/:file/submitted", use: submitted)
        group.post("exports/:file/withdrawn", use: withdraw)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.exports.filter(of: request, by: context.caller, in: system)
        let exports = try await system.lists.manualExports(matching: filter, page)
        return Response(page.json("exports", exports.map { ($0.export.sequence, $0.json) }))
    }

    @Sendable private func submitted(_ request: Request, _ context: Context) async throws -> Response {
        let month = try context.parameters.require("file")
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let command = try SubmissionCommand(body: body, month: month, caller: context.caller)
        let outcome = try await FieldPlaces.monthInPath.naming { () throws(RequestError) in
            try await system.submissions.submit(command)
        }
        return Response(outcome.json, status: outcome.isNew ? .created : .ok)
    }

    @Sendable private func withdraw(_ request: Request, _ context: Context) async throws -> Response {
        let month = try context.parameters.require("file")
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let command = try WithdrawalCommand(body: body, month: month, caller: context.caller)
        let outcome = try await system.submissions.withdraw(command)
        return Response(outcome.json)
    }

    @Sendable private func export(_ request: Request, _ context: Context) async throws -> Response {
        let file = try context.parameters.require("file")
        let parts = file.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, ["csv", "json"].contains(parts[1]) else {
            throw Problem.notFound("an export is named like 2026-10.csv or 2026-10.json")
        }
        let query = request.uri.queryParameters
        var environment = AppStoreEnvironment.production
        if let text = query["environment"] {
            guard let named = AppStoreEnvironment.named(text) else {
                throw Problem.invalid("?environment", "is neither production nor sandbox")
            }
            environment = named
        }
        let choice = MonthChoice(
            parts[0],
            of: try request.bundleId(for: context.caller),
            programme: query["programme"].map(String.init)
        )
        let format: ExportFormat = parts[1] == "json" ? .json : .csv
        let made = try await FieldPlaces.queryOfMonth.naming { () throws(RequestError) in
            try await system.exports.file(format, choice, environment: environment, hintAt: request.uri.path)
        }
        return Response(made, format)
    }
}
