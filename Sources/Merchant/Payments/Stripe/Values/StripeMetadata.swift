import ExternalPurchaseCore
import Ledger

/// What the shop wrote into the metadata of an object: whose sale it is, and of which app.
struct StripeMetadata: Hashable, Sendable {
    private(set) var checkoutId: CheckoutId?
    private(set) var customerId: CustomerId?
    private(set) var externalPurchaseId: ExternalPurchaseId?
    private(set) var bundleId: BundleId?
    /// The reported product of a payment intent that no Checkout session collects.
    private(set) var productId: String?
    /// The subscription and the paid period of a payment in a subscription that the shop runs by itself.
    private(set) var charged: Charged?
    /// True when the metadata has a member `external_purchase_…`.
    private(set) var isOurs = false

    /// A period of a subscription that Stripe does not know.
    struct Charged: Hashable, Sendable {
        let subscriptionId: SubscriptionId
        let period: SubscriptionPeriod
    }

    static let none = StripeMetadata()

    private static let prefix = "external_purchase_"
    /// The largest number of characters of a checkoutId.
    static let longestCheckout = 128

    private init() {}

    /// Reads `metadata`, and `client_reference_id` as the checkout if the metadata names none.
    ///
    /// A `client_reference_id` that cannot be a checkoutId, because it is too long or has control characters, is the
    /// shop's own and not used: no landing address and no token can have brought such a checkout.
    init(_ metadata: StripeObject?, clientReference: String? = nil) throws(NoSale) {
        if let metadata {
            checkoutId = try Self.text("checkout", in: metadata, maximum: Self.longestCheckout).map { CheckoutId($0) }
            customerId = try Self.text("customer", in: metadata, maximum: 128).map { CustomerId($0) }
            externalPurchaseId = try Self.text("id", in: metadata, maximum: 256).map { ExternalPurchaseId($0) }
            bundleId = try Self.text("bundle", in: metadata, maximum: 256).map { BundleId($0) }
            productId = try Self.text("product", in: metadata, maximum: 256)
            charged = try Self.charged(in: metadata)
            isOurs = [
                checkoutId?.rawValue, customerId?.rawValue, externalPurchaseId?.rawValue, bundleId?.rawValue, productId,
                charged?.subscriptionId.rawValue,
            ].contains { $0 != nil }
        }
        if checkoutId == nil { checkoutId = clientReference.flatMap(Self.checkout(reference:)) }
    }

    /// The checkout that a session names by its `client_reference_id`.
    static func checkout(of session: StripeObject) -> CheckoutId? {
        session["client_reference_id"]?.stringValue.flatMap(checkout(reference:))
    }

    private static func checkout(reference: String) -> CheckoutId? {
        guard (1...longestCheckout).contains(reference.unicodeScalars.count), reference.isPrintableId else {
            return nil
        }
        return CheckoutId(reference)
    }

    /// Whether an object has metadata of an external purchase, at whatever depth, usable or not.
    static func isNamed(in value: JSONValue) -> Bool {
        switch value {
        case .object(let object):
            object.members.contains { member in
                if member.key.hasSameScalars(as: "metadata"), let metadata = member.value.objectValue {
                    return metadata.members.contains { $0.key.hasPrefix(prefix) }
                }
                return isNamed(in: member.value)
            }
        case .array(let elements): elements.contains(where: isNamed)
        default: false
        }
    }

    /// The same, with what is missing taken from another object.
    func completed(by other: StripeMetadata) -> StripeMetadata {
        var completed = self
        completed.checkoutId = checkoutId ?? other.checkoutId
        completed.customerId = customerId ?? other.customerId
        completed.externalPurchaseId = externalPurchaseId ?? other.externalPurchaseId
        completed.bundleId = bundleId ?? other.bundleId
        completed.productId = productId ?? other.productId
        completed.charged = charged ?? other.charged
        completed.isOurs = isOurs || other.isOurs
        return completed
    }

    private static func charged(in metadata: StripeObject) throws(NoSale) -> Charged? {
        let id = try text("subscription", in: metadata, maximum: 128)
        let start = try text("period_start", in: metadata, maximum: 64)
        let end = try text("period_end", in: metadata, maximum: 64)
        if id == nil, start == nil, end == nil { return nil }
        guard let id, let start = start.flatMap(Timestamp.init(rfc3339:)),
            let end = end.flatMap(Timestamp.init(rfc3339:)), start <= end
        else {
            throw .held(
                .metadata,
                "the metadata \(prefix)subscription, \(prefix)period_start and \(prefix)period_end belong together: an id, "
                    + "and the times from and to which it is paid, such as 2026-11-20T12:00:00Z"
            )
        }
        return Charged(subscriptionId: SubscriptionId(id), period: SubscriptionPeriod(start: start, end: end))
    }

    private static func text(
        _ key: String,
        in metadata: StripeObject,
        maximum: Int
    ) throws(NoSale) -> String? {
        guard let text = try metadata.text(prefix + key) else { return nil }
        guard text.unicodeScalars.count <= maximum else {
            throw .held(.metadata, "the metadata \(prefix)\(key) has more than \(maximum) characters")
        }
        guard text.isPrintableId else {
            throw .held(.metadata, "the metadata \(prefix)\(key) has a control character or a direction mark")
        }
        return text
    }
}

extension String {
    /// Whether a text can be an id of the merchant: without control characters and marks of the reading direction.
    fileprivate var isPrintableId: Bool { !unicodeScalars.contains(where: \.isControlOrDirection) }
}
