import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// `GET /v1/reports`.
struct ReportRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to group: RouterGroup<Context>) {
        group.get("reports", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try MerchantList.reports.filter(of: request, apps: merchant.apps.keys)
        let reports = try await merchant.reports(matching: filter, page)
        return Response(page.json("reports", reports.map { ($0.sequence, $0.json) }))
    }
}

extension StoredReport {
    fileprivate var json: JSONValue {
        var members: [JSONObject.Member] = [
            .init("requestIdentifier", .string(requestIdentifier.text)),
            .init("bundleId", .string(scope.bundleId.rawValue)),
            .init("environment", .string(scope.environment.rawValue)),
            .init("externalPurchaseId", .string(externalPurchaseId.rawValue)),
            .init("status", .string(status.rawValue)),
            .init("state", .string(state.rawValue)),
            .init("writtenAt", .string(writtenAt.description)),
            .init("changedAt", .string(changedAt.description)),
            .init("attempts", .integer(Int64(attempts))),
            .init("answer", answer?.json ?? .null),
        ]
        if state == .needsAttention || !errors.isEmpty {
            members.append(.init("errors", .array(errors.map(\.json))))
        }
        // The stored bytes are what was sent; a text that is no JSON any more would be shown as it is.
        let report = (try? JSONReader().read(body)) ?? .string(String(decoding: body, as: UTF8.self))
        members.append(.init("report", report))
        return .object(JSONObject(members))
    }
}

extension ReportAnswer {
    fileprivate var json: JSONValue {
        .object(
            JSONObject([
                .init("status", status.map { .integer(Int64($0)) } ?? .null),
                .init("receivedAt", .string(receivedAt.description)),
                .init("conclusion", .string(conclusion)),
            ])
        )
    }
}
