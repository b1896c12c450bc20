public import Foundation

/// The App Store country of the customer's account.
public struct Storefront: Identifiable, Sendable {
    /// The type of the identifier.
    public typealias ID = String

    /// ISO 3166-1 alpha-3, `NLD`.
    public let countryCode: String
    /// Names the storefront; here the country code, Apple's numbers are not reproduced.
    public let id: String

    init(countryCode: String) {
        self.countryCode = countryCode
        id = countryCode
    }

    /// The currency of the storefront's country, nil for a code that is no country.
    public var currency: Locale.Currency? { Currencies.currency(ofStorefront: countryCode) }

    /// The storefront now, nil when there is none.
    public static var current: Storefront? {
        get async { StoreKitSession.current.storefront.map(Storefront.init(countryCode:)) }
    }

    /// The storefronts to come, one for every change (SK-7).
    public static var updates: Storefronts { Storefronts(session: .current) }

    /// A sequence of storefronts that ends with the task that reads it.
    public struct Storefronts: AsyncSequence, Sendable {
        /// A storefront.
        public typealias Element = Storefront

        let session: StoreKitSession

        /// Reads the storefronts one after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var base: AsyncStream<Storefront>.Iterator

            /// Waits for the next change, nil when the task is cancelled.
            public mutating func next() async -> Storefront? { await base.next() }
        }

        /// Begins to listen: changes from now on are delivered.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(base: session.storefrontChanges().makeAsyncIterator())
        }
    }
}
