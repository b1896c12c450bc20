import ExternalPurchaseCore
public import Foundation

/// In which storefronts the developer's server lets the app offer external purchases (EK-70).
public struct PurchasePolicy: Hashable, Sendable {
    /// What holds in a storefront.
    public struct Terms: Hashable, Sendable {
        /// Whether external purchases are offered.
        public let isOffered: Bool
        /// Whether tokens are requested; a token obliges the developer to a report.
        public let requestsTokens: Bool
        /// A text for customers who may not buy; nil for none.
        public let message: String?
    }

    /// The largest size of an answer in bytes.
    static let largestSize = 65_536

    /// What holds in a storefront, by its alpha-3 code.
    public let storefronts: [String: Terms]
    /// What holds in every other storefront.
    public let standard: Terms
    /// The moment from which the server is to be asked again; nil if it does not say.
    public let until: Date?

    /// Reads the answer of `GET /v1/policy`; nil for anything else, such as the login page of a network.
    ///
    /// - Parameter answer: the body.
    public init?(_ answer: Data) {
        guard answer.count <= Self.largestSize, let object = (try? JSONReader().read(Array(answer)))?.objectValue,
            let standard = Terms(object["default"])
        else { return nil }
        var storefronts: [String: Terms] = [:]
        for member in object["storefronts"]?.objectValue?.members ?? [] {
            guard let terms = Terms(member.value) else { return nil }
            storefronts[member.key] = terms
        }
        self.storefronts = storefronts
        self.standard = standard
        until = object["until"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
            .map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1_000) }
    }

    /// Returns what holds in a storefront.
    ///
    /// - Parameter storefront: the alpha-3 code; nil for none.
    public func terms(in storefront: String?) -> Terms { storefront.flatMap { storefronts[$0] } ?? standard }
}

extension PurchasePolicy.Terms {
    fileprivate init?(_ value: JSONValue?) {
        guard let object = value?.objectValue, let isOffered = object["offered"]?.boolValue,
            let requestsTokens = object["requestsTokens"]?.boolValue
        else { return nil }
        self.isOffered = isOffered
        self.requestsTokens = requestsTokens
        message = object["message"]?.stringValue
    }
}

/// A transport that can also ask the developer's server for its policy, such as `HTTPTokenTransport`.
public protocol PolicyTransport: Sendable {
    /// Asks for the policy of the app: `GET /v1/policy` (EK-70). The call must end.
    ///
    /// - Returns: the body of the answer.
    /// - Throws: any error where there is no answer, or another one than 200.
    func policy() async throws -> Data
}

/// Asks the developer's server for its policy, and keeps the last answer on disk (EK-70).
///
/// ```swift
/// configuration.policy = PolicyClient(file: folder.appending(path: "policy.json")) { try await transport.policy() }
/// ```
public actor PolicyClient {
    /// What holds while no answer was ever received.
    public enum Unknown: Hashable, Sendable {
        /// Nothing is offered.
        case closed
        /// Everything is offered, and tokens are requested.
        case open
    }

    private let file: URL
    private let unknown: Unknown
    private let now: @Sendable () -> Date
    private let fetch: @Sendable () async throws -> Data
    private var kept: PurchasePolicy?
    private var isRead = false

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - file: keeps the last answer; its folder exists or is created.
    ///   - unknown: what holds while no answer was ever received.
    ///   - now: the time.
    ///   - fetch: asks the server and returns the body of its answer. It must end.
    public init(
        file: URL,
        whileUnknown unknown: Unknown = .closed,
        now: @escaping @Sendable () -> Date = { Date() },
        fetch: @escaping @Sendable () async throws -> Data
    ) {
        self.file = file
        self.unknown = unknown
        self.now = now
        self.fetch = fetch
    }

    /// The last answer; nil if there was never one.
    public var policy: PurchasePolicy? {
        if !isRead {
            isRead = true
            kept = (try? Data(contentsOf: file)).flatMap { PurchasePolicy($0) }
        }
        return kept
    }

    /// Asks the server, unless the last answer still holds.
    ///
    /// An answer that is not a policy, and none, leaves the last one in place.
    public func refresh() async {
        if let until = policy?.until, now() < until { return }
        guard let answer = try? await fetch(), let new = PurchasePolicy(answer) else { return }
        kept = new
        // An answer that the disk refuses holds until the process ends.
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try? answer.write(to: file, options: .atomic)
    }

    /// What holds in a storefront, and why nothing is offered.
    func terms(in storefront: String?) -> (terms: PurchasePolicy.Terms, reason: String) {
        if let policy {
            let terms = policy.terms(in: storefront)
            return (terms, terms.message ?? "the server's policy does not offer it in this storefront")
        }
        let isOpen = unknown == .open
        return (
            PurchasePolicy.Terms(isOffered: isOpen, requestsTokens: isOpen, message: nil),
            "the server's policy could not be read, and none was kept"
        )
    }
}
