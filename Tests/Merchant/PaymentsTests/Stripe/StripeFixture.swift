import ExternalPurchaseCore
import Foundation
import Ledger
import TestSupport
import Testing

@testable import Payments

/// A scenario: events as Stripe sends them, and what they mean.
struct StripeFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let interpreter: StripeInterpreter
    let bodies: [[UInt8]]
    let fetched: StripeFetched
    let arrival: Arrival
    let sales: [SaleId: JSONValue]
    let isLive: Bool
    let withdrawals: [String: String]
    let outcomes: [String: String]
    let requests: [String]
    let references: PaymentReferences
    /// The reference and the payment of each event: `unreferenced pi_1 EUR 9.99`; nil where the scenario does not say.
    let payments: [String: String]?

    var testDescription: String { name }

    /// What the order of arrival may decide.
    enum Arrival: String {
        /// Nothing.
        case any
        /// The ids of the sales, though never their sums.
        case choosesIds
        /// What the ledger holds in between: what comes later replaces amounts that were told.
        case restates
        /// Whether an event was used before a later one made the whole group unusable.
        case decides
    }

    static let folder = PackageFolder.file("Tests/Merchant/PaymentsTests/Fixtures/Stripe")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }()

    init(_ name: String) throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "\(name).json"))
        let root = try #require(try JSONReader().read(Array(data)).objectValue)
        self.name = name
        #expect(root["name"] == .string(name))
        interpreter = try Self.interpreter(try #require(root["configuration"]?.objectValue))
        bodies = try #require(root["events"]?.arrayValue).map { Array($0.formatted().utf8) }
        fetched = try Self.fetched(root["fetched"]?.objectValue)
        arrival = try #require(Arrival(rawValue: root["arrival"]?.stringValue ?? "any"))
        let expected = try #require(root["expected"]?.objectValue)
        sales = Dictionary(
            uniqueKeysWithValues: try #require(expected["sales"]?.arrayValue).map { sale in
                (SaleId(try #require(sale.objectValue?["saleId"]?.stringValue)), sale.sorted)
            }
        )
        isLive = try #require(expected["isLive"]?.boolValue as Bool?)
        withdrawals = Dictionary(
            uniqueKeysWithValues: try #require(expected["withdrawals"]?.arrayValue).map { withdrawal in
                let members = try #require(withdrawal.objectValue)
                return (
                    try #require(members["saleId"]?.stringValue), try #require(members["reason"]?.stringValue)
                )
            }
        )
        outcomes = try #require(expected["outcomes"]?.objectValue).texts
        requests = try #require(expected["requests"]?.arrayValue).compactMap(\.stringValue)
        let known = root["known"]?.objectValue
        let checkouts = known?["checkouts"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let customers = known?["customers"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let now = try root["now"].map { try #require($0.stringValue.flatMap(Timestamp.init(rfc3339:))) }
        references = PaymentReferences(
            known: Set(checkouts.map { .checkout(CheckoutId($0)) } + customers.map { .customer($0) }),
            told: Set(known?["told"]?.arrayValue?.compactMap(\.stringValue) ?? []),
            now: now ?? Timestamp(milliseconds: 1_795_176_000_000) + .days(100),
            receivedAt: Timestamp(milliseconds: 1_795_176_000_000),
            wait: .days(1)
        )
        payments = expected["payments"]?.objectValue?.texts
    }

    /// Reads events with what the scenario knows.
    func interpret(
        _ events: [StripeEvent],
        fetched: StripeFetched? = nil,
        standing: [Sale] = []
    ) -> PaymentReading {
        interpreter.interpret(events, fetched: fetched ?? self.fetched, standing: standing, known: references)
    }

    /// The events, read from their bytes.
    func events() throws -> [StripeEvent] { try bodies.map { try StripeEvent(body: $0) } }

    private static func interpreter(_ configuration: JSONObject) throws -> StripeInterpreter {
        let accounts = try #require(configuration["accounts"]?.arrayValue).map { account in
            let members = try #require(account.objectValue)
            return PaymentAccount(
                bundleId: BundleId(try #require(members["bundleId"]?.stringValue)),
                account: members["account"]?.stringValue,
                products: members["products"]?.objectValue?.texts ?? [:],
                taxCountry: members["taxCountry"]?.stringValue,
                taxRates: (members["taxRates"]?.objectValue?.texts ?? [:]).compactMapValues { DecimalText.decimal($0) },
                take: try #require(PaymentAccount.Take(rawValue: members["take"]?.stringValue ?? "all")),
                from: members["from"]?.stringValue.flatMap(Timestamp.init(rfc3339:))
            )
        }
        let hasKey = try #require(configuration["apiKey"]?.boolValue as Bool?)
        return StripeInterpreter(accounts: accounts, canFetch: hasKey)
    }

    private static func fetched(_ answers: JSONObject?) throws -> StripeFetched {
        var fetched = StripeFetched()
        let kinds: [String: (StripeObjectId) -> PaymentRequest] = [
            "sessionLineItems": { .sessionLineItems($0) }, "invoiceLines": { .invoiceLines($0) },
            "invoicePayments": { .invoicePayments(paymentIntent: $0) }, "price": { .price($0) },
        ]
        for kind in answers?.members ?? [] {
            let request = try #require(kinds[kind.key])
            for answer in try #require(kind.value.objectValue).members {
                fetched.answers[request(StripeObjectId(answer.key))] = answer.value.arrayValue
            }
        }
        return fetched
    }
}

extension JSONObject {
    /// The members whose values are texts.
    var texts: [String: String] {
        Dictionary(members.compactMap { member in member.value.stringValue.map { (member.key, $0) } }) { $1 }
    }
}

extension JSONValue {
    /// The same value with the members of objects in the order of their keys.
    var sorted: JSONValue {
        switch self {
        case .object(let object):
            .object(
                JSONObject(object.members.map { .init($0.key, $0.value.sorted) }.sorted { $0.key < $1.key })
            )
        case .array(let elements): .array(elements.map(\.sorted))
        case .null, .bool, .number, .string: self
        }
    }
}

extension PaymentOutcome {
    /// `used pi_1`, `notUsed type`, `waiting session`, `alert line-items`, `held bundle`.
    var text: String {
        switch self {
        case .used(let saleIds): "used \(saleIds.map(\.rawValue).sorted().joined(separator: " "))"
        case .notUsed(let reason): "notUsed \(reason.code.rawValue)"
        case .waiting(let reason, let isAlert): "\(isAlert ? "alert" : "waiting") \(reason.code.rawValue)"
        case .held(let reason): "held \(reason.code.rawValue)"
        }
    }
}
