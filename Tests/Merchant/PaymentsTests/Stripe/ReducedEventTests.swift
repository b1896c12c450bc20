import ExternalPurchaseCore
import Foundation
import Testing

@testable import Payments

@Suite("What is stored of an event has no personal data")
struct ReducedEventTests {
    @Test("Names, addresses, card data and foreign metadata are left out, countries and own metadata stay (OB-92)")
    func personalData() throws {
        let body = """
            {"id":"evt_1","object":"event","type":"checkout.session.completed","created":1795176000,"livemode":true,
             "api_version":"2025-03-31.basil","request":{"id":"req_1"},"data":{"object":{"id":"cs_1","object":
             "checkout.session","amount_total":999,"customer_email":"anna@example.com","client_reference_id":"c-1",
             "metadata":{"external_purchase_customer":"cust-7","note":"call +31 6 1234"},
             "customer_details":{"email":"anna@example.com","name":"Anna Bell","phone":"+31612345678",
             "address":{"line1":"Kade 1","city":"Delft","postal_code":"2611","country":"NL"}},
             "payment_method_details":{"card":{"last4":"4242","fingerprint":"abc"}},"url":"https://pay.example/s"}}}
            """
        let event = try StripeEvent(body: Array(body.utf8))
        let text = String(decoding: event.reduced.encoded(), as: UTF8.self)
        for secret in ["anna", "Anna", "3161", "+31", "Kade", "Delft", "2611", "4242", "abc", "https", "req_1"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        for kept in ["cust-7", "\"NL\"", "999", "c-1", "cs_1", "2025-03-31.basil"] {
            #expect(text.contains(kept), "\(kept)")
        }
        #expect(event.customerId == "cust-7")
        #expect(try StripeEvent(json: event.reduced).objectIds == event.objectIds)
    }
}

extension ReducedEventTests {
    /// The objects of Stripe's events with every kind of member that Stripe documents for them.
    ///
    /// Texts of people, links and secrets contain `NEVER`, and so do the values of members that Stripe does not have.
    private static let full: [(type: String, object: String)] = [
        (
            "charge.succeeded",
            """
            {"id":"ch_1","object":"charge","amount":1000,"amount_captured":900,"amount_refunded":100,"application":"ca_1",
             "application_fee":"fee_1","application_fee_amount":5,"balance_transaction":"txn_1","captured":true,
             "billing_details":{"address":{"city":"NEVER","country":"NL","line1":"NEVER","postal_code":"NEVER"},
             "email":"NEVER@example.com","name":"NEVER","phone":"NEVER"},"calculated_statement_descriptor":"NEVER",
             "created":1795176000,"currency":"eur","customer":"cus_1","description":"NEVER","disputed":false,
             "failure_code":null,"failure_message":"NEVER","fraud_details":{"user_report":"NEVER"},"livemode":true,
             "metadata":{"note":"NEVER"},"on_behalf_of":"acct_1","outcome":{"seller_message":"NEVER"},"paid":true,
             "payment_intent":"pi_1","payment_method_details":{"card":{"last4":"NEVER","fingerprint":"NEVER"}},
             "presentment_details":{"presentment_amount":1100,"presentment_currency":"usd"},"receipt_email":"NEVER",
             "receipt_url":"https://NEVER","refunded":false,"shipping":{"address":{"country":"DE","line1":"NEVER"},
             "carrier":"NEVER","name":"NEVER","phone":"NEVER"},"source_transfer":null,"statement_descriptor":"NEVER",
             "status":"succeeded","transfer_data":{"amount":1,"destination":"acct_2"},"transfer_group":"NEVER group",
             "made_up":"NEVER","made_up_amount":"NEVER"}
            """
        ),
        (
            "payment_intent.succeeded",
            """
            {"id":"pi_1","object":"payment_intent","amount":1000,"amount_capturable":0,"amount_received":1000,
             "amount_details":{"tip":{"amount":"NEVER"}},"canceled_at":null,"cancellation_reason":null,
             "capture_method":"manual","client_secret":"pi_1_secret_NEVER","confirmation_method":"automatic",
             "created":1795176000,"currency":"eur","customer":"cus_1","description":"NEVER",
             "last_payment_error":{"message":"NEVER"},"latest_charge":"ch_1","next_action":{"url":"https://NEVER"},
             "payment_method_options":{"card":{"mandate":"NEVER"}},"receipt_email":"NEVER","status":"succeeded",
             "statement_descriptor_suffix":"NEVER"}
            """
        ),
        (
            "invoice.paid",
            """
            {"id":"in_1","object":"invoice","account_name":"NEVER","amount_due":900,"amount_overpaid":0,"amount_paid":900,
             "amount_remaining":0,"amount_shipping":0,"attempt_count":1,"billing_reason":"subscription_cycle",
             "collection_method":"charge_automatically","created":1795176000,"currency":"eur","custom_fields":[{"value":"NEVER"}],
             "customer":"cus_1","customer_address":{"country":"FR","city":"NEVER"},"customer_email":"NEVER",
             "customer_name":"NEVER","customer_phone":"NEVER","customer_tax_ids":[{"value":"NEVER"}],"due_date":1795176001,
             "discounts":["di_1","NEVER a text"],"ending_balance":0,"footer":"NEVER","from_invoice":null,
             "hosted_invoice_url":"https://NEVER","invoice_pdf":"https://NEVER","number":"NEVER-0001",
             "lines":{"object":"list","url":"/NEVER","data":[{"id":"il_1","amount":1000,"description":"NEVER","currency":"eur",
             "discountable":true,"period":{"start":1795176000,"end":1797768000},"quantity":1,
             "pricing":{"unit_amount_decimal":"1000.5","price_details":{"price":"price_1","product":"prod_1"}}}]},
             "starting_balance":-100,"status":"paid","status_transitions":{"finalized_at":1795176000,"paid_at":1795176001},
             "subtotal_excluding_tax":800,"test_clock":"clock_1","total":1000,"total_pretax_credit_amounts":[{"amount":1,
             "type":"discount"}],"pre_payment_credit_notes_amount":0,"next_payment_attempt":null}
            """
        ),
        (
            "charge.dispute.closed",
            """
            {"id":"dp_1","object":"dispute","amount":1000,"balance_transactions":[{"id":"txn_1","amount":-1000,"fee":1500,
             "net":-2500,"currency":"eur","available_on":1795176000,"description":"NEVER","exchange_rate":1.25,
             "fee_details":[{"amount":1500,"currency":"eur","description":"NEVER","type":"stripe_fee"}],
             "reporting_category":"dispute","status":"available","type":"adjustment"}],"charge":"ch_1","created":1795176000,
             "currency":"eur","evidence":{"customer_name":"NEVER","receipt":"file_NEVER"},
             "evidence_details":{"due_by":1795176000,"has_evidence":true,"past_due":false,"submission_count":1},
             "is_charge_refundable":false,"network_reason_code":"10.4","reason":"fraudulent","status":"lost",
             "payment_method_details":{"card":{"brand":"NEVER"}}}
            """
        ),
        (
            "refund.created",
            """
            {"id":"re_1","object":"refund","amount":100,"balance_transaction":"txn_2","charge":"ch_1","created":1795176000,
             "currency":"eur","description":"NEVER","destination_details":{"card":{"reference":"NEVER"}},
             "failure_reason":"expired_or_canceled_card","instructions_email":"NEVER","pending_reason":"processing",
             "payment_intent":"pi_1","reason":"requested_by_customer","receipt_number":"NEVER 1","status":"succeeded"}
            """
        ),
        (
            "customer.subscription.updated",
            """
            {"id":"sub_1","object":"subscription","billing_cycle_anchor":1795176000,"cancel_at_period_end":false,
             "cancellation_details":{"comment":"NEVER","feedback":"NEVER"},"collection_method":"charge_automatically",
             "currency":"eur","current_period_end":1797768000,"current_period_start":1795176000,"description":"NEVER",
             "days_until_due":null,"discount":{"coupon":{"id":"c1","name":"NEVER","percent_off":12.5,"duration":"once"}},
             "schedule":"sub_sched_1","start_date":1795176000,"status":"active","trial_end":null,"trial_start":null}
            """
        ),
        (
            "credit_note.created",
            """
            {"id":"cn_1","object":"credit_note","amount":100,"created":1795176000,"currency":"eur","customer":"cus_1",
             "discount_amount":1,"invoice":"in_1","memo":"NEVER","number":"NEVER-CN-01","pdf":"https://NEVER",
             "pre_payment_amount":0,"post_payment_amount":100,"reason":"order_change","status":"issued","voided_at":null}
            """
        ),
    ]

    @Test("Of a full object every figure, id, date and code is kept, and no text, link, secret or unknown member")
    func fullObjects() throws {
        for (type, object) in Self.full {
            let body = #"{"id":"evt_1","object":"event","type":"\#(type)","created":1795176000,"livemode":true,"data":"#
            let event = try StripeEvent(body: Array((body + #"{"object":\#(object)}}"#).utf8))
            let text = String(decoding: event.reduced.encoded(), as: UTF8.self)
            #expect(!text.contains("NEVER"), "\(type): \(text)")
            let kept = Self.leaves(event.reduced.objectValue?["data"]?.objectValue?["object"] ?? .null)
            // Whatever else stands in the object is kept with its value.
            let missing = try Self.leaves(JSONReader().read(object)).filter { path, value in
                !value.contains("NEVER") && !Self.isOfLeftOut(path)
            }.filter { kept[$0.key] != $0.value }
            #expect(missing == [:], "\(type)")
        }
    }

    /// Objects that are left out with all of their members, and links of Connect that tell nothing of a payment.
    private static func isOfLeftOut(_ path: String) -> Bool {
        ["billing_details", "application"].contains { path.hasPrefix($0 + ".") || path == $0 }
    }

    /// The values of a JSON text by their paths.
    private static func leaves(_ value: JSONValue, at path: String = "") -> [String: String] {
        func merged(_ parts: some Sequence<(String, JSONValue)>) -> [String: String] {
            parts.reduce(into: [:]) { found, part in
                found.merge(leaves(part.1, at: path.isEmpty ? part.0 : "\(path).\(part.0)")) { first, _ in first }
            }
        }
        return switch value {
        case .object(let object): merged(object.members.map { ($0.key, $0.value) })
        case .array(let elements): merged(elements.enumerated().map { ("\($0.offset)", $0.element) })
        case .null, .bool, .number, .string: [path: value.formatted()]
        }
    }

    @Test("A reduced event is interpreted like the event as received", arguments: StripeFixture.names)
    func interpretation(_ name: String) throws {
        let fixture = try StripeFixture(name)
        let events = try fixture.events()
        let reduced = try events.map { event in
            // Through bytes, as the ledger stores it.
            try StripeEvent(body: event.reduced.encoded())
        }
        let fetched = StripeFetched(fixture.fetched.answers.mapValues { $0.map(\.reducedObject) })
        #expect(
            fixture.interpret(reduced, fetched: fetched)
                == fixture.interpret(events)
        )
        #expect(reduced.map(\.objectIds) == events.map(\.objectIds))
    }
}
