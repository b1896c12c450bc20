import ExternalPurchaseCore
import Hummingbird
import Ledger
import ReportPlanning
import Reporting

/// `GET /v1/due`: what is not reported yet, what needs a person first.
struct DueRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to group: RouterGroup<Context>) {
        group.get("due", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let query = request.uri.queryParameters
        let limit = try LedgerPage.limit(of: request)
        let filter = try MerchantList.due.filter(of: request, apps: merchant.apps.keys)
        let after = try query["after"].map { text in
            guard let place = DuePlace(text: text) else {
                throw Problem.invalid("?after", "is not the 'next' of an earlier page")
            }
            return place
        }
        let survey = try await merchant.dueSurvey(matching: filter, after: after, limit: limit)
        let (entries, now, settings) = (survey.entries, merchant.now, survey.rules.settings)
        let next = survey.isCut ? entries.last?.place.text : nil
        return Response(
            .object(
                JSONObject([
                    .init("due", .array(entries.map { $0.entry.json(at: now, settings: settings) })),
                    .init("next", next.map { .string($0) } ?? .null),
                ])
            )
        )
    }
}
