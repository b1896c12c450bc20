package import ExternalPurchaseCore
package import Ledger

/// The accounts of Paddle Billing whose events the server receives.
///
/// The newest state of a transaction and of each of its adjustments counts, by `occurred_at`. Paddle is the seller of record:
/// it computes and pays the tax, and the price that the customer paid is reported with that tax.
package struct PaddleSource: PaymentSource {
    private let entries: [WebhookEntry]

    package init(entries: [WebhookEntry]) { self.entries = entries }

    package var provider: PaymentProvider { .paddle }
    package var interpretation: Int64 { 1 }
    package var accounts: [PaymentAccount] { entries.map(\.account) }

    package func receive(_ delivery: PaymentDelivery) throws(PaymentRefusal) -> PaymentEvent {
        let secrets = entries.flatMap { entry in entry.secrets.map { (secret: $0, entry: entry) } }
        let match = try PaddleSignature.verify(delivery, secrets: secrets.map(\.secret))
        let json: JSONValue
        var reader = JSONReader()
        // A customer's name must not keep a payment from being reported.
        reader.interruptsRuns = true
        do { json = try reader.read(delivery.body) } catch { throw .unreadable("the body \(error.message())") }
        let event = try PaddleEvent(json)
        let custom = event.entity.object("custom_data")
        let apps = Set(secrets.filter { $0.secret == secrets[match].secret }.map(\.entry.account.bundleId)).sorted()
        return PaymentEvent(
            id: event.id,
            type: event.type,
            isLive: secrets[match].entry.isLive,
            createdAt: event.occurredAt,
            content: event.reduced,
            customerId: custom?.members["external_purchase_customer"]?.stringValue.map { CustomerId($0) },
            bundleId: custom?.code("external_purchase_bundle").map { BundleId($0) },
            apps: apps,
            objects: Set(event.objectIds.map { PaymentObjectName($0) }).union(event.references.map(\.name)),
            provided: event.provided
        )
    }

    /// The given apps and those that share a secret with them.
    package func appsOfEndpoint(_ apps: [BundleId]) -> Set<BundleId> {
        let secrets = Set(entries.filter { apps.contains($0.account.bundleId) }.flatMap(\.secrets))
        return Set(apps).union(entries.filter { !secrets.isDisjoint(with: $0.secrets) }.map(\.account.bundleId))
    }

    /// Each endpoint knows its own addresses.
    package func storedName(of request: PaymentRequest, for apps: [BundleId]) -> String {
        "\(request.path) \(appsOfEndpoint(apps).sorted().map(\.rawValue).joined(separator: ","))"
    }

    package func interpret(
        _ events: [StoredPaymentEvent],
        _ known: KnownPayments,
        answers: (PaymentRequest) throws(LedgerError) -> [JSONValue]?
    ) throws(LedgerError) -> PaymentReading {
        var read: [PaddleEvent] = []
        for stored in events {
            do throws(PaymentRefusal) {
                read.append(try PaddleEvent(stored.content))
            } catch {
                throw .corrupt("the payment event \(stored.eventId) cannot be read: \(error)")
            }
        }
        // Money moved in production: an event of the sandbox does not stop it.
        let isLive = events.contains(where: \.isLive)
        let foreign = Set(events.filter { $0.isLive != isLive }.map(\.eventId.rawValue))
        let used = read.filter { !foreign.contains($0.id) }
            .sorted { ($0.occurredAt, $0.id) < ($1.occurredAt, $1.id) }
        let apps = Set(events.flatMap(\.apps))
        var interpretation = PaddleInterpretation(
            accounts: entries.filter { $0.isLive == isLive && apps.contains($0.account.bundleId) }.map(\.account)
                .merged(),
            events: used,
            isLive: isLive,
            known: known
        )
        for address in interpretation.addresses {
            let request = PaymentRequest(path: "addresses/\(address)", isList: false, objectId: nil)
            interpretation.countries[address] = try answers(request)?.first?.stringValue
        }
        var reading = interpretation.read()
        let reason = PaymentReason(.environment, "events of live mode name the same objects as this one of the sandbox")
        for id in foreign { reading.outcomes[id] = .held(reason) }
        return reading
    }
}

extension PaddleEvent {
    /// The country of an address, which transactions name by its id.
    var provided: PaymentEvent.Provided? {
        guard kind == .address, let id = entity.code("id"), let code = entity.code("country_code"),
            let country = Country.alpha2(code)
        else { return nil }
        let request = PaymentRequest(path: "addresses/\(id)", isList: false, objectId: nil)
        return PaymentEvent.Provided(request: request, answer: .string(country.alpha3))
    }
}
