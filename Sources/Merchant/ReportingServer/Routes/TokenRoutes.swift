import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The routes of tokens.
///
/// - `POST /v1/tokens`, `GET /v1/tokens` and `GET /v1/tokens/{externalPurchaseId}`.
/// - `POST /v1/tokens/{externalPurchaseId}/customer`.
struct TokenRoutes<Context: RequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.post("tokens", use: receive)
        group.get("tokens", use: list)
        group.get("tokens/:externalPurchaseId", use: one)
        group.post("tokens/:externalPurchaseId/customer", use: setCustomer)
    }

    @Sendable private func receive(_ request: Request, _ context: Context) async throws -> Response {
        let arrival = try TokenArrival(body: try await RequestBody.json(of: request))
        let receipt = try await system.tokens.receive(arrival)
        return Response(receipt.json, status: receipt.isNew ? .created : .ok)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try MerchantList.tokens.filter(of: request, apps: system.apps.keys)
        let tokens = try await system.lists.tokens(matching: filter, page)
        return Response(page.json("tokens", tokens.map { ($0.sequence, $0.json) }))
    }

    /// Sets the customer of a token by a person's decision, for tokens with contradictory arrivals and sales.
    @Sendable private func setCustomer(_ request: Request, _ context: Context) async throws -> Response {
        let id = ExternalPurchaseId(try context.parameters.require("externalPurchaseId"))
        let command = try CustomerCommand(body: try await RequestBody.json(of: request), token: id)
        return Response(try await system.tokens.setCustomer(command).json)
    }

    @Sendable private func one(_ request: Request, _ context: Context) async throws -> Response {
        let id = ExternalPurchaseId(try context.parameters.require("externalPurchaseId"))
        guard let token = try await system.lists.tokens(withId: id).first else {
            throw Problem.notFound("no token has this externalPurchaseId")
        }
        return Response(token.json)
    }
}

extension TokenReceipt {
    fileprivate var json: JSONValue {
        .object(
            JSONObject([
                .init("externalPurchaseId", .string(token.token.externalPurchaseId.rawValue)),
                .init("checkoutId", .string(token.checkoutId.rawValue)),
                .init("environment", .string(token.token.environment.rawValue)),
                .init("family", .string(token.token.family.interfaceName)),
                .init("state", .string(token.state.rawValue)),
                .init("flags", .strings(token.flags.map(\.rawValue))),
                .init(
                    "warnings",
                    .array(
                        warnings.map { warning in
                            .object(
                                JSONObject([
                                    .init("name", .string(warning.name.rawValue)),
                                    .init("field", warning.field.map(JSONValue.string) ?? .null),
                                ])
                            )
                        }
                    )
                ),
            ])
        )
    }
}

extension StoredToken {
    fileprivate var json: JSONValue { .object(JSONObject(Self.fields.listMembers(of: self))) }
}

extension JSONValue {
    /// Returns an array of texts in sorted order.
    static func strings(_ texts: [String]) -> JSONValue {
        .array(texts.sorted().map(JSONValue.string))
    }
}
