import Foundation
import TestSupport
import Testing

@testable import ExternalPurchaseCommands

/// Files of which the last one states a figure that could be read as another one.
struct StatedFigure: CustomTestStringConvertible, Sendable {
    let name: String
    /// A shipped profile, or the text of one.
    let profile: String
    /// The files in the order of their import; all but the last one are right.
    let files: [String]
    var set = ["productId=gems.100", "taxRate=21", "taxCountry=NLD"]
    /// 2 for a wrong header, 1 for a row that is not taken.
    var exitCode: Int32 = 0
    /// The new sales of the last file.
    var new: [String: Int] = [:]
    /// What the errors of the last file say.
    var messages: [String] = []
    /// What a dry run shows of the last file.
    var preview: [String] = []

    var testDescription: String { name }

    private static let payments =
        "id,Created date (UTC),Amount,Amount Refunded,Currency,Captured,Mode,Status,PaymentIntent ID"
    private static let dispute = "import the payment and its dispute with the profile stripe-balance"

    static let stripePayments = [
        StatedFigure(
            name: "a payment of test mode is of the sandbox",
            profile: "stripe-payments",
            files: [
                """
                \(payments)
                ch_1,2026-11-20 14:03,20.00,0.00,eur,true,Test,Paid,pi_1
                ch_2,2026-11-20 14:04,10.00,0.00,eur,true,Live,Paid,pi_2
                ch_3,2026-11-20 14:05,5.00,0.00,eur,true,,Paid,pi_3
                """
            ],
            new: ["purchase": 3],
            preview: [
                #""saleId":"pi_1","type":"purchase","occurredAt":"2026-11-20T14:03:00Z","environment":"sandbox""#,
                #""saleId":"pi_2","type":"purchase","occurredAt":"2026-11-20T14:04:00Z","environment":"production""#,
                #""saleId":"pi_3","type":"purchase","occurredAt":"2026-11-20T14:05:00Z","productId""#,
            ]
        ),
        StatedFigure(
            name: "an unknown mode",
            profile: "stripe-payments",
            files: ["\(payments)\nch_1,2026-11-20 14:03,20.00,0.00,eur,true,Sandbox 2,Paid,pi_1"],
            exitCode: 1,
            messages: ["environment (column 'Mode'): has the unknown word \"Sandbox 2\""]
        ),
        StatedFigure(
            name: "disputes",
            profile: "stripe-payments",
            files: [
                """
                \(payments),Disputed Amount,Dispute Status,Dispute Date (UTC)
                ch_1,2026-11-20 14:03,40.00,0.00,eur,true,Live,Paid,pi_1,40.00,lost,2026-11-22 10:00
                ch_2,2026-11-20 14:04,80.00,0.00,eur,true,Live,Paid,pi_2,80.00,needs_response,2026-11-22 10:00
                ch_3,2026-11-20 14:05,20.00,0.00,eur,true,Live,Disputed,pi_3,,,
                ch_4,2026-11-20 14:06,20.00,0.00,eur,true,Live,Paid,pi_4,12.00,,
                """
            ],
            exitCode: 1,
            messages: [
                "export.csv:2: column 'Dispute Status': \"lost\" needs a person", dispute,
                "export.csv:3: column 'Dispute Status': \"needs_response\" needs a person",
                "export.csv:4: column 'Status': \"Disputed\" needs a person",
                "export.csv:5: column 'Dispute Status': \"12.00\"",
            ]
        ),
        StatedFigure(
            name: "disputes that took nothing",
            profile: "stripe-payments",
            files: [
                """
                \(payments),Disputed Amount,Dispute Status
                ch_1,2026-11-20 14:03,40.00,0.00,eur,true,Live,Paid,pi_1,40.00,won
                ch_2,2026-11-20 14:04,80.00,0.00,eur,true,Live,Paid,pi_2,80.00,warning_closed
                ch_3,2026-11-20 14:05,20.00,0.00,eur,true,Live,Paid,pi_3,,
                ch_4,2026-11-20 14:06,20.00,0.00,eur,true,Live,Paid,pi_4,0.00,
                """
            ],
            new: ["purchase": 4]
        ),
        StatedFigure(
            name: "a refund without its date",
            profile: "stripe-payments",
            files: ["\(payments)\nch_1,2026-10-20 14:03,20.00,4.00,eur,true,Live,Paid,pi_1"],
            exitCode: 1,
            messages: [
                "export.csv:2: occurredAt of the refund (column 'Refunded date (UTC)'): is not in the file; a refund counts in "
                    + "the month of its own date: add the column to the export"
            ]
        ),
        StatedFigure(
            name: "a refund with an empty date",
            profile: "stripe-payments",
            files: ["\(payments),Refunded date (UTC)\nch_1,2026-10-20 14:03,20.00,4.00,eur,true,Live,Paid,pi_1,"],
            exitCode: 1,
            messages: ["occurredAt of the refund (column 'Refunded date (UTC)'): is empty"]
        ),
        StatedFigure(
            name: "no refund, no date",
            profile: "stripe-payments",
            files: ["\(payments)\nch_1,2026-10-20 14:03,20.00,0.00,eur,true,Live,Paid,pi_1"],
            new: ["purchase": 1]
        ),
        StatedFigure(
            name: "one total in two forms",
            profile: "stripe-payments",
            files: [
                "\(payments),Refunded date (UTC)\nch_1,2026-10-20 14:03,2000.00,\"1,500.00\",eur,true,Live,Paid,pi_1,2026-11-20 10:00",
                "\(payments),Refunded date (UTC)\nch_1,2026-10-20 14:03,\"2,000\",1500,eur,true,Live,Paid,pi_1,2026-11-20 10:00:00",
            ],
            preview: [#""saleId":"ch_1/refunded/1500""#]
        ),
    ]

    private static func refunded(_ total: String, _ day: String) -> String {
        "\(payments),Refunded date (UTC)\nch_1,2026-11-10 14:03,100.00,\(total),eur,true,Live,Paid,pi_1,\(day)"
    }

    static let failedRefunds = [
        StatedFigure(
            name: "less is refunded in a later export",
            profile: "stripe-payments",
            files: [refunded("60.00", "2026-11-12 10:00"), refunded("40.00", "2026-11-12 10:00")],
            exitCode: 1,
            new: ["refund": 1],
            messages: [
                "export.csv:2: refundedTotal (column 'Amount Refunded'): is 40.00, and the refund \"ch_1/refunded/60\" states "
                    + "60.00: if a refund failed, void or correct that one (docs/corrections.md)"
            ]
        ),
        StatedFigure(
            name: "nothing is refunded in a later export",
            profile: "stripe-payments",
            files: [refunded("60.00", "2026-11-12 10:00"), refunded("0.00", "")],
            exitCode: 1,
            messages: ["is 0.00, and the refund \"ch_1/refunded/60\" states 60.00"]
        ),
        StatedFigure(
            name: "more is refunded in a later export",
            profile: "stripe-payments",
            files: [
                refunded("0.00", ""), refunded("60.00", "2026-11-12 10:00"), refunded("100.00", "2026-11-13 10:00"),
            ],
            new: ["refund": 1]
        ),
    ]

    static let charges = [
        StatedFigure(
            name: "a payment that only its charge names",
            profile: "stripe-payments",
            files: ["\(payments)\nch_1,2026-11-20 14:03,20.00,0.00,eur,true,Live,Paid,"],
            new: ["purchase": 1],
            preview: ["1 named by the charge: an export with payment intents would give the same payments again"]
        )
    ]

    private static let balance =
        "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,description,customer_facing_amount,customer_facing_currency,charge_id,payment_intent_id"
    private static let charge = "txn_1,2026-11-05 10:00:00,eur,20.00,0.30,19.70,charge,ch_3,x,20.00,eur,ch_3,pi_3"
    private static let taken = "txn_2,2026-11-06 10:00:00,eur,-20.00,15,-35,dispute,dp_3,x,,,ch_3,pi_3"
    private static func back(_ amount: String) -> String {
        "txn_3,2026-11-07 10:00:00,eur,\(amount),-15,27,dispute_reversal,dp_3,x,,,ch_3,pi_3"
    }
    private static let adyen =
        "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC)"
    private static let shopify =
        "Transaction Date,Type,Order,Amount,Presentment Amount,Presentment Currency,Currency"
    private static let paypal =
        "Date,Time,TimeZone,Type,Status,Currency,Gross,Transaction ID,Reference Txn ID,Item ID"
    private static let part =
        "what came back is a part, and the chargeback is less by it; amend or correct the chargeback"

    static let chargebacks = [
        StatedFigure(
            name: "Stripe: a part came back",
            profile: "stripe-balance",
            files: ["\(balance)\n\(charge)\n\(taken)\n\(back("12.00"))"],
            exitCode: 1,
            new: ["purchase": 1, "chargeback": 1],
            messages: [
                "export.csv:4: inclusive (column 'gross'): is 12.00, and the chargeback \"dp_3\" took 20.00: \(part)"
            ]
        ),
        StatedFigure(
            name: "Stripe: a part came back, in a later file",
            profile: "stripe-balance",
            files: ["\(balance)\n\(charge)\n\(taken)", "\(balance)\n\(back("12.00"))"],
            exitCode: 1,
            messages: [part]
        ),
        StatedFigure(
            name: "Stripe: all came back, newest row first",
            profile: "stripe-balance",
            files: ["\(balance)\n\(back("20"))\n\(taken)\n\(charge)"],
            new: ["purchase": 1, "chargeback": 1, "chargebackReversal": 1]
        ),
        StatedFigure(
            name: "Stripe: what came back of a chargeback that is not known",
            profile: "stripe-balance",
            files: ["\(balance)\n\(back("20.00"))"],
            exitCode: 1,
            messages: ["reversalOf (column 'source_id'): is no chargeback known here"]
        ),
        StatedFigure(
            name: "Adyen: a part came back",
            profile: "adyen-settlement",
            files: [
                """
                \(adyen)
                Co,Shop,PSP4,ORD4,visa,2026-11-05 02:30:00,CET,Settled,MOD9,EUR,,70.00
                Co,Shop,PSP4,ORD4,visa,2026-11-06 02:30:00,CET,Chargeback,MOD10,EUR,70.00,
                Co,Shop,PSP4,ORD4,visa,2026-11-07 02:30:00,CET,ChargebackReversed,MOD11,EUR,,25.00
                """
            ],
            exitCode: 1,
            new: ["purchase": 1, "chargeback": 1],
            messages: ["is 25.00, and the chargeback \"PSP4/chargeback\" took 70.00: \(part)"]
        ),
        StatedFigure(
            name: "Shopify: a part came back",
            profile: "shopify-payments",
            files: [
                """
                \(shopify)
                2026-11-05 18:00:00 +0200,charge,#1002,1234.50,"1,234.50",EUR,EUR
                2026-11-09 18:00:00 +0200,chargeback,#1002,-1234.50,1234.50,EUR,EUR
                2026-11-10 18:00:00 +0200,chargeback won,#1002,34.50,34.50,EUR,EUR
                """
            ],
            exitCode: 1,
            new: ["purchase": 1, "chargeback": 1],
            messages: ["is 34.50, and the chargeback \"#1002/chargeback\" took 1234.50: \(part)"]
        ),
        StatedFigure(
            name: "PayPal: a part came back",
            profile: "paypal-activity",
            files: [
                """
                \(paypal)
                11/02/2026,14:50:41,PST,Express Checkout Payment,Completed,EUR,200.00,3LW2,,gems
                11/04/2026,14:50:41,PST,Payment Reversal,Completed,EUR,-150.00,3LW4,3LW2,
                11/05/2026,14:50:41,PST,Cancellation of Payment Reversal,Completed,EUR,20.00,3LW5,3LW2,
                """
            ],
            set: ["taxRate=21", "taxCountry=NLD"],
            exitCode: 1,
            new: ["purchase": 1, "chargeback": 1],
            messages: ["is 20.00, and the chargeback \"3LW2/chargeback\" took 150.00: \(part)"]
        ),
        StatedFigure(
            name: "PayPal: all came back",
            profile: "paypal-activity",
            files: [
                """
                \(paypal)
                11/02/2026,14:50:41,PST,Express Checkout Payment,Completed,JPY,"1,500",3LW2,,gems
                11/04/2026,14:50:41,PST,Payment Reversal,Completed,JPY,"-1,500",3LW4,3LW2,
                11/05/2026,14:50:41,PST,Cancellation of Payment Reversal,Completed,JPY,1500.00,3LW5,3LW2,
                """
            ],
            set: ["taxRate=21", "taxCountry=NLD"],
            new: ["purchase": 1, "chargeback": 1, "chargebackReversal": 1]
        ),
    ]

    private static func orders(_ id: String) -> String {
        """
        type: purchase
        fields:
          saleId: o
          occurredAt: t
          currency: c
          inclusive: a
          productId: p
          customerId: {column: cu, optional: true}
          checkoutId: {column: co, optional: true}
          environment: {column: env, optional: true}
        values: {quantity: 1}
        refund: {total: rf, fields: {saleId: {text: "\(id)"}, occurredAt: {column: rd, optional: true}}}
        lines: {sameOrder: o}
        """
    }
    private static let head = "o,t,c,a,p,cu,co,env,rf,rd"
    private static let time = "2026-11-01T10:00:00Z"
    private static let taxes = ["taxRate=21", "taxCountry=NLD"]

    private static func order(
        _ name: String,
        _ rows: String,
        id: String = "{o}/refund/{rf}",
        exitCode: Int32 = 1,
        new: [String: Int] = [:],
        messages: [String] = [],
        preview: [String] = []
    ) -> StatedFigure {
        StatedFigure(
            name: name,
            profile: orders(id),
            files: ["\(head)\n\(rows)"],
            set: taxes,
            exitCode: exitCode,
            new: new,
            messages: messages,
            preview: preview
        )
    }

    private static func row(_ rest: String, _ time: String = time, order: String = "1") -> String {
        "\(order),\(time),EUR,\(rest)"
    }

    static let orders = [
        order(
            "the total of the order on its first row",
            "\(row("10.00,a,,,,6.00,2026-11-03T10:00:00Z"))\n1,,,5.00,b,,,,,",
            exitCode: 0,
            new: ["purchase": 1, "refund": 1],
            preview: [#""refundOf":"1","refundedTotal":"6.00""#]
        ),
        order(
            "the total of the order on every row",
            "\(row("10.00,a,,,,6.00,2026-11-03T10:00:00Z"))\n\(row("5.00,b,,,,6.00,2026-11-03T10:00:00Z"))",
            exitCode: 0,
            new: ["purchase": 1, "refund": 1],
            preview: [#""refundOf":"1","refundedTotal":"6.00""#]
        ),
        order(
            "a total on the second row only",
            "\(row("10.00,a,,,,,"))\n\(row("5.00,b,,,,5.00,2026-11-03T10:00:00Z"))",
            messages: [
                "export.csv:3: refundedTotal (column 'rf'): is 5.00, and the first row of the order has none: of which line the "
                    + "refund is cannot be told"
            ]
        ),
        order(
            "totals that differ",
            "\(row("10.00,a,,,,6.00,2026-11-03T10:00:00Z"))\n\(row("5.00,b,,,,2.00,2026-11-03T10:00:00Z"))",
            messages: ["export.csv:3: refundedTotal (column 'rf'): is 2.00, and the first row of the order has 6.00"]
        ),
        order(
            "a total of each line",
            "\(row("10.00,a,,,,6.00,2026-11-03T10:00:00Z"))\n\(row("5.00,b,,,,2.00,2026-11-04T10:00:00Z"))\n1,,,7.00,d,,,,0.00,",
            id: "{o}/{p}/refund/{rf}",
            exitCode: 0,
            new: ["purchase": 1, "refund": 2],
            preview: [
                #""saleId":"1/a/refund/6","type":"refund","occurredAt":"2026-11-03T10:00:00Z","amount":{"currency":"EUR"},"refundOf":"1/1","refundedTotal":"6.00""#,
                #""saleId":"1/b/refund/2","type":"refund","occurredAt":"2026-11-04T10:00:00Z","amount":{"currency":"EUR"},"refundOf":"1/2","refundedTotal":"2.00""#,
            ]
        ),
        order(
            "a total of the second line, and equal totals",
            "\(row("10.00,a,,,,,"))\n\(row("5.00,b,,,,5.00,2026-11-04T10:00:00Z"))\n\(row("5.00,d,,,,5.00,2026-11-04T10:00:00Z"))",
            id: "{o}/{p}/refund/{rf}",
            exitCode: 0,
            new: ["purchase": 1, "refund": 2],
            preview: [#""refundOf":"1/2","refundedTotal":"5.00""#, #""refundOf":"1/3","refundedTotal":"5.00""#]
        ),
        order(
            "a total of lines with one product",
            "\(row("10.00,a,,,,,"))\n\(row("5.00,b,,,,5.00,2026-11-04T10:00:00Z"))\n\(row("5.00,b,,,,,"))",
            id: "{o}/{p}/refund/{rf}",
            messages: ["export.csv:3: refundedTotal (column 'rf'): is 5.00: of which line the refund is cannot be told"]
        ),
        order(
            "a total of a further line without a date",
            "\(row("10.00,a,,,,6.00,2026-11-03T10:00:00Z"))\n\(row("5.00,b,,,,2.00,"))",
            id: "{o}/{p}/refund/{rf}",
            messages: ["export.csv:3: occurredAt of the refund (column 'rd'): is empty"]
        ),
        order(
            "another customer, checkout, environment and time",
            "\(row("10.00,a,c-1,k1,production,,"))\n\(row("5.00,b,c-2,k2,sandbox,,", "2026-11-01T10:00:01Z"))",
            messages: [
                "export.csv:3: customerId (column 'cu'): is \"c-2\", and \"c-1\" on line 2: the order \"1\" has one",
                "export.csv:3: checkoutId (column 'co'): is \"k2\"",
                "export.csv:3: environment (column 'env'): is \"sandbox\"",
                "export.csv:3: occurredAt (column 't'): is \"2026-11-01T10:00:01Z\"",
            ]
        ),
        order(
            "a customer that only a further row states",
            "\(row("10.00,a,,,,,"))\n\(row("5.00,b,c-2,,,,"))\n\(row("1.00,d,,,,,"))",
            exitCode: 0,
            new: ["purchase": 1],
            preview: [#""customerId":"c-2""#]
        ),
        order(
            "two further rows with other customers",
            "\(row("10.00,a,,,,,"))\n\(row("5.00,b,c-2,,,,"))\n\(row("1.00,d,c-3,,,,"))",
            messages: ["export.csv:4: customerId (column 'cu'): is \"c-3\", and \"c-2\" on line 3"]
        ),
        order(
            "one moment in two forms",
            "\(row("10.00,a,,,,,"))\n\(row("5.00,b,,,,,", "2026-11-01T11:00:00+01:00"))",
            exitCode: 0,
            new: ["purchase": 1]
        ),
        order(
            "equal rows that do not follow each other",
            "\(row("7.00,a,,,,,"))\n\(row("1.00,a,,,,,", order: "2"))\n\(row("7.00,a,,,,,"))",
            messages: ["export.csv:4: lines: the order \"1\" begins on line 2 already"]
        ),
        order(
            "equal rows that follow each other",
            "\(row("7.00,a,,,,,"))\n\(row("7.00,a,,,,,"))",
            exitCode: 0,
            new: ["purchase": 1],
            preview: [#""lines":[{"productId":"a","#]
        ),
    ]

    private static let plain = """
        type: {column: art, words: {p: purchase, r: refund, fee: leave-out}}
        fields: {saleId: id, occurredAt: d, currency: w, inclusive: b}
        values: {quantity: 1}
        ofType: {refund: {saleId: {text: "{id}/{d}/{b}"}, refundOf: id}}
        """
    private static let shop = "2026-11-10 10:00:00 +0100,charge,#B,30.00,30.00,EUR,EUR"

    static let others = [
        StatedFigure(
            name: "a column without a name that has values",
            profile: plain,
            files: ["id,art,d,w,b,,\na,p,2026-11-20T10:00:00Z,EUR,5,,7\nb,p,2026-11-20T10:00:00Z,EUR,5,,\n"],
            exitCode: 1,
            messages: ["export.csv:2: column 7 has no name, and \"7\"; name it, or remove it"]
        ),
        StatedFigure(
            name: "columns without names or values",
            profile: plain,
            files: ["id,art,d,w,b,,\na,p,2026-11-20T10:00:00Z,EUR,5,, \nb,fee,,,,3,\n"],
            new: ["purchase": 1]
        ),
        StatedFigure(
            name: "one refund in other digits and another zone",
            profile: "shopify-payments",
            files: [
                "\(shopify)\n\(shop)\n2026-11-11 10:00:00 +0100,refund,#B,-5.00,5.00,EUR,EUR",
                "\(shopify)\n2026-11-11 09:00:00 +0000,refund,#B,-5,5,EUR,EUR",
            ],
            preview: [##""saleId":"#B/refund/2026-11-11T09:00:00Z/-5""##]
        ),
        StatedFigure(
            name: "equal refunds in two forms in one file",
            profile: "shopify-payments",
            files: [
                "\(shopify)\n\(shop)\n2026-11-11 10:00:00 +0100,refund,#B,-5.50,5.50,EUR,EUR\n2026-11-11 09:00:00 +0000,refund,#B,-5.5,5.5,EUR,EUR"
            ],
            new: ["purchase": 1, "refund": 2],
            preview: [##""saleId":"#B/refund/2026-11-11T09:00:00Z/-5.5/2""##]
        ),
        StatedFigure(
            name: "a refund of one's own profile in other digits",
            profile: plain,
            files: [
                "id,art,d,w,b\na,p,2026-11-20T10:00:00Z,JPY,500\na,r,2026-11-21T10:00:00Z,JPY,-100",
                "id,art,d,w,b\na,r,2026-11-21T11:00:00.000+01:00,JPY,-100.00",
            ],
            preview: [#""saleId":"a/2026-11-21T10:00:00Z/-100""#]
        ),
        StatedFigure(
            name: "Stripe: times in the zone of the report",
            profile: "stripe-balance",
            files: [balance.replacing("created_utc", with: "created") + "\n\(charge)"],
            exitCode: 2,
            messages: ["has no column 'created_utc' or 'Created (UTC)', which gives occurredAt"]
        ),
        StatedFigure(
            name: "Stripe: what was authorised and not captured",
            profile: "stripe-balance",
            files: [
                "\(balance)\n\(charge)\ntxn_2,2026-11-05 11:00:00,eur,-8.00,0,-8.00,partial_capture_reversal,re_1,x,-8.00,eur,ch_3,pi_3"
            ],
            exitCode: 1,
            messages: ["\"partial_capture_reversal\" needs a person: what was authorised and not captured is no refund"]
        ),
        StatedFigure(
            name: "Paddle: transactions of 0, and of another payment method",
            profile: "paddle-transactions",
            files: [
                """
                id,status,customer_id,address_country_code,currency_code,tax,total,billed_at,price_ids,origin
                txn_1,completed,ctm_1,NL,EUR,210,1210,2026-11-10T10:00:00Z,pri_1,web
                txn_2,completed,ctm_1,NL,EUR,0,0,2026-11-10T10:00:00Z,pri_1,web
                txn_3,completed,ctm_1,NL,EUR,210,1210,2026-11-10T10:00:00Z,pri_1,subscription_payment_method_change
                """
            ],
            set: [],
            new: ["purchase": 1],
            preview: ["left out: 1 subscription_payment_method_change, 1 total 0"]
        ),
    ]

    static let all = stripePayments + failedRefunds + charges + chargebacks + orders + others
}

@Suite("ledger import-sales --profile: figures that could be read as others")
struct SalesProfileFigureTests {
    @Test("A figure is what the file says it is, or an error says what is missing", arguments: StatedFigure.all)
    func figures(_ stated: StatedFigure) async throws {
        let setup = try await ServerUnderTest()
        var profile = stated.profile
        if profile.contains("\n") { profile = try setup.scratch.write(profile, to: "own.yaml") }
        let set = stated.set.flatMap { ["--set", $0] }
        for file in stated.files.dropLast() {
            let path = try setup.scratch.write(file, to: "earlier.csv")
            let result = try await setup.importSales(path, profile, set)
            #expect(result.exitCode == 0, "\(result.error)")
        }
        let last = try #require(stated.files.last)
        let path = try setup.scratch.write(last, to: "export.csv")
        let preview = try await setup.importSales(path, profile, set + ["--dry-run"])
        for text in stated.preview {
            #expect(preview.output.contains(text), "\(text)\n\(preview.output)\(preview.error)")
        }
        let result = try await setup.importSales(path, profile, set + ["--format", "json"])
        #expect(result.exitCode == stated.exitCode, "\(result.output)\(result.error)")
        for text in stated.messages { #expect(preview.error.contains(text), "\(text)\n\(preview.error)") }
        if stated.exitCode == 2 { return }
        #expect(result.json?["newByType"] as? [String: Int] == stated.new, "\(result.output)")
    }
}
