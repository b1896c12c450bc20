import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Payments
import Reporting

/// The routes of payment events.
///
/// - `POST /v1/webhooks/stripe`, `…/paddle` and `…/custom`, which payment providers call.
/// - `GET /v1/events` and `GET /v1/events/{eventId}`: the stored events with their results.
/// - `POST /v1/events/{eventId}/apply` applies an event again.
/// - `POST /v1/events/{eventId}/dismiss` sets an event aside.
struct PaymentEventRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    /// Adds the routes for deliveries from payment providers.
    ///
    /// They accept every host, because deliveries are verified by their signature.
    func addDelivery(to router: Router<Context>) {
        for provider in PaymentProvider.allCases {
            router.post("v1/webhooks/\(provider.rawValue)") { request, context in
                try await receive(request, context, of: provider)
            }
        }
    }

    func add(to group: RouterGroup<Context>) {
        group.get("events", use: list)
        group.get("events/:eventId", use: one)
        group.post("events/:eventId/apply", use: apply)
        group.post("events/:eventId/dismiss", use: dismiss)
    }

    private func receive(
        _ request: Request,
        _ context: Context,
        of provider: PaymentProvider
    ) async throws -> Response {
        guard let payments = system.payments, payments.receives(provider) else {
            let (member, page) = provider == .stripe ? ("stripe", "stripe.md") : ("payments", "payments.md")
            throw Problem.notFound("no account of \(provider.title) is configured; docs/\(page) describes '\(member)'")
        }
        let headers = request.headers
        let delivery = PaymentDelivery(
            body: try await RequestBody.bytes(of: request, upTo: context.bodyLimits.webhook),
            machineTime: Timestamp(Date()),
            header: { name in HTTPField.Name(name).flatMap { headers[$0] } }
        )
        switch try await payments.receive(delivery, of: provider) {
        case .stored(let event, let isNew):
            return Response(
                [
                    "eventId": .string(event.eventId.rawValue), "isNew": .bool(isNew),
                    "state": .string(event.result.state.rawValue),
                ]
            )
        case .refused(.signature(let failure)): throw Problem.wrongSignature(failure)
        case .refused(.unreadable(let error)): throw Problem.unreadable(error)
        case .refused(.invalid(let members)):
            throw RequestError.invalid(members.map { FieldError($0.path, $0.message) })
        }
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let page = try LedgerPage(of: request)
        let filter = try await MerchantList.events.filter(of: request, by: context.caller, in: system)
        let events = try await system.lists.paymentEvents(matching: filter, page)
        return Response(page.json("events", events.map { ($0.sequence, $0.json) }))
    }

    @Sendable private func one(_ request: Request, _ context: Context) async throws -> Response {
        let id = PaymentEventId(try context.decodedParameter("eventId"))
        let event = try await event(id, for: context.caller)
        guard case .object(var object) = event.json else { return Response(event.json) }
        object.members.append(.init("content", event.content))
        return Response(.object(object))
    }

    @Sendable private func apply(_ request: Request, _ context: Context) async throws -> Response {
        let id = PaymentEventId(try context.decodedParameter("eventId"))
        _ = try await event(id, for: context.caller)
        guard let payments = system.payments else { throw Problem.notFound("no payment provider is configured") }
        return Response(try await payments.applyAgain(id).json)
    }

    @Sendable private func dismiss(_ request: Request, _ context: Context) async throws -> Response {
        let id = PaymentEventId(try context.decodedParameter("eventId"))
        let body = try await RequestBody.json(of: request, upTo: context.bodyLimits.body)
        let (reason, author) = try Self.dismissal(body, caller: context.caller)
        _ = try await event(id, for: context.caller)
        guard let payments = system.payments else { throw Problem.notFound("no payment provider is configured") }
        return Response(try await payments.dismiss(id, reason: reason, by: author).json)
    }

    private static func dismissal(_ body: JSONValue, caller: Caller) throws -> (reason: String, author: String?) {
        var fields = try RequestDecoder(body, known: RequestMembers.paymentEventDismissal)
        let reason = fields.string("reason", maximum: 500) ?? ""
        let isNamed = caller.author != nil || body.objectValue?["by"] != nil
        let author = isNamed ? fields.author("by", maximum: 128, caller: caller.author) : nil
        try fields.throwFaults()
        return (reason, author)
    }

    /// Returns an event of an app that the caller has access to.
    private func event(_ id: PaymentEventId, for caller: Caller) async throws -> StoredPaymentEvent {
        guard let event = try await system.lists.paymentEvent(id),
            caller.bundleId == nil || caller.bundleId == event.bundleId
        else { throw Problem.notFound("no payment event has this id") }
        return event
    }
}

extension StoredPaymentEvent {
    fileprivate var json: JSONValue { .object(JSONObject(Self.fields.listMembers(of: self))) }
}
