import ExternalPurchaseCore

/// What was authorised and not captured, which no customer paid and nothing gives back.
///
/// Until 2025-03-31 Stripe released it with a refund of its own, which `amount_refunded` of the charge contains, and sent the
/// events of a refund. The version of the request that captured decides, and an event has the version of its endpoint: what
/// is known of the refunds counts before the version.
/// https://docs.stripe.com/changelog/basil/2025-03-31/remove-refund-from-partial-capture-and-payment-cancellation-flow
struct StripeReleases: Sendable {
    private struct Refund {
        let id: StripeObjectId
        let amount: Int64
        let created: Timestamp
        let isBeforeBasil: Bool
        /// True for the release of an authorisation that expired.
        let isExpiry: Bool
        var isFailed: Bool
    }

    private struct Authorisation {
        /// What was authorised and not captured, by the newest state.
        var rest: Int64 = 0
        var isCaptured = false
        var captures: [StripeEvent] = []
        var refunds: [Refund] = []
        /// The refund that released the rest.
        var release: StripeObjectId?
    }

    /// By the payment intent, else by the charge.
    private var authorisations: [StripeObjectId: Authorisation] = [:]

    /// - Parameter events: the events of a group, sorted.
    init(_ events: [StripeEvent], _ links: StripeLinks) {
        for event in events {
            guard let object = StripeObject(event.object), let id = object.id("id") else { continue }
            switch event.kind {
            case .intent:
                add(event, object, object["amount_received"]?.int64Value, isCapture: true, to: id)
            case .charge, .refundedCharge:
                let key = object.id("payment_intent") ?? links.intentOfCharge[id] ?? id
                add(event, object, object.captured, isCapture: event.type == "charge.captured", to: key)
            case .refund:
                let (intent, charge) = (object.id("payment_intent"), object.id("charge"))
                guard let key = intent ?? charge.flatMap({ links.intentOfCharge[$0] }) ?? charge,
                    let amount = object["amount"]?.int64Value
                else { continue }
                let created = (try? object.time("created")) ?? event.created
                let isFailed = event.type == "refund.failed" || object["status"]?.stringValue == "failed"
                let isExpiry = object["reason"]?.stringValue == "expired_uncaptured_charge"
                let known = authorisations[key]?.refunds.firstIndex { $0.id == id }
                if let known {
                    if isFailed { authorisations[key]?.refunds[known].isFailed = true }
                } else {
                    authorisations[key, default: Authorisation()].refunds.append(
                        Refund(
                            id: id,
                            amount: amount,
                            created: created,
                            isBeforeBasil: event.isBeforeBasil,
                            isExpiry: isExpiry,
                            isFailed: isFailed
                        )
                    )
                }
            default: break
            }
        }
        for (key, authorisation) in authorisations {
            authorisations[key]?.release = authorisation.refunds.first(where: \.isExpiry)?.id
            guard authorisation.rest > 0, !authorisation.refunds.contains(where: \.isExpiry) else { continue }
            let refunds = authorisation.refunds.filter { $0.amount == authorisation.rest }
                .sorted { ($0.created, $0.id) < ($1.created, $1.id) }
            let release = refunds.first { refund in
                if !authorisation.isCaptured { return true }
                if authorisation.captures.isEmpty { return refund.isBeforeBasil }
                // One request captures and releases.
                return authorisation.captures.contains {
                    abs($0.created.milliseconds - refund.created.milliseconds) <= 10_000
                }
            }
            authorisations[key]?.release = release?.id
        }
    }

    private mutating func add(
        _ event: StripeEvent,
        _ object: StripeObject,
        _ captured: Int64?,
        isCapture: Bool,
        to key: StripeObjectId
    ) {
        guard let amount = object["amount"]?.int64Value, let captured else { return }
        if isCapture { authorisations[key, default: Authorisation()].captures.append(event) }
        // Before it is captured or released, nothing of an authorisation is left over.
        guard captured > 0 || event.kind == .refundedCharge else { return }
        authorisations[key, default: Authorisation()].rest = max(0, amount &- captured)
        authorisations[key]?.isCaptured = captured > 0
    }

    /// Whether a refund released the rest of an authorisation.
    func isRelease(_ refund: StripeObjectId) -> Bool { authorisations.values.contains { $0.release == refund } }

    /// Whether nothing of an authorisation was captured, and nothing will be.
    func isWhole(_ payment: StripeObjectId) -> Bool {
        authorisations[payment].map { !$0.isCaptured && ($0.rest > 0 || $0.refunds.contains(where: \.isExpiry)) }
            ?? false
    }

    /// What `amount_refunded` of a charge contains that was never paid.
    ///
    /// - Parameters:
    ///   - charge: the charge as an event has it.
    ///   - event: the event.
    func released(in charge: StripeObject, _ event: StripeEvent, _ links: StripeLinks) throws(NoSale) -> Int64 {
        let refunded = try charge.repaidAmount("amount_refunded")
        let amount = try charge.integer("amount") ?? refunded
        let captured = charge.captured ?? amount
        let rest = max(0, amount &- captured)
        guard rest > 0, refunded >= rest else { return 0 }
        if refunded > captured { return rest }
        let id = charge.id("id")
        let key = charge.id("payment_intent") ?? id.flatMap { links.intentOfCharge[$0] } ?? id
        let authorisation = key.flatMap { authorisations[$0] }
        let known = authorisation?.refunds.filter { $0.created <= event.created && !$0.isFailed } ?? []
        if known.contains(where: { $0.id == authorisation?.release }) { return rest }
        let paidBack = known.reduce(0) { $0 &+ $1.amount }
        if paidBack > refunded &- rest { return 0 }
        // The account may have a newer version by now than when it captured.
        return authorisation?.captures.last?.isBeforeBasil ?? event.isBeforeBasil ? rest : 0
    }
}

extension StripeObject {
    /// What was captured of a charge; before 2025-03-31 a canceled authorisation has null.
    fileprivate var captured: Int64? {
        self["amount_captured"]?.int64Value ?? (self["captured"]?.boolValue == false ? 0 : nil)
    }
}

extension StripeEvent {
    /// True for the API versions in which a partial capture made a refund.
    fileprivate var isBeforeBasil: Bool {
        apiVersion.map { $0.utf8.lexicographicallyPrecedes("2025-03-31".utf8) } ?? true
    }
}
