import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// The route `POST /v1/erasures`, which erases a customer's identifier (OB-92).
///
/// The identifier is in the body, because proxies log the URLs of requests.
struct ErasureRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.post("erasures", use: erase)
    }

    @Sendable private func erase(_ request: Request, _ context: Context) async throws -> Response {
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let apps = try await system.lists.knownApps()
        let command = try ErasureCommand(body: body, apps: apps, caller: context.caller)
        let erased = try await system.erasures.carryOut(command)
        return Response(
            [
                "bundleId": .string(erased.bundleId.rawValue),
                "pseudonym": .string(erased.pseudonym),
                "erasedAt": erased.erasedAt.map { .string($0.description) } ?? .null,
            ]
        )
    }
}
