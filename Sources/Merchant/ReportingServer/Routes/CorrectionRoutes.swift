import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The routes `POST /v1/corrections`, for a dry run and for its confirmation, and `GET /v1/corrections`.
struct CorrectionRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.post("corrections", use: receive)
        group.get("corrections", use: list)
    }

    @Sendable private func receive(_ request: Request, _ context: Context) async throws -> Response {
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        guard body.objectValue?["correctionId"] != nil else {
            let command = try CorrectionCommand(body: body, apps: system.apps, caller: context.caller)
            return Response(try await system.corrections.plan(command).json)
        }
        switch try await system.corrections.confirm(ConfirmationCommand(body: body, caller: context.caller)) {
        case .confirmed(let id, let reports, let isNew):
            let json =
                JSONValue.object([
                    "correctionId": .string(id.rawValue),
                    "reports": .array(reports.map { .string($0.text) }),
                ])
            return Response(json, status: isNew ? .created : .ok)
        case .stale(let detail, let dryRun):
            throw Problem(stale: detail, dryRun)
        }
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.corrections.filter(of: request, by: context.caller, in: system)
        let corrections = try await system.lists.corrections(matching: filter, page)
        return Response(page.json("corrections", corrections.map { ($0.sequence, $0.json) }))
    }
}

extension StoredCorrection {
    fileprivate var json: JSONValue { .object(JSONObject(Self.fields.listMembers(of: self))) }
}
