package import ExternalPurchaseCore
package import Ledger

/// A provider whose payments the server reads: it verifies requests, reads the objects in them, and derives statements and sales.
///
/// What comes after a ``PaymentReading`` knows no provider.
package protocol PaymentSource: Sendable {
    var provider: PaymentProvider { get }
    /// The version of the interpretation, which stands beside each event that it decided.
    var interpretation: Int64 { get }
    /// The entries of the configuration.
    var accounts: [PaymentAccount] { get }

    /// Verifies a request and reads its event.
    ///
    /// - Throws: ``PaymentRefusal``; nothing of such a request is stored.
    func receive(_ delivery: PaymentDelivery) throws(PaymentRefusal) -> PaymentEvent

    /// Interprets stored events that are connected by their objects.
    ///
    /// The result depends on the set of events and on what is known, never on the order of arrival.
    ///
    /// - Parameter answers: gives the stored answer to a request; nil for one that was not sent.
    /// - Throws: the error of `answers`; ``LedgerError/corrupt(_:)`` for an event that cannot be read.
    func interpret(
        _ events: [StoredPaymentEvent],
        _ known: KnownPayments,
        answers: (PaymentRequest) throws(LedgerError) -> [JSONValue]?
    ) throws(LedgerError) -> PaymentReading

    /// The given apps and those whose events may be about the same objects.
    ///
    /// Who has the secret of one app says nothing of another app's payments.
    func appsOfEndpoint(_ apps: [BundleId]) -> Set<BundleId>

    /// Reads what events leave out; nil where they leave nothing out, or without access.
    func api(of apps: [BundleId]) -> (any PaymentAPI)?
    /// The name under which the answer to a request is stored.
    func storedName(of request: PaymentRequest, for apps: [BundleId]) -> String
    /// What is stored of a fetched object.
    func reduced(_ object: JSONValue) -> JSONValue
}

extension PaymentSource {
    package func appsOfEndpoint(_ apps: [BundleId]) -> Set<BundleId> { Set(apps) }
    package func api(of apps: [BundleId]) -> (any PaymentAPI)? { nil }
    package func storedName(of request: PaymentRequest, for apps: [BundleId]) -> String { request.path }
    package func reduced(_ object: JSONValue) -> JSONValue { object }

    /// The entries of the given apps.
    package func accounts(of apps: [BundleId]) -> [PaymentAccount] { accounts.filter { apps.contains($0.bundleId) } }
}

/// A request to a webhook.
package struct PaymentDelivery: Sendable {
    /// The bytes as received.
    package let body: [UInt8]
    /// The value of a header; nil if there is none.
    package let header: @Sendable (String) -> String?
    /// The machine's clock, with which a signature's time is compared, also if the server follows another clock.
    package let machineTime: Timestamp

    package init(body: [UInt8], machineTime: Timestamp, header: @escaping @Sendable (String) -> String?) {
        self.body = body
        self.machineTime = machineTime
        self.header = header
    }
}

/// Why nothing of a request is stored.
package enum PaymentRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The signature is wrong.
    case signature(String)
    /// The body is signed, but it is not what the provider sends.
    case unreadable(String)
    /// Members of the body are wrong: JSON pointers, each with what would be right.
    case invalid([Member])

    package struct Member: Hashable, Sendable {
        package let path: String
        package let message: String
    }

    package var description: String {
        switch self {
        case .signature(let text), .unreadable(let text): text
        case .invalid(let members): members.map { "\($0.path): \($0.message)" }.joined(separator: "; ")
        }
    }
}

/// An event as a source read it, before it is stored.
package struct PaymentEvent: Hashable, Sendable {
    /// The same for every delivery of the event.
    package let id: String
    package let type: String
    package let isLive: Bool
    /// The time that the provider states.
    package let createdAt: Timestamp
    /// What is stored of it, from which it is interpreted.
    package let content: JSONValue
    /// The merchant's customer whom it names.
    package let customerId: CustomerId?
    /// The app that it names.
    package let bundleId: BundleId?
    /// The apps whose entries have the secret that signed it.
    package let apps: [BundleId]
    /// The ids of the objects that it names, and its ``PaymentReference``s.
    package let objects: Set<PaymentObjectName>
    /// True if a delivery with this id and other content is refused.
    package let isExact: Bool
    /// What the event says of an object that many payments share; nil for most events.
    package let provided: Provided?

    /// The answer to a request of interpretations, which an event brings before it is asked for.
    package struct Provided: Hashable, Sendable {
        package let request: PaymentRequest
        package let answer: JSONValue
    }

    package init(
        id: String,
        type: String,
        isLive: Bool,
        createdAt: Timestamp,
        content: JSONValue,
        customerId: CustomerId?,
        bundleId: BundleId?,
        apps: [BundleId],
        objects: Set<PaymentObjectName>,
        isExact: Bool = false,
        provided: Provided? = nil
    ) {
        self.id = id
        self.type = type
        self.isLive = isLive
        self.createdAt = createdAt
        self.content = content
        self.customerId = customerId
        self.bundleId = bundleId
        self.apps = apps
        self.objects = objects
        self.isExact = isExact
        self.provided = provided
    }
}

/// What the ledger knows of the payments of connected events.
package struct KnownPayments: Sendable {
    /// The sales that the events gave and that count; they keep what they say unless the reading restates them.
    package var standing: [Sale] = []
    /// The ids of sales that the events gave and withdrew; none of them can count again.
    package var withdrawn: Set<SaleId> = []
    /// The refunds of which events had at least one line retracted; those of which a line is left stand.
    package var retracted: Set<SaleId> = []
    /// The sales of callers that name a payment of these events; its events give none.
    package var posted: [Sale] = []
    /// The refunds that callers sent of these sales under the provider's ids, and of which no event gave a sale; read where events
    /// tell sums of refunds.
    package var postedRefunds: [Sale] = []
    package var references = PaymentReferences()
    /// True if a token of the customer whom the events name is known.
    package var isOfKnownCustomer = false

    package init() {}
}

/// A request to a provider's API for what an event leaves out.
package struct PaymentRequest: Hashable, Sendable {
    /// Path and query; every list is read over all its pages.
    package let path: String
    /// True if the answer is a list, false if it is one object.
    package let isList: Bool
    /// The payment object that the answer concerns; nil for one that many payments share.
    package let objectId: String?
    /// True if the answer names the objects with which the asked one is connected; empty, it may be another one later.
    package let connects: Bool

    package init(path: String, isList: Bool, objectId: String?, connects: Bool = false) {
        self.path = path
        self.isList = isList
        self.objectId = objectId
        self.connects = connects
    }
}

/// A client of a provider's API.
package protocol PaymentAPI: Sendable {
    /// Returns the elements of a list over all its pages, or one object; empty if the provider answers 404.
    func fetch(_ request: PaymentRequest) async throws -> [JSONValue]
}
