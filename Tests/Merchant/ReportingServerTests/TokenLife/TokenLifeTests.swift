import ExternalPurchaseCore
import Foundation
import TestSupport
import Testing

@Suite("The lives of tokens, as the pages of docs tell them")
struct TokenLifeTests {
    @Test("docs/life-of-a-token.md has what its lives send, and every step sends what its rules say")
    func lives() async throws {
        var page = TokenLifePage()
        page.add("link", try await Self.customLink())
        page.add("nothing", try await Self.nothing())
        page.add("yearly", try await Self.yearly())
        page.add("plain", try await Self.plain())
        page.add("japan", try await Self.japan())
        try Self.compare(page, with: "docs/life-of-a-token.md")
    }

    @Test(
        "docs/sandbox-testflight-production.md has what a test in the sandbox sends (TK-34, TK-37 to TK-39, RR-70, RR-72)"
    )
    func sandbox() async throws {
        var page = TokenLifePage()
        page.add("sandbox", try await Self.anHour())
        try Self.compare(page, with: "docs/sandbox-testflight-production.md")
    }

    private static func compare(_ page: TokenLifePage, with path: String) throws {
        if let difference = try PageBlocks(page.blocks).difference(from: path) { Issue.record("\(difference)") }
    }

    private static let euro = #""amount":{"currency":"EUR","inclusive":"%","taxRate":"21","taxCountry":"NLD"}"#

    private static func euros(_ price: String) -> String { euro.replacing("%", with: price) }

    private static func period(_ start: String, _ end: String) -> String {
        #""period":{"start":"\#(start)","end":"\#(end)"}"#
    }

    /// `ACQUISITION` and `SERVICES` (RR-60 to RR-62, RR-64, RR-65, RR-67, RR-72, TK-32 to TK-38, NT-63).
    private static func customLink() async throws -> (tokens: [TokenLife.Token], steps: [TokenLife.Step]) {
        try await TokenLife.run("link", programmes: ["eu-custom-link"]) { life in
            let who = #""customerId":"c-1""#
            try await life.step("arrives", "installs the app and opens it", at: "2026-11-20T12:00:00Z", sends: []) {
                try await $0.event("install")
                #expect(try await $0.handIn("ACQUISITION", named: "A1", customer: "c-1") == "A1")
                #expect(try await $0.handIn("SERVICES", named: "S1", customer: "c-1") == "S1")
            }
            try await life.step("opens", "opens the app again", at: "2026-11-21T09:00:00Z", sends: []) {
                #expect(try await $0.handIn("ACQUISITION", named: "A2", customer: "c-1") == "A1")
                try await $0.refreshes(true)
                #expect(try await $0.handIn("SERVICES", named: "S2", customer: "c-1") == "S2")
                try await $0.refreshes(false)
            }
            try await life.step(
                "buys",
                "buys gems for €9.99",
                at: "2026-11-25T18:30:00Z",
                sends: ["ONE_TIME_BUY S1"]
            ) {
                try await $0.sale(
                    "order-1",
                    "purchase",
                    #"\#(who),"productId":"gems.100","quantity":1,\#(euros("9.99"))"#
                )
            }
            try await life.step(
                "subscribes",
                "subscribes for €9.99 a month",
                at: "2026-12-01T08:00:00Z",
                sends: ["SUBSCRIPTION_START S1"]
            ) {
                let period = period("2026-12-01T08:00:00Z", "2027-01-01T08:00:00Z")
                try await $0.sale(
                    "sub-1-1",
                    "subscription",
                    #"\#(who),"subscriptionId":"sub-1","productId":"plus.monthly",\#(period),\#(euros("9.99"))"#
                )
            }
            try await life.step(
                "due",
                "a day before the deadline of November",
                at: "2026-12-16T00:00:00Z",
                sends: ["NO_LINE_ITEM A1", "DUPLICATE_TOKEN S2"]
            )
            try await life.step("renews", "renews", at: "2027-01-01T08:00:00Z", sends: ["RENEWAL S1"]) {
                let period = period("2027-01-01T08:00:00Z", "2027-02-01T08:00:00Z")
                try await $0.sale(
                    "sub-1-2",
                    "subscription",
                    #"\#(who),"subscriptionId":"sub-1","productId":"plus.monthly",\#(period),\#(euros("9.99"))"#
                )
            }
            try await life.step(
                "upgrades",
                "upgrades to €20.00 a month",
                at: "2027-01-10T08:00:00Z",
                sends: ["SUBSCRIPTION_CHANGE S1"]
            ) {
                let period = period("2027-01-10T08:00:00Z", "2027-02-10T08:00:00Z")
                try await $0.sale(
                    "sub-1-3",
                    "subscription",
                    #"\#(who),"subscriptionId":"sub-1","event":"change","productId":"pro.monthly",\#(period),\#(euros("20.00"))"#
                )
            }
            try await life.step(
                "refund",
                "gets half of it back",
                at: "2027-01-15T10:00:00Z",
                sends: ["REFUND S1"]
            ) {
                try await $0.sale("refund-1", "refund", #""refundOf":"sub-1-3","amount":{"inclusive":"10.00"}"#)
            }
            try await life.step("cancels", "cancels; service ends on 2027-02-10", at: "2027-01-20T10:00:00Z", sends: [])
            {
                let state = try await $0.sale(
                    "sub-1-end",
                    "cancellation",
                    #""subscriptionId":"sub-1","effectiveAt":"2027-02-10T08:00:00Z""#
                )
                #expect(state == "recorded")
            }
            try await life.step("expires", "A1 expires; the app asks for both", at: "2027-06-15T09:00:00Z", sends: []) {
                let third = try await $0.handIn("ACQUISITION", named: "A3", customer: "c-1")
                #expect(third == nil)
                #expect(try await $0.handIn("SERVICES", named: "S3", customer: "c-1") == "S1")
            }
            try await life.step(
                "returns",
                "returns and subscribes anew",
                at: "2027-10-25T08:00:00Z",
                sends: ["SUBSCRIPTION_START S1"]
            ) {
                let period = period("2027-10-25T08:00:00Z", "2027-11-25T08:00:00Z")
                try await $0.sale(
                    "sub-2-1",
                    "subscription",
                    #"\#(who),"subscriptionId":"sub-2","productId":"plus.monthly",\#(period),\#(euros("9.99"))"#
                )
            }
            try await life.step("updates", "S1 has expired; updates the app", at: "2027-11-22T09:00:00Z", sends: []) {
                try await $0.event("update")
                #expect(try await $0.handIn("SERVICES", named: "S3", customer: "c-1") == "S3")
            }
            try await life.step(
                "renews-later",
                "the second subscription renews",
                at: "2027-11-25T08:00:00Z",
                sends: ["RENEWAL S3"]
            ) {
                let period = period("2027-11-25T08:00:00Z", "2027-12-25T08:00:00Z")
                try await $0.sale(
                    "sub-2-2",
                    "subscription",
                    #"\#(who),"subscriptionId":"sub-2","productId":"plus.monthly",\#(period),\#(euros("9.99"))"#
                )
            }
            try await life.step(
                "refund-later",
                "gets the payment of October back",
                at: "2027-11-28T10:00:00Z",
                sends: ["REFUND S1"]
            ) {
                try await $0.sale("refund-2", "refund", #""refundOf":"sub-2-1","amount":{"inclusive":"9.99"}"#)
            }
        }
    }

    /// A customer who never buys, until the year is nearly over (RR-62, RR-67, RR-70, RR-72).
    private static func nothing() async throws -> (tokens: [TokenLife.Token], steps: [TokenLife.Step]) {
        try await TokenLife.run("nothing", programmes: ["eu-custom-link"]) { life in
            try await life.step("arrives", "installs the app and opens it", at: "2026-11-20T12:00:00Z", sends: []) {
                try await $0.event("install")
                #expect(try await $0.handIn("ACQUISITION", named: "A1", customer: "c-2") == "A1")
                #expect(try await $0.handIn("SERVICES", named: "S1", customer: "c-2") == "S1")
            }
            try await life.step(
                "due",
                "a day before the deadline of November",
                at: "2026-12-16T00:00:00Z",
                sends: ["NO_LINE_ITEM A1", "NO_LINE_ITEM S1"]
            )
            try await life.step("reminders", "ten months of Apple's reminders", at: "2027-10-01T00:00:00Z", sends: [])
            try await life.step(
                "buys",
                "buys after all",
                at: "2027-10-05T18:00:00Z",
                sends: ["ONE_TIME_BUY S1"]
            ) {
                try await $0.sale(
                    "order-2",
                    "purchase",
                    #""customerId":"c-2","productId":"gems.100","quantity":1,\#(euros("9.99"))"#
                )
            }
        }
    }

    /// A renewal when no token is active (RR-64, RR-66, E36).
    private static func yearly() async throws -> (tokens: [TokenLife.Token], steps: [TokenLife.Step]) {
        try await TokenLife.run("yearly", programmes: ["eu-custom-link"]) { life in
            try await life.step(
                "subscribes",
                "installs the app and subscribes for €99 a year",
                at: "2026-11-20T13:00:00Z",
                sends: ["SUBSCRIPTION_START S1"]
            ) {
                try await $0.event("install")
                #expect(try await $0.handIn("ACQUISITION", named: "A1", customer: "c-3") == "A1")
                #expect(try await $0.handIn("SERVICES", named: "S1", customer: "c-3") == "S1")
                let period = period("2026-11-20T13:00:00Z", "2027-11-20T14:00:00Z")
                try await $0.sale(
                    "sub-3-1",
                    "subscription",
                    #""customerId":"c-3","subscriptionId":"sub-3","productId":"plus.yearly",\#(period),\#(euros("99.00"))"#
                )
            }
            try await life.step(
                "due",
                "a day before the deadline of November",
                at: "2026-12-16T00:00:00Z",
                sends: ["NO_LINE_ITEM A1"]
            )
            try await life.step(
                "renews",
                "renews an hour after S1 has expired",
                at: "2027-11-20T14:00:00Z",
                sends: []
            ) {
                let period = period("2027-11-20T14:00:00Z", "2028-11-20T14:00:00Z")
                let state = try await $0.sale(
                    "sub-3-2",
                    "subscription",
                    #""customerId":"c-3","subscriptionId":"sub-3","productId":"plus.yearly",\#(period),\#(euros("99.00"))"#
                )
                #expect(state == "held")
                let flags = try await $0.flags(of: "sub-3-2")
                #expect(flags == ["no-active-token"])
            }
        }
    }

    /// Plain tokens, which the website receives (RR-33, RR-63, RR-70, NT-64, NT-65).
    private static func plain() async throws -> (tokens: [TokenLife.Token], steps: [TokenLife.Step]) {
        try await TokenLife.run("plain", programmes: ["eea-link"]) { life in
            nonisolated(unsafe) var checkout = ""
            try await life.step(
                "subscribes",
                "taps the link, continues, subscribes",
                at: "2026-11-20T12:00:00Z",
                sends: ["SUBSCRIPTION_START P1"]
            ) {
                checkout = try await $0.visit("P1")
                let period = period("2026-11-20T12:00:00Z", "2026-12-20T12:00:00Z")
                try await $0.sale(
                    "sub-1-1",
                    "subscription",
                    #""checkoutId":"\#(checkout)","subscriptionId":"sub-1","productId":"plus.monthly",\#(period),\#(euros("9.99"))"#
                )
            }
            try await life.step(
                "abandons",
                "taps the link again and buys nothing",
                at: "2026-11-21T10:00:00Z",
                sends: []
            ) {
                _ = try await $0.visit("P2")
            }
            try await life.step(
                "lost",
                "taps once more; the browser never reaches the website",
                at: "2026-11-22T10:00:00Z",
                sends: []
            ) { _ = try await $0.token(nil, named: "P3") }
            try await life.step(
                "due",
                "nine days after P2",
                at: "2026-12-01T00:00:00Z",
                sends: ["NO_LINE_ITEM P2"]
            )
            try await life.step(
                "unrecognized",
                "a day after Apple's `UNREPORTED` about P3",
                at: "2026-12-04T00:00:00Z",
                sends: ["UNRECOGNIZED_TOKEN P3"]
            )
            try await life.step("renews", "renews", at: "2026-12-20T12:00:00Z", sends: ["RENEWAL P1"]) {
                let period = period("2026-12-20T12:00:00Z", "2027-01-20T12:00:00Z")
                try await $0.sale(
                    "sub-1-2",
                    "subscription",
                    #""subscriptionId":"sub-1","productId":"plus.monthly",\#(period),\#(euros("9.99"))"#
                )
            }
            try await life.step("lapses", "the next payment fails", at: "2027-01-20T12:00:00Z", sends: []) {
                let state = try await $0.sale("sub-1-lapse", "lapse", #""subscriptionId":"sub-1""#)
                #expect(state == "recorded")
            }
            try await life.step(
                "recovers",
                "pays after all",
                at: "2027-01-25T12:00:00Z",
                sends: ["RENEWAL P1"]
            ) {
                let period = period("2027-01-25T12:00:00Z", "2027-02-25T12:00:00Z")
                try await $0.sale(
                    "sub-1-3",
                    "subscription",
                    #""subscriptionId":"sub-1","productId":"plus.monthly",\#(period),\#(euros("9.99"))"#
                )
            }
            try await life.step(
                "returns",
                "taps the link and buys gems",
                at: "2027-03-01T12:00:00Z",
                sends: ["ONE_TIME_BUY P4"]
            ) {
                let other = try await $0.visit("P4")
                try await $0.sale(
                    "order-1",
                    "purchase",
                    #""checkoutId":"\#(other)","productId":"gems.100","quantity":1,\#(euros("9.99"))"#
                )
            }
        }
    }

    /// `IN_APP` and `LINK_OUT`, one for each potential transaction (RR-63, RR-70, TK-45, TK-46).
    private static func japan() async throws -> (tokens: [TokenLife.Token], steps: [TokenLife.Step]) {
        let yen = #""amount":{"currency":"JPY","inclusive":"1490","taxRate":"10","taxCountry":"JPN"}"#
        return try await TokenLife.run("japan", programmes: ["jp-custom-link"]) { life in
            try await life.step(
                "buys",
                "continues, pays inside the app",
                at: "2026-11-20T12:00:00Z",
                sends: ["ONE_TIME_BUY I1"]
            ) {
                #expect(try await $0.handIn("IN_APP", named: "I1", customer: "c-4", storefront: "JPN") == "I1")
                let token = await $0.id(of: "I1")
                try await $0.sale(
                    "order-1",
                    "purchase",
                    #""externalPurchaseId":"\#(token)","customerId":"c-4","productId":"gems.100","quantity":1,\#(yen)"#
                )
            }
            try await life.step("abandons", "continues, does not pay", at: "2026-11-21T10:00:00Z", sends: []) {
                let second = try await $0.handIn("IN_APP", named: "I2", customer: "c-4", storefront: "JPN")
                #expect(second == "I2")
            }
            try await life.step(
                "subscribes",
                "continues to the website, subscribes",
                at: "2026-11-22T10:00:00Z",
                sends: ["SUBSCRIPTION_START L1"]
            ) {
                #expect(try await $0.handIn("LINK_OUT", named: "L1", customer: "c-4", storefront: "JPN") == "L1")
                let token = await $0.id(of: "L1")
                let period = period("2026-11-22T10:00:00Z", "2026-12-22T10:00:00Z")
                try await $0.sale(
                    "sub-1-1",
                    "subscription",
                    #""externalPurchaseId":"\#(token)","customerId":"c-4","subscriptionId":"sub-1","productId":"plus.monthly",\#(period),\#(yen)"#
                )
            }
            try await life.step(
                "due",
                "nine days after I2",
                at: "2026-12-01T00:00:00Z",
                sends: ["NO_LINE_ITEM I2"]
            )
            try await life.step("renews", "renews", at: "2026-12-22T10:00:00Z", sends: ["RENEWAL L1"]) {
                let period = period("2026-12-22T10:00:00Z", "2027-01-22T10:00:00Z")
                try await $0.sale(
                    "sub-1-2",
                    "subscription",
                    #""customerId":"c-4","subscriptionId":"sub-1","productId":"plus.monthly",\#(period),\#(yen)"#
                )
            }
        }
    }

    /// Sandbox tokens live an hour (TK-34, TK-37 to TK-39, RR-70, RR-72).
    private static func anHour() async throws -> (tokens: [TokenLife.Token], steps: [TokenLife.Step]) {
        try await TokenLife.run("sandbox", programmes: ["eu-custom-link"], environment: .sandbox) { life in
            try await life.step("asks", "the app asks for both types", at: "2026-11-20T12:00:00Z", sends: []) {
                let acquisition = try await $0.handIn("ACQUISITION", named: "A1", customer: "c-1")
                let services = try await $0.handIn("SERVICES", named: "S1", customer: "c-1")
                #expect(acquisition == "A1" && services == "S1")
            }
            try await life.step("buys", "a purchase", at: "2026-11-20T12:30:00Z", sends: ["ONE_TIME_BUY S1"]) {
                try await $0.sale(
                    "order-1",
                    "purchase",
                    #""customerId":"c-1","productId":"gems.100","quantity":1,\#(euros("9.99"))"#
                )
            }
            try await life.step(
                "due",
                "six minutes before A1 expires",
                at: "2026-11-20T13:00:00Z",
                sends: ["NO_LINE_ITEM A1"]
            )
            try await life.step("expires", "both have expired; asks again", at: "2026-11-20T13:01:00Z", sends: []) {
                let acquisition = try await $0.handIn("ACQUISITION", named: "A2", customer: "c-1")
                let services = try await $0.handIn("SERVICES", named: "S2", customer: "c-1")
                #expect(acquisition == nil && services == "S2")
            }
            try await life.step(
                "refund",
                "the purchase is refunded",
                at: "2026-11-20T13:10:00Z",
                sends: ["REFUND S1"]
            ) { try await $0.sale("refund-1", "refund", #""refundOf":"order-1","amount":{"inclusive":"9.99"}"#) }
            try await life.step(
                "due-again",
                "six minutes before S2 expires",
                at: "2026-11-20T14:01:00Z",
                sends: ["NO_LINE_ITEM S2"]
            )
        }
    }
}
