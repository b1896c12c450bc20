import ExternalPurchaseCore
import Foundation
import OpenAPIValidation
import TestSupport
import Testing

@testable import ExternalPurchaseCommands

/// A provider's export with invented rows, and what it says, counted by hand.
struct ProviderFile: CustomTestStringConvertible, Sendable {
    let profile: String
    let text: String
    var set: [String] = []
    let newByType: [String: Int]
    let payments: [String: String]
    var refunds: [String: String] = [:]
    var leftOut: [String: Int] = [:]
    /// How the ids of payments, refunds and disputes begin; a copy of the rows gets others.
    let ids: [String]

    var testDescription: String { profile }

    var count: Int { newByType.values.reduce(0, +) }

    /// The file with its rows again and again, each time as other payments.
    func repeated(_ copies: Int) -> String {
        let lines = text.split(separator: "\n")
        let rows = lines.dropFirst().joined(separator: "\n")
        let all = (1...copies).map { copy in
            ids.reduce(rows) { $0.replacing($1, with: "\($1)\(copy)x") }
        }
        return ([String(lines[0])] + all).joined(separator: "\n")
    }

    static let all = [
        ProviderFile(
            profile: "stripe-payments",
            text: """
                id,Created date (UTC),Amount,Amount Refunded,Currency,Captured,Converted Amount,Converted Amount Refunded,Converted Currency,Decline Reason,Description,Fee,Refunded date (UTC),Statement Descriptor,Status,Seller Message,Taxes On Fee,Card ID,Customer ID,Customer Description,Customer Email,Invoice ID,Transfer,PaymentIntent ID,level (metadata)
                ch_1,2026-11-20 14:03,"1,249.99",0.00,eur,true,"1,249.99",0.00,eur,,Gems,12.10,,SHOP,Paid,Payment complete.,2.10,card_1,cus_1,,a@example.com,,po_1,pi_1,7
                ch_2,2026-11-20 14:04:10,9.99,4.00,eur,true,9.99,4.00,eur,,Gems,0.40,2026-11-21 09:00,SHOP,Paid,Payment complete.,0.07,card_2,cus_2,,b@example.com,,po_1,pi_2,
                ch_3,2026-11-20 15:00,20.00,20.00,usd,true,18.40,18.40,eur,,Gems,0.80,2026-11-22 10:30,SHOP,Refunded,Payment complete.,0.10,card_3,cus_3,,c@example.com,,po_1,,
                ch_4,2026-11-20 16:00,500.00,0.00,jpy,true,3.10,0.00,eur,,Gems,0.30,,SHOP,Paid,Payment complete.,0.05,card_4,cus_4,,d@example.com,,po_1,pi_4,
                ch_5,2026-11-20 17:00,9.99,0.00,eur,false,9.99,0.00,eur,insufficient_funds,Gems,0.00,,SHOP,Failed,The bank declined.,0.00,card_5,cus_5,,e@example.com,,,pi_5,
                """,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            // 1249.99 + 9.99, 20.00, 500; back 4.00 and 20.00.
            newByType: ["purchase": 4, "refund": 2],
            payments: ["EUR": "1259.98", "USD": "20.00", "JPY": "500"],
            refunds: ["EUR": "4.00", "USD": "20.00"],
            leftOut: ["Failed": 1],
            ids: ["ch_", "pi_"]
        ),
        ProviderFile(
            profile: "stripe-balance",
            text: """
                balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,description,customer_facing_amount,customer_facing_currency,automatic_payout_id,automatic_payout_effective_at_utc,customer_id,charge_id,payment_intent_id,charge_created_utc,payment_method_type,card_brand,payment_metadata[external_purchase_product]
                txn_1,2026-11-20 12:00:00,2026-11-22 00:00:00,eur,30.00,0.90,29.10,charge,ch_1,Gems,30.00,eur,po_1,2026-11-23 00:00:00,cus_1,ch_1,pi_1,2026-11-20 12:00:00,card,visa,gems.300
                txn_2,2026-11-20 12:05:00,2026-11-22 00:00:00,eur,18.50,0.70,17.80,charge,ch_2,Gems,20.00,usd,po_1,2026-11-23 00:00:00,cus_2,ch_2,pi_2,2026-11-20 12:05:00,card,visa,gems.200
                txn_3,2026-11-21 09:00:00,2026-11-22 00:00:00,eur,-10.00,0.00,-10.00,refund,re_1,Refund,-10.00,eur,po_1,2026-11-23 00:00:00,cus_1,ch_1,pi_1,2026-11-20 12:00:00,card,visa,gems.300
                txn_4,2026-11-21 10:00:00,2026-11-22 00:00:00,eur,-18.50,15.00,-33.50,dispute,du_1,Dispute,-20.00,usd,po_1,2026-11-23 00:00:00,cus_2,ch_2,pi_2,2026-11-20 12:05:00,card,visa,gems.200
                txn_5,2026-11-22 00:00:00,2026-11-22 00:00:00,eur,-2.00,0.00,-2.00,fee,,Radar,,,po_1,2026-11-23 00:00:00,,,,,,,
                txn_6,2026-11-23 00:00:00,2026-11-23 00:00:00,eur,-1.40,0.00,-1.40,payout,po_1,STRIPE PAYOUT,,,po_1,2026-11-23 00:00:00,,,,,,,
                """,
            set: ["taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 2, "refund": 1, "chargeback": 1],
            payments: ["EUR": "30.00", "USD": "20.00"],
            refunds: ["EUR": "10.00", "USD": "20.00"],
            leftOut: ["fee": 1, "payout": 1],
            ids: ["txn_", "ch_", "pi_", "re_", "du_"]
        ),
        ProviderFile(
            profile: "shopify-payments",
            text: """
                Transaction Date,Type,Order,Card Brand,Card Source,Payout Status,Payout Date,Payout ID,Available On,Amount,Fee,Net,Checkout,Payment Method Name,Presentment Amount,Presentment Currency,Currency,VAT
                2026-11-20 12:07:45 +0100,charge,#3703,master,online,paid,2026-11-23,140769,2026-11-22,37.90,1.10,36.80,#5125,card,37.90,EUR,EUR,0.00
                2026-11-20 13:00:00 +0100,charge,#3704,visa,online,paid,2026-11-23,140769,2026-11-22,18.40,0.60,17.80,#5126,card,20.00,USD,EUR,0.00
                2026-11-21 08:12:57 +0100,refund,#3703,master,online,paid,2026-11-24,140770,2026-11-22,-7.90,0.00,-7.90,#5125,card,7.90,EUR,EUR,0.00
                2026-11-23 00:00:00 +0100,payout,,,,paid,2026-11-23,140769,2026-11-23,-46.70,0.00,-46.70,,,,,EUR,0.00
                2026-11-23 09:00:00 +0100,chargeback,#3704,visa,online,pending,2026-11-25,,2026-11-25,-18.40,15.00,-33.40,#5126,card,-20.00,USD,EUR,0.00
                """,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 2, "refund": 1, "chargeback": 1],
            payments: ["EUR": "37.90", "USD": "20.00"],
            refunds: ["EUR": "7.90", "USD": "20.00"],
            leftOut: ["payout": 1],
            ids: ["#37", "#51"]
        ),
        ProviderFile(
            profile: "paypal-activity",
            text: """
                "Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","From Email Address","To Email Address","Transaction ID","Shipping Address","Address Status","Item Title","Item ID","Shipping and Handling Amount","Insurance Amount","Sales Tax","Option 1 Name","Option 1 Value","Option 2 Name","Option 2 Value","Reference Txn ID","Invoice Number","Custom Number","Quantity","Receipt ID","Balance","Address Line 1","Address Line 2/District/Neighborhood","Town/City","State/Province/Region/County/Territory/Prefecture/Republic","Zip/Postal Code","Country","Contact Phone Number","Subject","Note","Country Code","Balance Impact"
                "11/20/2026","10:00:00","PST","Ann","Express Checkout Payment","Completed","USD","1,250.00","-43.40","1,206.60","a@example.com","s@example.com","1AA","","","Gems","gems.9","0.00","","0.00","","","","","","W-1","co-1","1","","1,206.60","","","","","","","","","","US","Credit"
                "11/20/2026","11:00:00","PST","Bea","Website Payment","Completed","EUR","9.99","-0.60","9.39","b@example.com","s@example.com","1AB","","","Gems","gems.1","0.00","","0.00","","","","","","W-2","co-2","1","","9.39","","","","","","","","","","NL","Credit"
                "11/21/2026","09:42:51","PST","Ann","Payment Refund","Completed","USD","-250.00","0.73","-249.27","s@example.com","a@example.com","1AC","","","","","","","","","","","","1AA","W-1","","","","957.33","","","","","","","","","","US","Debit"
                "11/21/2026","10:00:00","PST","Adobe","PreApproved Payment Bill User Payment","Completed","USD","-54.99","0.00","-54.99","s@example.com","x@example.com","1AD","","","","","","","","","","","","B-1","","","","","902.34","","","","","","","","","","","Debit"
                "11/21/2026","11:00:00","PST","","General Currency Conversion","Completed","EUR","-9.39","0.00","-9.39","","","1AE","","","","","","","","","","","","1AB","","","","","0.00","","","","","","","","","","","Debit"
                "11/22/2026","12:00:00","PST","Cid","Website Payment","Pending","USD","5.00","-0.40","4.60","c@example.com","s@example.com","1AF","","","Gems","gems.1","","","","","","","","","","","","","","","","","","","","","","","","Memo"
                "11/23/2026","06:00:00","PST","","General Withdrawal","Completed","USD","-900.00","0.00","-900.00","","","1AG","","","","","","","","","","","","","","","","","2.34","","","","","","","","","","","Debit"
                """,
            set: ["taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 2, "refund": 1],
            payments: ["USD": "1250.00", "EUR": "9.99"],
            refunds: ["USD": "250.00"],
            leftOut: [
                "PreApproved Payment Bill User Payment": 1, "General Currency Conversion": 1, "Pending": 1,
                "General Withdrawal": 1,
            ],
            ids: ["1A"]
        ),
        ProviderFile(
            profile: "adyen-settlement",
            text: """
                Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,Modification Merchant Reference,Batch Number,Reserved4,Reserved5,Reserved6,Reserved7,Reserved8,Reserved9,Reserved10
                Co,Shop,PSP1,co-1,visa,2026-10-24 09:15:02,Europe/Amsterdam,Settled,MOD1,EUR,,129.80,1,EUR,,127.10,,0.60,0.30,1.80,visacredit,,214,,,,,,,
                Co,Shop,PSP2,co-2,mc,2026-10-25 02:30:00,Europe/Amsterdam,Settled,MOD2,SEK,,99.00,0.0871,EUR,,8.40,,0.10,0.05,0.07,mccredit,,214,,,,,,,
                Co,Shop,PSP1,co-1,visa,2026-10-27 11:00:00,CET,Refunded,MOD3,EUR,49.90,,1,EUR,49.90,,,,,,visacredit,RF1,214,,,,,,,
                Co,Shop,PSP2,co-2,mc,2026-11-02 11:00:00,CET,Chargeback,MOD4,SEK,99.00,,0.0871,EUR,8.62,,,,,,mccredit,,214,,,,,,,
                Co,Shop,PSP2,co-2,mc,2026-11-12 11:00:00,CET,ChargebackReversed,MOD5,SEK,,99.00,0.0871,EUR,,8.62,,,,,mccredit,,214,,,,,,,
                Co,Shop,,,,2026-11-13 00:00:00,CET,Fee,Transaction Fees,EUR,,,,EUR,1.20,,,,,,,,214,,,,,,,
                Co,Shop,,,,2026-11-13 00:00:00,CET,MerchantPayout,TX1,EUR,,,,EUR,84.00,,,,,,,,214,,,,,,,
                """,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 2, "refund": 1, "chargeback": 1, "chargebackReversal": 1],
            payments: ["EUR": "129.80", "SEK": "99.00"],
            refunds: ["EUR": "49.90", "SEK": "99.00"],
            leftOut: ["Fee": 1, "MerchantPayout": 1],
            ids: ["PSP", "MOD"]
        ),
        ProviderFile(
            profile: "paddle-transactions",
            text: """
                id,status,invoice_number,customer_id,customer_email,address_id,address_country_code,business_id,business_name,price_ids,discount_ids,subscription_id,created_at,updated_at,billed_at,completed_at,payment_method_type,origin,collection_mode,custom_data,currency_code,subtotal,discount,tax,total,credit,grand_total,fee,earnings,balance_currency_code,exchange_rate,balance_subtotal,balance_discount,balance_tax,balance_total,balance_fee,balance_earnings,credit_to_balance
                txn_01,completed,1-1,ctm_1,a@example.com,add_1,NL,,,pri_1,,,2026-11-20T10:18:49.621022Z,2026-11-20T10:19:10Z,2026-11-20T10:19:00.52Z,2026-11-20T10:19:10Z,card,web,automatic,,EUR,826,0,173,999,0,999,100,726,USD,1.08,892,0,187,1079,108,784,0
                txn_02,completed,1-2,ctm_2,b@example.com,add_2,GB,,,pri_2,,,2026-11-20T11:00:00Z,2026-11-20T11:01:00Z,2026-11-20T11:00:30Z,2026-11-20T11:01:00Z,paypal,web,automatic,,GBP,1000,0,200,1200,0,1200,110,890,USD,1.27,1270,0,254,1524,140,1130,0
                txn_03,canceled,,ctm_3,c@example.com,add_3,US,,,pri_1,,,2026-11-20T12:00:00Z,2026-11-20T12:01:00Z,,,,web,automatic,,USD,999,0,0,999,0,999,,,USD,1.0,999,0,0,999,,,0
                txn_04,draft,,,,,,,,pri_1,,,2026-11-20T12:00:00Z,2026-11-20T12:01:00Z,,,,web,automatic,,USD,999,0,0,999,0,999,,,USD,1.0,999,0,0,999,,,0
                """,
            newByType: ["purchase": 2],
            payments: ["EUR": "9.99", "GBP": "12.00"],
            leftOut: ["canceled": 1, "draft": 1],
            ids: ["txn_"]
        ),
    ]
}

@Suite("ledger import-sales --profile, as it is run", .serialized)
struct SalesProfileTests {
    private static func run(
        _ file: String,
        _ profile: String,
        _ setup: ServerUnderTest,
        _ more: [String] = []
    ) async throws -> BuiltBinary.Result {
        try await setup.importSales(file, profile, ["--format", "json"] + more)
    }

    private static func sets(_ values: [String]) -> [String] { values.flatMap { ["--set", $0] } }

    @Test("A provider's export gives its sums, and nothing the second time", arguments: ProviderFile.all)
    func sums(_ provider: ProviderFile) async throws {
        let setup = try await ServerUnderTest()
        let file = try setup.scratch.write(provider.text, to: "export.csv")
        let set = Self.sets(provider.set)
        let dry = try await Self.run(file, provider.profile, setup, set + ["--dry-run"])
        #expect(dry.exitCode == 0, "\(dry.error)")
        let first = try await Self.run(file, provider.profile, setup, set)
        #expect(first.exitCode == 0, "\(first.error)")
        for result in [dry, first] {
            #expect(result.json?["newByType"] as? [String: Int] == provider.newByType, "\(result.output)")
            #expect(result.json?["payments"] as? [String: String] == provider.payments, "\(result.output)")
            #expect(result.json?["refunds"] as? [String: String] == provider.refunds, "\(result.output)")
            #expect(result.json?["leftOut"] as? [String: Int] == provider.leftOut, "\(result.output)")
            #expect(result.json?["wrong"] as? Int == 0)
            let flags = Set((result.json?["flags"] as? [String: Int] ?? [:]).keys)
            #expect(flags.isDisjoint(with: ["no-tax", "no-tax-country", "no-exchange-rate"]), "\(result.output)")
        }
        let again = try await Self.run(file, provider.profile, setup, set)
        #expect(again.exitCode == 0, "\(again.error)")
        #expect(again.json?["new"] as? Int == 0)
        #expect(again.json?["known"] as? Int == provider.count)
        let verified = try await BuiltBinary.run(["ledger", "verify", "--database", "sqlite:\(setup.database)"])
        #expect(verified.exitCode == 0, "\(verified.output)")
    }

    @Test("Every shipped profile is tested and fits the schema, and the samples of the page are profiles")
    func schema() async throws {
        #expect(Set(ProviderFile.all.map(\.profile)) == Set(SalesProfile.shipped))
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let schema = try JSONReader().read(
            Array(try Data(contentsOf: root.appending(path: "docs/sales-profile.schema.json")))
        )
        let validator = OpenAPISchema(document: schema)
        for (name, json) in SalesProfileFiles.all {
            let profile = try JSONReader().read(Array(json.utf8))
            #expect(try validator.violations(profile, ["$ref": "#/$defs/profile"]) == [], "\(name)")
            _ = try SalesProfile.read(name)
        }
        let page = try String(contentsOf: root.appending(path: "docs/sales-profiles.md"), encoding: .utf8)
        let samples = page.components(separatedBy: "```yaml\n").dropFirst().map {
            $0.components(separatedBy: "```").first ?? ""
        }
        #expect(samples.count == 4)
        let scratch = try ScratchFolder()
        for sample in samples { _ = try SalesProfile.read(try scratch.write(sample, to: "sample.yaml")) }
        let wrong: [JSONValue] = [
            ["fields": ["saleId": "id"]], ["type": "sale", "fields": ["saleId": "id"]],
            ["type": "purchase", "fields": ["orderId": "id"]],
            ["type": ["column": "Type", "words": ["paid": "bought"]], "fields": ["saleId": "id"]],
        ]
        for profile in wrong {
            #expect(try !validator.violations(profile, ["$ref": "#/$defs/profile"]).isEmpty, "\(profile)")
        }
    }

    @Test(
        "An import that is killed goes on where it ended, and stores no sale twice",
        arguments: sample(ProviderFile.all, 5)
    )
    func killed(_ provider: ProviderFile) async throws {
        let setup = try await ServerUnderTest()
        let copies = 2_000 / provider.count
        let file = try setup.scratch.write(provider.repeated(copies), to: "export.csv")
        let set = Self.sets(provider.set)
        let process = Process()
        process.executableURL = BuiltBinary.url
        process.arguments =
            [
                "ledger", "import-sales", file, "--config", setup.config, "--database", "sqlite:\(setup.database)",
                "--profile", provider.profile, "--verbose",
            ] + set
        process.environment = BuiltBinary.environment
        // The lines of a commit are more than a pipe holds: after its first commit the import waits for a reader.
        let lines = Pipe()
        process.standardOutput = lines
        process.standardError = FileHandle.nullDevice
        try process.run()
        #expect(!lines.fileHandleForReading.availableData.isEmpty)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal, "the import ended before it was killed")
        let second = try await Self.run(file, provider.profile, setup, set)
        #expect(second.exitCode == 0, "\(second.error)")
        let (new, known) = (second.json?["new"] as? Int ?? 0, second.json?["known"] as? Int ?? 0)
        #expect(new > 0 && known > 0 && new + known == copies * provider.count, "\(second.output)")
        let third = try await Self.run(file, provider.profile, setup, set)
        #expect(third.json?["known"] as? Int == copies * provider.count)
        #expect(third.json?["new"] as? Int == 0)
        // What the ledger holds is the file's sums as often as its rows are repeated.
        let sums = try await Self.sums(setup)
        for (type, once) in [("purchase", provider.payments), ("refund", provider.refunds)] {
            for (currency, amount) in once {
                let all = try #require(Decimal(string: amount)) * Decimal(copies)
                #expect(sums["\(type) \(currency)"] == all, "\(type) \(currency)")
            }
        }
        #expect(sums.count == provider.payments.count + provider.refunds.count, "\(sums)")
    }

    /// What customers paid and got back by currency, read from the server's list.
    private static func sums(_ setup: ServerUnderTest) async throws -> [String: Decimal] {
        let server = try await RunningServer(setup.arguments)
        defer { _ = server.terminate() }
        var sums: [String: Decimal] = [:]
        var after = ""
        while true {
            let page = try await HTTP.get(server.url + "/v1/sales?limit=500\(after)").json
            for entry in try #require(page["sales"] as? [[String: Any]]) {
                let sale = try #require(entry["sale"] as? [String: Any])
                let type = try #require(sale["type"] as? String)
                if type == "chargebackReversal" { continue }
                let amount = try #require(sale["amount"] as? [String: Any])
                // Each refund is the only one of its payment, so that a total is its amount.
                let text = amount["inclusive"] ?? amount["refundedTotal"] ?? sale["refundedTotal"]
                let inclusive = try #require((text as? String).flatMap { Decimal(string: $0) }, "\(sale)")
                let key = "\(type == "purchase" ? type : "refund") \(amount["currency"] ?? "")"
                sums[key, default: 0] += inclusive
            }
            guard let next = page["next"] as? String else { return sums }
            after = "&after=\(next)"
        }
    }

    @Test("Everything that is wrong with a header comes in one message, and rows by line")
    func faults() async throws {
        let setup = try await ServerUnderTest()
        let head = try setup.scratch.write(
            "id,Created (UTC),Amount,Surcharge,Status\nch_1,2026-11-20 14:03,1.00,0,Paid\n",
            to: "a.csv"
        )
        let first = try await Self.run(head, "stripe-payments", setup)
        #expect(first.exitCode == 2)
        for text in [
            "a.csv:1: the header does not fit the profile stripe-payments:",
            "has no column 'Currency', which gives currency",
            "has no column 'Amount Refunded'", "--set productId=VALUE states it for the whole file",
            "nothing reads 'Surcharge'",
        ] { #expect(first.error.contains(text), "\(text): \(first.error)") }
        let body = try setup.scratch.write(
            """
            id,Created (UTC),Amount,Amount Refunded,Currency,Status,PaymentIntent ID
            ch_1,2026-11-20 14:03,1.00,0.00,eur,Paid,pi_1
            ch_2,2026-13-20 14:03,1.00,0.00,eur,Paid,pi_2
            ch_3,2026-11-20 14:03,"1.000,00",0.00,eur,Paid,pi_3
            ch_4,2026-11-20 14:03,1.00,0.00,eur,Settling,pi_4
            ch_5,2026-11-20 14:03,-1.00,0.00,eur,Paid,pi_5
            ch_6,2026-11-20 14:03,1.00,0.00,xyz,Paid,pi_6
            """,
            to: "b.csv"
        )
        let second = try await BuiltBinary.run(
            [
                "ledger", "import-sales", body, "--config", setup.config, "--database", "sqlite:\(setup.database)",
                "--profile", "stripe-payments", "--set", "productId=gems.100", "--set", "taxCountry=Holland",
                "--dry-run",
            ]
        )
        #expect(second.exitCode == 1)
        for text in [
            ":3: occurredAt (column 'Created (UTC)'): is no time in the form yyyy-MM-dd",
            ":4: inclusive (column 'Amount'): is no number with the decimal mark '.'",
            ":5: column 'Status': has the unknown word \"Settling\"; known are Paid, succeeded",
            ":6: inclusive (column 'Amount'): is negative in a row of type purchase",
            ":7: currency (column 'Currency'): is not a currency", ":2: taxCountry: is not a country of ISO 3166-1",
        ] { #expect(second.error.contains(body + text), "\(text): \(second.error)") }
        #expect(!FileManager.default.fileExists(atPath: setup.database))
    }

    @Test("A payment of several products is no sale of one, and the error says what would be right")
    func severalProducts() async throws {
        let setup = try await ServerUnderTest()
        let provider = try #require(ProviderFile.all.first { $0.profile == "paddle-transactions" })
        let file = try setup.scratch.write(
            provider.text.replacing(",pri_2,", with: #","pri_2,pri_3","#),
            to: "several.csv"
        )
        let result = try await setup.importSales(file, provider.profile, [])
        #expect(result.exitCode == 1)
        let words = #":3: column 'price_ids': "pri_2,pri_3" needs a person: its one amount is of several products"#
        #expect(
            result.error.contains(file + words) && result.error.contains("with an amount for each"),
            "\(result.error)"
        )
        #expect(!FileManager.default.fileExists(atPath: setup.database))
    }

    private static let shop = """
        file: {delimiter: semicolon, encoding: windows-1252, skip: 1}
        numbers: {decimal: ",", thousands: "."}
        times: {formats: ["dd.MM.yyyy HH:mm"], zone: Europe/Berlin}
        type: {column: Art, words: {Verkauf: purchase, Gutschrift: refund, Gebühr: leave-out}}
        fields:
          saleId: Bestellung
          occurredAt: {date: Datum, time: Uhrzeit}
          currency: Währung
          inclusive: Betrag
          taxRate: Steuer
          taxCountry: {column: Land, words: {Deutschland: DEU}}
          productId: Artikel
          quantity: Menge
        ofType: {refund: {saleId: {text: "{Bestellung}/gut"}, refundOf: Bestellung}}
        lines: {sameOrder: Bestellung}
        """

    @Test("A profile of one's own reads another language, encoding, marks, zones and orders of several rows")
    func ownProfile() async throws {
        let setup = try await ServerUnderTest()
        let profile = try setup.scratch.write(Self.shop, to: "shop.yaml")
        let text = """
            Umsätze 2026
            Bestellung;Datum;Uhrzeit;Art;Währung;Betrag;Steuer;Land;Artikel;Menge
            B-1;20.10.2026;14:03;Verkauf;eur;1.234,50;19;Deutschland;münzen.9;1
            B-1;;;;;65,50;19;;münzen.1;2
            B-2;20.11.2026;14:03;Verkauf;EUR;9,99;19;Deutschland;münzen.1;1
            B-2;21.11.2026;08:00;Gutschrift;EUR;-4,00;;;;
            ;21.11.2026;08:00;Gebühr;EUR;-1,00;;;;
            """
        let file = setup.scratch.url.appending(path: "umsatz.csv").path
        let latin = try #require(text.data(using: .windowsCP1252))
        try latin.write(to: URL(filePath: file))
        let result = try await Self.run(file, profile, setup)
        #expect(result.exitCode == 0, "\(result.error)")
        #expect(result.json?["newByType"] as? [String: Int] == ["purchase": 2, "refund": 1], "\(result.output)")
        #expect(result.json?["payments"] as? [String: String] == ["EUR": "1309.99"])
        #expect(result.json?["refunds"] as? [String: String] == ["EUR": "4.00"])
        #expect(result.json?["leftOut"] as? [String: Int] == ["Gebühr": 1])
        let server = try await RunningServer(setup.arguments)
        let order = try await HTTP.get(server.url + "/v1/sales/B-1")
        #expect(
            (order.json["sale"] as? [String: Any])?["occurredAt"] as? String == "2026-10-20T12:03:00Z",
            "\(order.json)"
        )
        #expect(((order.json["sale"] as? [String: Any])?["lines"] as? [Any])?.count == 2, "\(order.json)")
        #expect(server.terminate() == 0)
        // UTF-16 with its mark is read whatever the profile says.
        let wide = try #require(text.data(using: .utf16))
        try wide.write(to: URL(filePath: file))
        let again = try await Self.run(file, profile, setup)
        #expect(again.json?["known"] as? Int == 3, "\(again.error)\(again.output)")
    }

    @Test(
        "A file that is not what the profile says is refused in one line, and nothing is stored",
        arguments: [
            ("id,\u{0}Created\nch_1,x\n", "has bytes of value 0"),
            ("id;Created (UTC);Amount\nch_1;x;1\n", "file.delimiter: semicolon of a profile divides it"),
            ("", "is empty; its first line must name the columns"),
            ("id,Created (UTC)\n\"ch_1,2026", "the header does not fit the profile"),
        ]
    )
    func wrongFile(_ text: String, _ message: String) async throws {
        let setup = try await ServerUnderTest()
        var file = try setup.scratch.write(text, to: "a.csv")
        let own = try setup.scratch.write("base: stripe-payments\nfile: {delimiter: comma}\n", to: "own.yaml")
        let result = try await Self.run(file, own, setup)
        #expect(result.exitCode == 2)
        #expect(result.error.contains(message), "\(result.error)")
        #expect(!FileManager.default.fileExists(atPath: setup.database))
        file = try setup.scratch.write("type: purchase\nfields: {order: A}\n", to: "wrong.yaml")
        let wrong = try await Self.run(own, file, setup)
        #expect(wrong.exitCode == 2)
        #expect(wrong.error.contains("wrong.yaml:2:10: fields: 'order' is no field"), "\(wrong.error)")
    }
}

@Suite("The forms of numbers and times in a file of sales")
struct SalesFormTests {
    @Test("Signs, marks and symbols")
    func numbers() throws {
        let cases: [(text: String, decimal: String, thousands: String, right: String?)] = [
            ("1,234.50", ".", ",", "1234.50"), ("1.234,50", ",", ".", "1234.50"), ("-4", ".", ",", "-4"),
            ("(4.00)", ".", ",", "-4.00"), ("4.00-", ".", ",", "-4.00"), ("\u{2212}4.00", ".", ",", "-4.00"),
            ("$21.83", ".", ",", "21.83"), ("-$1.00", ".", ",", "-1.00"), ("9,99 €", ",", ".", "9.99"),
            ("1 234,50", ",", " ", "1234.50"), ("1\u{202F}234,50", ",", " ", "1234.50"),
            ("1’234.50", ".", "'", "1234.50"),
            ("1,23.50", ".", ",", nil), ("12,34", ".", ",", nil), ("1.234.50", ".", ",", nil), ("free", ".", ",", nil),
            ("--1", ".", ",", nil), (".5", ".", ",", nil), ("1e5", ".", ",", nil), ("٣", ".", ",", nil),
        ]
        for (text, decimal, thousands, right) in cases {
            let form = NumberForm(
                decimal: try #require(decimal.utf8.first),
                thousands: thousands,
                symbols: ["$", "€"]
            )
            let number = form.number(text)
            #expect(number.map { ($0.isNegative ? "-" : "") + $0.text } == right, "\(text)")
        }
    }

    @Test("Digits that a currency lacks are no digits where they are zeros")
    func digits() {
        #expect(NumberForm.withoutEmptyDigits("500.00", of: .code("JPY")) == "500")
        #expect(NumberForm.withoutEmptyDigits("500.50", of: .code("JPY")) == "500.50")
        #expect(NumberForm.withoutEmptyDigits("9.9900", of: .code("EUR")) == "9.99")
    }

    @Test(
        "Times with a blank, an offset without a colon, a named zone and daylight saving time",
        arguments: [
            ("2026-11-20T14:03:00Z", "2026-11-20T14:03:00Z"), ("2026-11-20 14:03", "2026-11-20T13:03:00Z"),
            ("2026-07-20 14:03:09", "2026-07-20T12:03:09Z"),
            ("2026-11-20 14:03:00 -0700", "2026-11-20T21:03:00Z"),
            ("2026-11-20 14:03:00.5", "2026-11-20T13:03:00.500Z"), ("2026-11-20", "2026-11-19T23:00:00Z"),
            ("2026-10-25 01:59", "2026-10-24T23:59:00Z"), ("2026-10-25 03:00", "2026-10-25T02:00:00Z"),
            ("2026-10-25 02:30", "occurred twice in Europe/Amsterdam"),
            ("2026-03-29 02:30", "did not occur in Europe/Amsterdam"),
            ("2026-02-29 02:30", "is no time in the form"), ("20.11.2026", "is no time in the form"),
        ]
    )
    func times(_ text: String, _ right: String) throws {
        var form = TimeForm()
        let zone = try #require(TimeZoneRule("Europe/Amsterdam"))
        form.zone = zone
        switch form.moment(text, zone: nil) {
        case .success(let moment): #expect(moment.description == right)
        case .failure(let fault): #expect(fault.message.hasPrefix(right), "\(fault.message)")
        }
    }

    @Test("A provider's abbreviations, the ambiguous hour, months by name and halves of the day")
    func forms() throws {
        var form = TimeForm()
        #expect(try form.moment("2026-11-20 14:03", zone: "PST").get().description == "2026-11-20T22:03:00Z")
        #expect(throws: TimeFault.self) { try form.moment("2026-11-20 14:03", zone: "CST").get() }
        #expect(throws: TimeFault.self) { try form.moment("2026-11-20 14:03", zone: nil).get() }
        form.zones = ["CST": .offset(seconds: -21_600, name: "CST")]
        #expect(try form.moment("2026-11-20 14:03", zone: "CST").get().description == "2026-11-20T20:03:00Z")
        form.zone = TimeZoneRule("Europe/Amsterdam")
        form.ambiguousHour = .earlier
        #expect(try form.moment("2026-10-25 02:30", zone: nil).get().description == "2026-10-25T00:30:00Z")
        form.ambiguousHour = .later
        #expect(try form.moment("2026-10-25 02:30", zone: nil).get().description == "2026-10-25T01:30:00Z")
        form.patterns = [try #require(TimePattern("MMM d, yyyy, hh:mm:ss a z"))]
        let text = "Nov 5, 2026, 12:05:09 AM PST"
        #expect(try form.moment(text, zone: nil).get().description == "2026-11-05T08:05:09Z")
        for wrong in [
            "yyyy", "HH:mm", "yyyy-MM-dd HH:QQ", "yyyy-MM-dd[", "yyyy-MM-dd]", "yyyyy-MM-dd", "yyyy-MM-dd 'T",
        ] {
            #expect(TimePattern(wrong) == nil, "\(wrong)")
        }
    }
}

extension ServerUnderTest {
    /// Imports a provider's file into the ledger of the server, which does not run.
    func importSales(_ file: String, _ profile: String, _ more: [String]) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(
            [
                "ledger", "import-sales", file, "--config", config, "--database", "sqlite:\(database)", "--profile",
                profile,
            ] + more
        )
    }
}
