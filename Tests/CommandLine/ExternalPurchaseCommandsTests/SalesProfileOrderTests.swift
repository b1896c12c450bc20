import CommandSupport
import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseCommands

/// Rows of one order in a provider's export, and the sales that they are.
struct OrderFile: CustomTestStringConvertible, Sendable {
    let name: String
    let profile: String
    let header: String
    let rows: [String]
    /// The rows of a later export, which begins and ends with others.
    let before: String
    let after: String
    /// The refund or purchase of each sale, its amount in units of the currency.
    let sales: [String: String]
    let payments: [String: String]
    let refunds: [String: String]

    var testDescription: String { name }

    fileprivate static let shopify =
        "Transaction Date,Type,Order,Card Brand,Card Source,Payout Status,Payout Date,Payout ID,Available On,Amount,Fee,Net,Checkout,Payment Method Name,Presentment Amount,Presentment Currency,Currency"
    fileprivate static let adyen =
        "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC)"

    fileprivate static func shopify(_ time: String, _ type: String, _ order: String, _ amount: String) -> String {
        "\(time),\(type),\(order),visa,online,paid,2026-11-23,1,2026-11-22,\(amount),0.00,\(amount),#5,card,\(amount),EUR,EUR"
    }

    fileprivate static func adyen(_ time: String, _ type: String, _ payment: String, _ own: String, _ amount: String)
        -> String
    {
        let amounts = type == "Settled" ? ",\(amount)" : "\(amount),"
        return "Co,Shop,\(payment),co-1,visa,\(time),CET,\(type),\(own),EUR,\(amounts)"
    }

    static let all = [
        OrderFile(
            name: "two equal refunds in one second",
            profile: "shopify-payments",
            header: shopify,
            rows: [
                shopify("2026-11-20 12:00:00 +0100", "charge", "#1", "30.00"),
                shopify("2026-11-21 08:00:00 +0100", "refund", "#1", "-5.00"),
                shopify("2026-11-21 08:00:00 +0100", "refund", "#1", "-5.00"),
                shopify("2026-11-21 08:00:01 +0100", "refund", "#1", "-5.00"),
            ],
            before: shopify("2026-11-20 11:00:00 +0100", "charge", "#0", "1.00"),
            after: shopify("2026-11-22 11:00:00 +0100", "charge", "#2", "2.00"),
            sales: [
                "#1": "30.00", "#1/refund/2026-11-21T07:00:00Z/-5": "#1 5.00",
                "#1/refund/2026-11-21T07:00:00Z/-5/2": "#1 5.00",
                "#1/refund/2026-11-21T07:00:01Z/-5": "#1 5.00",
            ],
            payments: ["EUR": "30.00"],
            refunds: ["EUR": "15.00"]
        ),
        OrderFile(
            name: "a second charge without an id of its own",
            profile: "shopify-payments",
            header: shopify,
            rows: [
                shopify("2026-11-20 12:00:00 +0100", "charge", "#1", "30.00"),
                shopify("2026-11-20 13:00:00 +0100", "charge", "#1", "12.50"),
                shopify("2026-11-21 08:00:00 +0100", "refund", "#1", "-20.00"),
                shopify("2026-11-21 09:00:00 +0100", "refund", "#1", "-12.00"),
            ],
            before: shopify("2026-11-20 11:00:00 +0100", "charge", "#0", "1.00"),
            after: shopify("2026-11-22 11:00:00 +0100", "charge", "#2", "2.00"),
            sales: [
                "#1": "30.00", "#1/2": "12.50", "#1/refund/2026-11-21T07:00:00Z/-20": "#1 20.00",
                "#1/refund/2026-11-21T08:00:00Z/-12": "#1/2 12.00",
            ],
            payments: ["EUR": "42.50"],
            refunds: ["EUR": "32.00"]
        ),
        OrderFile(
            name: "captures with ids, and a refund of more than one of them",
            profile: "adyen-settlement",
            header: adyen,
            rows: [
                adyen("2026-11-20 12:00:00", "Settled", "PSP1", "CAP1", "9.99"),
                adyen("2026-11-20 13:00:00", "Settled", "PSP1", "CAP2", "20.00"),
                // The report has this row twice.
                adyen("2026-11-20 13:00:00", "Settled", "PSP1", "CAP2", "20.00"),
                adyen("2026-11-21 09:00:00", "Refunded", "PSP1", "REF1", "25.00"),
            ],
            before: adyen("2026-11-20 11:00:00", "Settled", "PSP0", "CAP0", "1.00"),
            after: adyen("2026-11-22 12:00:00", "Settled", "PSP2", "CAP9", "2.00"),
            sales: [
                "PSP1": "9.99", "PSP1/CAP2": "20.00", "REF1": "PSP1 9.99", "REF1/part-2": "PSP1/CAP2 15.01",
            ],
            payments: ["EUR": "29.99"],
            refunds: ["EUR": "25.00"]
        ),
    ]

    /// The second payment alone, and the order with another payment before it.
    static let parts: [(profile: String, text: [String], then: [String])] = [
        (
            "shopify-payments",
            [shopify, shopify("2026-11-20 13:00:00 +0100", "charge", "#1", "12.50")],
            [
                shopify, shopify("2026-11-20 12:00:00 +0100", "charge", "#1", "30.00"),
                shopify("2026-11-20 13:00:00 +0100", "charge", "#1", "12.50"),
            ]
        ),
        (
            "adyen-settlement",
            [adyen, adyen("2026-11-20 13:00:00", "Settled", "PSP1", "CAP2", "20.00")],
            [
                adyen, adyen("2026-11-20 12:00:00", "Settled", "PSP1", "CAP1", "9.99"),
                adyen("2026-11-20 13:00:00", "Settled", "PSP1", "CAP2", "20.00"),
            ]
        ),
        // A refund beside the one payment that is another one.
        (
            "adyen-settlement",
            [adyen, adyen("2026-11-20 12:00:00", "Settled", "PSP1", "CAP1", "9.99")],
            [
                adyen, adyen("2026-11-20 13:00:00", "Settled", "PSP1", "CAP2", "20.00"),
                adyen("2026-11-21 09:00:00", "Refunded", "PSP1", "REF1", "5.00"),
            ]
        ),
    ]
}

@Suite("ledger import-sales --profile: orders with several payments, pairs of amount and currency, --set", .serialized)
struct SalesProfileOrderTests {
    private static func run(
        _ file: String,
        _ profile: String,
        _ setup: ServerUnderTest,
        _ more: [String] = []
    ) async throws -> BuiltBinary.Result {
        let set = ["--set", "productId=gems.100", "--set", "taxRate=21", "--set", "taxCountry=NLD"]
        return try await setup.importSales(file, profile, set + more)
    }

    /// The sales of a preview: the amount by id, of a refund behind the id of its purchase.
    private static func sales(_ preview: String) throws -> [String: String] {
        var sales: [String: String] = [:]
        for line in preview.split(separator: "\n") {
            guard let start = line.range(of: "{") else { continue }
            let body = try JSONReader().read(Array(line[start.lowerBound...].utf8)).objectValue
            let amount = body?["amount"]?.objectValue?["inclusive"]?.stringValue ?? ""
            let origin = body?["refundOf"]?.stringValue.map { $0 + " " } ?? ""
            sales[body?["saleId"]?.stringValue ?? ""] = origin + amount
        }
        return sales
    }

    @Test(
        "Every row of an order is a sale, and a longer export in another order has the same ones",
        arguments: OrderFile.all
    )
    func orders(_ order: OrderFile) async throws {
        let setup = try await ServerUnderTest()
        let file = try setup.scratch.write(([order.header] + order.rows).joined(separator: "\n"), to: "a.csv")
        let preview = try await Self.run(file, order.profile, setup, ["--dry-run"])
        #expect(preview.exitCode == 0, "\(preview.error)")
        #expect(try Self.sales(preview.output) == order.sales, "\(preview.output)")
        let first = try await Self.run(file, order.profile, setup, ["--format", "json"])
        #expect(first.exitCode == 0, "\(first.error)")
        #expect(first.json?["new"] as? Int == order.sales.count, "\(first.output)")
        #expect(first.json?["payments"] as? [String: String] == order.payments)
        #expect(first.json?["refunds"] as? [String: String] == order.refunds)
        #expect((first.json?["flags"] as? [String: Int])?["refund-above-buy"] == nil, "\(first.output)")
        let again = try await Self.run(file, order.profile, setup, ["--format", "json"])
        #expect(again.exitCode == 0, "\(again.error)")
        #expect(again.json?["new"] as? Int == 0, "\(again.output)")
        // The newest rows first, as some providers write them.
        let longer = [order.header, order.after] + order.rows.reversed() + [order.before]
        let second = try setup.scratch.write(longer.joined(separator: "\n"), to: "b.csv")
        let later = try await Self.run(second, order.profile, setup, ["--format", "json"])
        #expect(later.exitCode == 0, "\(later.error)")
        #expect(later.json?["new"] as? Int == 2, "\(later.output)")
        #expect(later.json?["payments"] as? [String: String] == ["EUR": "3.00"], "\(later.output)")
        #expect(later.json?["refunds"] as? [String: String] == [:], "\(later.output)")
    }

    @Test("An order whose first payment is another one in the ledger is refused as a whole", arguments: OrderFile.parts)
    func parts(_ part: (profile: String, text: [String], then: [String])) async throws {
        let setup = try await ServerUnderTest()
        let file = try setup.scratch.write(part.text.joined(separator: "\n"), to: "a.csv")
        let first = try await Self.run(file, part.profile, setup, ["--format", "json"])
        #expect(first.json?["new"] as? Int == 1, "\(first.error)")
        let whole = try setup.scratch.write(part.then.joined(separator: "\n"), to: "b.csv")
        let second = try await Self.run(whole, part.profile, setup, ["--format", "json"])
        #expect(second.exitCode == 1)
        #expect(second.json?["new"] as? Int == 0, "\(second.output)")
        #expect(second.json?["wrong"] as? Int == 2, "\(second.output)")
        #expect(second.output.contains("whose first payment, on line 2, is refused"), "\(second.output)")
    }

    @Test("Of a refund that several payments share, no part is stored where another one is refused")
    func sharedRefund() async throws {
        let setup = try await ServerUnderTest()
        func run(_ rows: [String], _ name: String) async throws -> BuiltBinary.Result {
            let file = try setup.scratch.write(([OrderFile.adyen] + rows).joined(separator: "\n"), to: name)
            return try await Self.run(file, "adyen-settlement", setup, ["--format", "json"])
        }
        let first = OrderFile.adyen("2026-11-20 12:00:00", "Settled", "PSP1", "CAP1", "9.99")
        let refund = OrderFile.adyen("2026-11-21 09:00:00", "Refunded", "PSP1", "REF1", "25.00")
        #expect(try await run([first], "a.csv").json?["new"] as? Int == 1)
        // A refund of more than is left, in a file without the other payment.
        #expect(try await run([refund], "b.csv").json?["new"] as? Int == 1)
        let second = OrderFile.adyen("2026-11-20 13:00:00", "Settled", "PSP1", "CAP2", "20.00")
        let whole = try await run([first, second, refund], "c.csv")
        #expect(whole.exitCode == 1)
        #expect(whole.json?["new"] as? Int == 1, "\(whole.output)")
        #expect(whole.json?["refunds"] as? [String: String] == [:], "\(whole.output)")
        #expect(
            whole.output.contains("of which another part is refused"),
            "\(whole.output)"
        )
    }

    @Test("A quantity is read where the file has it, and is 1 elsewhere")
    func quantity() async throws {
        let setup = try await ServerUnderTest()
        let head = "Date,Time,TimeZone,Type,Status,Currency,Gross,Transaction ID,Reference Txn ID,Item ID"
        let row = "11/20/2026,10:00:00,PST,Website Payment,Completed,EUR"
        let cases = [
            ("\(head),Quantity\n\(row),9.00,1A,,gems,3\n", 3), ("\(head),Quantity\n\(row),9.00,1A,,gems,\n", 1),
            ("\(head),Quantity\n\(row),9.00,1A,,gems,2.00\n", 2), ("\(head)\n\(row),9.00,1A,,gems\n", 1),
        ]
        for (text, quantity) in cases {
            let file = try setup.scratch.write(text, to: "a.csv")
            let result = try await Self.run(file, "paypal-activity", setup, ["--dry-run"])
            #expect(result.output.contains("\"quantity\":\(quantity),"), "\(text)\(result.output)\(result.error)")
        }
    }

    @Test("An amount counts with the currency beside it, never with another one")
    func pairs() async throws {
        let setup = try await ServerUnderTest()
        let head = "Transaction Date,Type,Order,Amount,Currency,Presentment Amount,Presentment Currency"
        let row = "2026-11-20 12:00:00 +0100,charge,#1"
        let cases = [
            ("18.40,EUR,20.00,USD", "USD", "20.00"), ("18.40,EUR,,USD", "EUR", "18.40"),
            ("18.40,EUR,20.00,", "EUR", "18.40"), (",EUR,20.00,USD", "USD", "20.00"),
        ]
        for (amounts, currency, amount) in cases {
            let file = try setup.scratch.write("\(head)\n\(row),\(amounts)\n", to: "a.csv")
            let result = try await Self.run(file, "shopify-payments", setup, ["--dry-run"])
            #expect(
                result.output.contains("\"currency\":\"\(currency)\",\"inclusive\":\"\(amount)\""),
                "\(amounts): \(result.output)\(result.error)"
            )
        }
        for amounts in ["18.40,,20.00,", ",EUR,,USD", "18.40,,,USD"] {
            let file = try setup.scratch.write("\(head)\n\(row),\(amounts)\n", to: "a.csv")
            let result = try await Self.run(file, "shopify-payments", setup, ["--dry-run"])
            #expect(result.exitCode == 1, "\(amounts): \(result.output)")
        }
    }

    @Test(
        "A profile that mixes amounts and currencies is refused",
        arguments: [
            (
                "base: stripe-payments\nfields: {inclusive: Converted Amount}",
                "fields.inclusive and money both give amounts"
            ),
            ("base: stripe-payments\nmoney: [{inclusive: Converted Amount}]", "needs the currency of its amounts"),
            (
                "base: stripe-payments\nmoney: [{inclusive: Converted Amount, currency: Converted Currency}]",
                "money needs refundedTotal beside each amount"
            ),
            ("base: shopify-payments\nvalues: {currency: EUR}", "and values both give the currency"),
            (
                "base: shopify-payments\nofType: {refund: {inclusive: Amount}}",
                "ofType.refund gives inclusive and no currency beside it"
            ),
            (
                "type: purchase\nfields: {saleId: A, occurredAt: B, inclusive: [C, D], currency: E}",
                "fields: inclusive is one of several columns"
            ),
            (
                "type: purchase\nfields: {saleId: A, occurredAt: B, inclusive: C, currency: [E, F]}",
                "fields: currency is one of several columns"
            ),
            (
                "type: purchase\nvalues: {currency: EUR}\nfields: {saleId: A, occurredAt: B, inclusive: C, currency: E}",
                "values and fields both give the currency"
            ),
            (
                "type: purchase\nfields: {saleId: {column: A, further: true}, occurredAt: B}\nlines: {sameOrder: A}",
                "contradict each other"
            ),
            ("type: purchase\nfields: {saleId: A, occurredAt: {column: B, further: C}}", "belongs to fields.saleId"),
            ("type: purchase\nfields: {saleId: A}\nrefund: {fields: {saleId: B}}", "refund needs total"),
        ]
    )
    func mixtures(_ text: String, _ message: String) throws {
        let scratch = try ScratchFolder()
        let file = try scratch.write(text, to: "own.yaml")
        do {
            _ = try SalesProfile.read(file)
            Issue.record("is read: \(text)")
        } catch {
            #expect(error.message?.contains(message) == true, "\(error.message ?? "")")
        }
    }

    @Test(
        "--set makes the columns that it replaces unread, and never replaces an amount or its currency",
        arguments: ProviderFile.all
    )
    func set(_ provider: ProviderFile) throws {
        let line = try #require(provider.text.split(separator: "\n").first)
        let names = line.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != "\"" } }
        let header = CSVReader.Record(line: 1, fields: names.map { String($0) })
        func layout(_ set: [String]) throws {
            let given = provider.set.filter { text in !set.contains { $0.hasPrefix(text.prefix { $0 != "=" } + "=") } }
            _ = try ProfileLayout(
                header,
                profile: try SalesProfile.read(provider.profile).setting(given + set),
                taxes: TaxDefaults(),
                apps: [BundleId(rawValue: "com.example.shop")],
                name: "a.csv"
            )
        }
        try layout([])
        let profile = try SalesProfile.read(provider.profile)
        let ignoring = profile.ignored
        #expect(!ignoring.isEmpty)
        for field in profile.fields.keys where field != "saleId" { try layout(["\(field)=x"]) }
        try layout(["taxRate=9"])
        try layout(["tax=0"])
        for field in Set(profile.money.flatMap(\.keys)).subtracting(["tax", "taxMinor"]) {
            do {
                try layout(["\(field)=x"])
                Issue.record("\(field) is replaced")
            } catch let failure as CommandFailure {
                #expect(failure.message?.contains("gives \(field), which --set cannot replace") == true, "\(failure)")
            }
        }
    }
}
