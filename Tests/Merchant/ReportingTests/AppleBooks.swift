import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

/// What Apple has after the reports it accepted, read with another parser and summed up with its own arithmetic.
struct AppleBooks {
    struct Item {
        let createdAt: Date
        let currency: String
        /// The buy of a refund.
        let buy: String?
        /// Milli-units.
        let inclusive: Int
        let tax: Int
        let net: Int
        let isLive: Bool

        var exclusive: Int { inclusive - tax }
    }

    private(set) var items: [String: Item] = [:]

    /// - Parameter bodies: the accepted reports in the order of their acceptance.
    init(_ bodies: [[UInt8]]) throws {
        for bytes in bodies {
            let body = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            for item in body?["lineItems"] as? [[String: Any]] ?? [] {
                let id = try #require(item["lineItemId"] as? String)
                let date = try #require(item["creationDate"] as? Double) / 1_000
                items[id] = Item(
                    createdAt: Date(timeIntervalSince1970: date),
                    currency: try #require(item["reportingCurrency"] as? String),
                    buy: item["eventType"] as? String == "REFUND" ? item["referenceLineItemId"] as? String : nil,
                    inclusive: try #require(item["amountTaxInclusive"] as? Int),
                    tax: try #require(item["taxAmount"] as? Int),
                    net: try #require(item["netAmountTaxExclusive"] as? Int),
                    isLive: item["erroneouslySubmitted"] as? Bool != true
                )
            }
        }
    }

    var live: [String: Item] { items.filter(\.value.isLive) }
    var liveBuys: [String: Item] { live.filter { $0.value.buy == nil } }

    func liveRefunds(of buy: String) -> [Item] { live.values.filter { $0.buy == buy } }

    /// What the live refunds leave of a live buy, in milli-units without tax.
    func net(of buy: String) -> Int {
        liveRefunds(of: buy).reduce(items[buy]?.exclusive ?? 0) { $0 - $1.exclusive }
    }
}

extension Merchant {
    /// The books at Apple; every report has to be accepted.
    func appleBooks() async throws -> AppleBooks {
        for report in try await reports() { #expect(report.state == .accepted) }
        return try AppleBooks(apple.puts)
    }

    /// Plans a correction, confirms it and sends it.
    ///
    /// - Returns: the codes of the refusals of the plan; empty if the correction was sent.
    func correct(_ sale: String, _ action: String, _ fields: String? = nil) async throws -> [String] {
        let stated = fields.map { #","fields":\#($0)"# } ?? ""
        let run = try await system.planCorrection(
            body: try JSONReader().read(
                #"""
                {"bundleId":"com.example.shop","saleId":"\#(sale)","action":"\#(action)"\#(stated),
                "requestedBy":"maria","reason":"the till was wrong"}
                """#
            )
        )
        guard run.isAllowed else {
            return run.plan.objectValue?["refusals"]?.arrayValue?.compactMap { $0.objectValue?["code"]?.stringValue }
                ?? ["?"]
        }
        let order = #"{"correctionId":"\#(run.correctionId)","confirm":true,"confirmedBy":"otto"}"#
        guard
            case .confirmed(_, _, isNew: true) = try await system.confirmCorrection(body: try JSONReader().read(order))
        else {
            Issue.record("\(sale) \(action) was not confirmed")
            return ["?"]
        }
        await system.sender.runUntilIdle()
        return []
    }
}
