package import ExternalPurchaseCore
package import Payments

/// The accounts of Stripe whose events the server receives.
package struct StripeSettings: Sendable {
    /// An entry of `stripe` in the configuration.
    package struct Entry: Sendable {
        package let account: StripeAccount
        /// The signing secrets of the webhook endpoint (`whsec_…`); a second one is being rotated out.
        package let signingSecrets: [String]
        /// Reads what events leave out; nil without an API key.
        package let api: (any StripeAPI)?

        package init(account: StripeAccount, signingSecrets: [String], api: (any StripeAPI)?) {
            self.account = account
            self.signingSecrets = signingSecrets
            self.api = api
        }
    }

    package let entries: [Entry]

    package init(entries: [Entry]) {
        self.entries = entries
    }

    /// The entries of the given apps.
    func entries(of apps: [BundleId]) -> [Entry] { entries.filter { apps.contains($0.account.bundleId) } }

    /// The given apps and those that share a signing secret with them, directly or through others.
    ///
    /// Who has the secret of one endpoint can write events of its apps only: events of endpoints without a common app are
    /// never connected, whatever objects they name.
    func appsOfEndpoint(_ apps: [BundleId]) -> Set<BundleId> {
        var found = Set(apps)
        while true {
            let secrets = Set(entries.filter { found.contains($0.account.bundleId) }.flatMap(\.signingSecrets))
            let sharing = entries.filter { !secrets.isDisjoint(with: $0.signingSecrets) }.map(\.account.bundleId)
            guard !found.isSuperset(of: sharing) else { return found }
            found.formUnion(sharing)
        }
    }

    /// The name under which the answer to a request is stored.
    ///
    /// Each endpoint has its own answers, because another account's API does not know its objects.
    func storedName(of request: StripeRequest, for apps: [BundleId]) -> String {
        let own = appsOfEndpoint(apps)
        if entries.allSatisfy({ own.contains($0.account.bundleId) }) { return request.path }
        return "\(request.path) \(own.sorted().map(\.rawValue).joined(separator: ","))"
    }
}

/// A client of Stripe's API.
package protocol StripeAPI: Sendable {
    /// Returns the elements of a list over all its pages, or one object; empty if Stripe answers 404.
    func fetch(_ request: StripeRequest) async throws(StripeAPIError) -> [JSONValue]

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
    /// The API key is missing, wrong or restricted.
    case unauthorized
    case rateLimited
    /// An answer with another status or a body that is no JSON.
    case unusable(String)
    case noAnswer(String)

    package var description: String {
        switch self {
        case .unauthorized: "Stripe refuses the API key; it needs read access to the objects named in docs/stripe.md"
        case .rateLimited: "Stripe limits the rate of requests"
        case .unusable(let detail): "Stripe's answer cannot be used: \(detail)"
        case .noAnswer(let detail): "Stripe does not answer: \(detail)"
        }
    }
}
