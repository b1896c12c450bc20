import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The routes of tokens.
///
/// - `POST /v1/tokens`, `GET /v1/tokens` and `GET /v1/tokens/{externalPurchaseId}`.
/// - `POST /v1/tokens/{externalPurchaseId}/customer`.
struct TokenRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.post("tokens", use: receive)
        group.get("tokens", use: list)
        group.get("tokens/:externalPurchaseId", use: one)
        group.post("tokens/:externalPurchaseId/customer", use: setCustomer)
    }

    @Sendable private func receive(_ request: Request, _ context: Context) async throws -> Response {
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let arrival = try TokenArrival(body: body, caller: context.caller)
        if context.caller.isPublishable { return try await receivePublicly(arrival, from: context.caller) }
        let receipt = try await PublicTokens.hidingApps(in: arrival, from: context.caller) { () throws(RequestError) in
            try await system.tokens.receive(arrival)
        }
        return Response(receipt.json, status: receipt.isNew ? .created : .ok)
    }

    /// Stores a token from an app whose key anybody may have read in the app.
    ///
    /// The token counts as one from a visit, and the response is the same whether the token was known or not.
    private func receivePublicly(_ arrival: TokenArrival, from caller: Caller) async throws -> Response {
        var arrival = arrival
        let named = PublicTokens.checkout(of: arrival)
        arrival.checkoutId = named
        let receipt = try await PublicTokens.hidingApps(in: arrival, from: caller) {
            [arrival] () throws(RequestError) in
            try await system.tokens.receive(arrival)
        }
        return Response(receipt.publicJSON(checkout: named ?? receipt.token.checkoutId), status: .created)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.tokens.filter(of: request, by: context.caller, in: system)
        let tokens = try await system.lists.tokens(matching: filter, page)
        return Response(page.json("tokens", tokens.map { ($0.sequence, $0.json) }))
    }

    /// Sets the customer of a token by a person's decision, for tokens with contradictory arrivals and sales.
    @Sendable private func setCustomer(_ request: Request, _ context: Context) async throws -> Response {
        let id = ExternalPurchaseId(try context.decodedParameter("externalPurchaseId"))
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let command = try CustomerCommand(body: body, token: id, caller: context.caller)
        return Response(try await system.tokens.setCustomer(command).json)
    }

    @Sendable private func one(_ request: Request, _ context: Context) async throws -> Response {
        let bundleId = try await request.bundleId(in: system, by: context.caller)
        let id = ExternalPurchaseId(try context.decodedParameter("externalPurchaseId"))
        let token = try await FieldPlaces.query.naming { () throws(RequestError) in
            try await system.lists.tokens(withId: id).named(id, of: bundleId)
        }
        return Response(token.json)
    }
}

extension TokenReceipt {
    var json: JSONValue {
        json(checkout: token.checkoutId, state: token.state, flags: token.flags.map(\.rawValue))
    }

    /// The response to a publishable key: what the token says itself, and nothing that is stored.
    fileprivate func publicJSON(checkout: CheckoutId) -> JSONValue {
        json(checkout: checkout, state: .unconfirmed, flags: [])
    }

    private func json(checkout: CheckoutId, state: TokenState, flags: [String]) -> JSONValue {
        [
            "externalPurchaseId": .string(token.token.externalPurchaseId.rawValue),
            "checkoutId": .string(checkout.rawValue),
            "environment": .string(token.token.environment.rawValue),
            "family": .string(token.token.family.interfaceName),
            "tokenType": token.token.tokenType.map { .string($0.rawValue) } ?? .null,
            "state": .string(state.rawValue),
            "flags": .strings(flags),
            "warnings": .array(
                warnings.map { warning in
                    [
                        "name": .string(warning.name.rawValue),
                        "field": warning.field.map(JSONValue.string) ?? .null,
                    ]
                }
            ),
        ]
    }
}

extension StoredToken {
    fileprivate var json: JSONValue { .object(JSONObject(Self.fields.listMembers(of: self))) }
}
