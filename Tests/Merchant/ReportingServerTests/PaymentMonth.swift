import ExternalPurchaseCore
import Foundation
import HummingbirdTesting
import Ledger
import Testing

@testable import Reporting

/// A simulated month of a shop's payments, told by a provider in any order, repeatedly and late.
///
/// It knows only what the simulated customers paid and got back; the payments are compared with what Apple has in the end.
enum PaymentMonth {
    /// Further seeds with the environment variable `PAYMENT_MONTHS`.
    static var seeds: ClosedRange<UInt64> {
        1...max(1, ProcessInfo.processInfo.environment["PAYMENT_MONTHS"].flatMap(UInt64.init) ?? 2)
    }

    /// What a customer paid, and what went back, in cents.
    struct Payment {
        struct State {
            let version: Int
            let at: Timestamp
            let paidAt: Timestamp
            let paid: Int64
            let refunds: [(id: String, at: Timestamp, amount: Int64)]

            func text(_ cents: Int64) -> String {
                "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
            }
        }

        let id: String
        let states: [State]
    }

    typealias Message = (at: Timestamp, send: @Sendable () async throws -> Void)

    /// Plays a month, day by day, and compares Apple's side with what the customers paid.
    ///
    /// - Parameter tell: the provider's messages about a payment.
    static func play(
        _ seed: UInt64,
        _ sides: EmulatedMerchant,
        tell: (Payment, _ checkout: String) -> [Message]
    ) async throws {
        var random = SplitMix64(seed: seed)
        var waiting: [Message] = []
        var expected: Int64 = 0
        for day in 0..<28 {
            if day % 4 == 0 {
                let checkout = try await sides.receiveToken()
                let payment = payment("p\(seed)-\(day)", sides.now, &random)
                expected += payment.states.last.map { $0.paid - $0.refunds.reduce(0) { $0 + $1.amount } } ?? 0
                for message in tell(payment, checkout) {
                    // Once or twice, each up to three days late.
                    for _ in 0...Int.random(in: 0...1, using: &random) {
                        let delay = Duration.hours(Int.random(in: 1...72, using: &random))
                        waiting.append((message.at + delay, message.send))
                    }
                }
            }
            sides.advance(by: .days(1))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":86400}"#)
            for message in waiting.filter({ $0.at <= sides.now }).shuffled(using: &random) { try await message.send() }
            waiting.removeAll { $0.at <= sides.now }
            await sides.runUntilIdle()
        }
        sides.advance(by: .days(30))
        _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":2592000}"#)
        for message in waiting { try await message.send() }
        try await settle(sides, confirms: false)
        #expect(expected > 0)
        #expect(try await StripeCorrectionTests.accepted(sides) == ["EUR": expected * 10])
    }

    private static func payment(_ id: String, _ now: Timestamp, _ random: inout SplitMix64) -> Payment {
        let (paidAt, paid) = (now + .hours(2), Int64.random(in: 300...5_000, using: &random))
        var refunds: [(id: String, at: Timestamp, amount: Int64)] = []
        var states = [Payment.State(version: 1, at: paidAt, paidAt: paidAt, paid: paid, refunds: [])]
        var left = paid
        for number in 0..<Int.random(in: 0...3, using: &random) where left > 0 {
            let moment = (states.last?.at ?? paidAt) + .hours(Int.random(in: 1...120, using: &random))
            if !refunds.isEmpty, Bool.random(using: &random) {
                // The last one failed.
                left += refunds.removeLast().amount
            } else {
                let amount = Int64.random(in: 1...left, using: &random)
                refunds.append(("r\(number)", moment, amount))
                left -= amount
            }
            states.append(
                Payment.State(version: number + 2, at: moment, paidAt: paidAt, paid: paid, refunds: refunds)
            )
        }
        return Payment(id: id, states: states)
    }

    /// Lets everything that waits happen; with `confirms`, a person confirms the corrections that events plan.
    ///
    /// Nobody applies an event again: what waits is what the server looks at every hour.
    static func settle(_ sides: EmulatedMerchant, confirms: Bool) async throws {
        for _ in 0..<8 {
            await sides.runUntilIdle()
            try await sides.merchant.paymentWorker?.work([.waiting])
            await sides.runUntilIdle()
            for event in try await sides.list("/v1/events?state=held&limit=1000", "events") where confirms {
                let detail = event["detail"] as? String ?? ""
                guard let named = detail.firstMatch(of: #/confirm (?:each of )?(\S+?),? /#) else { continue }
                let confirm = #"{"correctionId":"\#(named.1)","confirm":true,"confirmedBy":"otto"}"#
                _ = try await sides.post("/v1/corrections", confirm)
                await sides.runUntilIdle()
            }
        }
        let open = try await sides.list("/v1/events?limit=1000", "events").filter { event in
            ["held", "waiting", "received"].contains(event["state"] as? String)
        }
        #expect(open.isEmpty, "\(open.map { "\($0["eventId"] ?? "") \($0["detail"] ?? "")" })")
    }
}
