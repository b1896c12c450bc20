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
