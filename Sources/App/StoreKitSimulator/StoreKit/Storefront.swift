public import Foundation

/// The App Store country of the customer's account.
public struct Storefront: Identifiable, Sendable {
    /// The type of the identifier.
    public typealias ID = String

    /// ISO 3166-1 alpha-3, `NLD`.
    public let countryCode: String
    /// The identifier of the storefront.
    ///
    /// The simulator uses the country code; Apple's numbers are not reproduced.
    public let id: String

    init(countryCode: String) {
        self.countryCode = countryCode
        id = countryCode
    }

    /// The currency of the storefront's country; nil for a code that is not a country.
    public var currency: Locale.Currency? { Currencies.currency(ofStorefront: countryCode) }

    /// The current storefront; nil when there is none.
    public static var current: Storefront? {
        get async { StoreKitSession.current.storefront.map(Storefront.init(countryCode:)) }
    }

    /// A sequence of future storefronts, one for each change (SK-7).
    public static var updates: Storefronts { Storefronts(session: .current) }

    /// A sequence of storefronts that ends when the reading task ends.
    public struct Storefronts: AsyncSequence, Sendable {
        /// The type of the elements.
        public typealias Element = Storefront

        let session: StoreKitSession

        /// The iterator of the sequence.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var base: AsyncStream<Storefront>.Iterator

            /// Waits for the next change; nil when the task is cancelled.
            public mutating func next() async -> Storefront? { await base.next() }
        }

        /// Starts to observe changes of the storefront.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(base: session.storefrontChanges().makeAsyncIterator())
        }
    }
}
