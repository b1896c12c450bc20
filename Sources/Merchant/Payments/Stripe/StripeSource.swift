package import ExternalPurchaseCore
package import Ledger

/// The accounts of Stripe whose events the server receives.
package struct StripeSource: PaymentSource {
    /// An entry of `stripe` in the configuration.
    package struct Entry: Sendable {
        package let account: PaymentAccount
        /// The signing secrets of the webhook endpoint (`whsec_…`); a second one is being rotated out.
        package let signingSecrets: [String]
        /// Reads what events leave out; nil without an API key.
        package let api: (any StripeAPI)?

        package init(account: PaymentAccount, signingSecrets: [String], api: (any StripeAPI)?) {
            self.account = account
            self.signingSecrets = signingSecrets
            self.api = api
        }
    }

    package let entries: [Entry]

    package init(entries: [Entry]) {
        self.entries = entries
    }

    package var provider: PaymentProvider { .stripe }
    package var interpretation: Int64 { StripeInterpreter.version }
    package var accounts: [PaymentAccount] { entries.map(\.account) }

    // MARK: Arrival

    package func receive(_ delivery: PaymentDelivery) throws(PaymentRefusal) -> PaymentEvent {
        let secrets = entries.flatMap { entry in
            entry.signingSecrets.map { (secret: $0, bundleId: entry.account.bundleId) }
        }
        let match: Int
        do throws(StripeSignature.Failure) {
            match = try StripeSignature.verify(
                delivery.body,
                header: delivery.header(StripeSignature.header),
                secrets: secrets.map(\.secret),
                now: delivery.machineTime
            )
        } catch {
            throw .signature(error.description)
        }
        // Entries that share a signing secret share an account; metadata then selects the app.
        let apps = Set(secrets.filter { $0.secret == secrets[match].secret }.map(\.bundleId)).sorted()
        do throws(StripeEventError) {
            return Self.event(try StripeEvent(body: delivery.body), of: apps)
        } catch {
            throw .unreadable(error.description)
        }
    }

    /// What is stored of an event whose origin is verified.
    package static func event(_ event: StripeEvent, of apps: [BundleId]) -> PaymentEvent {
        PaymentEvent(
            id: event.id,
            type: event.type,
            isLive: event.isLive,
            createdAt: event.created,
            content: event.reduced,
            customerId: event.customerId,
            bundleId: event.bundleId,
            apps: apps,
            objects: Set(event.objectIds.map { PaymentObjectName($0.rawValue) }).union(event.references.map(\.name))
        )
    }

    // MARK: Interpretation

    package func interpret(
        _ events: [StoredPaymentEvent],
        _ known: KnownPayments,
        answers: (PaymentRequest) throws(LedgerError) -> [JSONValue]?
    ) throws(LedgerError) -> PaymentReading {
        var read: [StripeEvent] = []
        for stored in events {
            do throws(StripeEventError) {
                read.append(try StripeEvent(json: stored.content, isStored: true))
            } catch {
                throw .corrupt("the payment event \(stored.eventId) cannot be read: \(error)")
            }
        }
        let own = entries(of: Set(events.flatMap(\.apps)).sorted())
        let interpreter = StripeInterpreter(
            accounts: own.map(\.account),
            canFetch: own.contains { $0.api != nil }
        )
        var fetched = StripeFetched()
        while true {
            var reading = interpreter.interpret(
                read,
                fetched: fetched,
                standing: known.standing,
                retracted: known.retracted,
                posted: known.posted,
                postedRefunds: known.postedRefunds,
                known: known.references
            )
            var isComplete = true
            for request in reading.requests where fetched.answers[request] == nil {
                guard let answer = try answers(request) else { continue }
                fetched.answers[request] = answer
                isComplete = false
            }
            guard isComplete else { continue }
            reading.requests = reading.requests.filter { fetched.answers[$0] == nil }
            for request in fetched.answers.keys {
                guard let asked = request.objectId else { continue }
                let objects = fetched.objectIds(of: request).map { PaymentObjectName($0.rawValue) }
                reading.connections[PaymentObjectName(asked), default: []].formUnion(objects)
            }
            return reading
        }
    }

    // MARK: Configuration

    /// The entries of the given apps.
    private func entries(of apps: [BundleId]) -> [Entry] { entries.filter { apps.contains($0.account.bundleId) } }

    /// The given apps and those that share a signing secret with them, directly or through others.
    ///
    /// Who has the secret of one endpoint can write events of its apps only: events of endpoints without a common app are
    /// never connected, whatever objects they name.
    package func appsOfEndpoint(_ apps: [BundleId]) -> Set<BundleId> {
        var found = Set(apps)
        while true {
            let secrets = Set(entries.filter { found.contains($0.account.bundleId) }.flatMap(\.signingSecrets))
            let sharing = entries.filter { !secrets.isDisjoint(with: $0.signingSecrets) }.map(\.account.bundleId)
            guard !found.isSuperset(of: sharing) else { return found }
            found.formUnion(sharing)
        }
    }

    package func api(of apps: [BundleId]) -> (any PaymentAPI)? { entries(of: apps).lazy.compactMap(\.api).first }

    /// Each endpoint has its own answers, because another account's API does not know its objects.
    package func storedName(of request: PaymentRequest, for apps: [BundleId]) -> String {
        let own = appsOfEndpoint(apps)
        if entries.allSatisfy({ own.contains($0.account.bundleId) }) { return request.path }
        return "\(request.path) \(own.sorted().map(\.rawValue).joined(separator: ","))"
    }

    package func reduced(_ object: JSONValue) -> JSONValue { object.reducedObject }
}

/// A client of Stripe's API.
package protocol StripeAPI: PaymentAPI {
    /// Returns the elements of a list over all its pages, or one object; empty if Stripe answers 404.
    func fetch(_ request: PaymentRequest) async throws(StripeAPIError) -> [JSONValue]

    /// Returns a page of events, newest first, of a range of creation times in whole seconds.
    ///
    /// - Parameter before: the id of the last event of the previous page; nil for the first page.
    func events(
        from: Timestamp,
        through: Timestamp,
        before: String?
    ) async throws(StripeAPIError) -> (events: [JSONValue], hasMore: Bool)
}

/// The reason why Stripe's API gave no usable answer.
package enum StripeAPIError: Error, Hashable, Sendable, CustomStringConvertible {
    /// 401: the API key is wrong or revoked.
    case unauthorized
    /// 403: the API key may not read these objects.
    case forbidden
    case rateLimited
    /// An answer with another status or a body that is no JSON.
    case unusable(String)
    case noAnswer(String)

    package var description: String {
        switch self {
        case .unauthorized: "Stripe refuses the API key, which is wrong or revoked"
        case .forbidden: "Stripe refuses the API key; it needs read access to the objects named in docs/stripe.md"
        case .rateLimited: "Stripe limits the rate of requests"
        case .unusable(let detail): "Stripe's answer cannot be used: \(detail)"
        case .noAnswer(let detail): "Stripe does not answer: \(detail)"
        }
    }
}
