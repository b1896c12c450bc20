import ExternalPurchaseCore
import ReportValidation
import Testing

@testable import Reporting

@Suite("Corrections are taken for a year (RR-82)")
struct TimeLimitTests {
    private static let year = 365 * Shop.day
    private static let oldest = Shop.now - .milliseconds(year)

    enum Case: CaseIterable, Sendable {
        case restate, retract, undo, moveDate, moveToken

        var request: CorrectionRequest {
            switch self {
            case .restate: .restate("o", CorrectedFields { $0.taxExclusive = MilliUnits(900) })
            case .retract: .retract("o")
            case .undo: .undo("o")
            case .moveDate: .moveDate("o", to: oldest + .milliseconds(1))
            case .moveToken: .moveToken("o", to: Shop.otherPlain)
            }
        }
    }

    @Test("To the millisecond, by the accepted date (E39)", arguments: Case.allCases)
    func lastMoment(_ correction: Case) throws {
        var shop = Shop()
        try #expect(shop.send([buy("o", 1_000, at: Self.oldest)]) == [])
        if correction == .undo { try shop.send(shop.plan(.retract("o"))) }
        #expect(shop.plan(correction.request).refusals == [])
        let late = shop.plan(correction.request, now: Shop.now + .milliseconds(1))
        #expect(late.refusalCodes == ["too-late-to-report o E39"])
        #expect(late.refusals.first?.reason.contains("2025-11-20T12:00:00Z") == true)
        #expect(late.steps.flatMap(\.predictedErrors).map(\.errorCode.rawValue) == [39])
        #expect(late.reports.isEmpty)
    }

    @Test("A refund may be corrected for a year of its own, after its buy's year is over")
    func refundAfterTheBuysYear() throws {
        var shop = Shop()
        try shop.send([buy("o", 1_000, at: Self.oldest)])
        try shop.send([refund("a", of: "o", 300, net: 700)])
        let later = Shop.now + .days(100)
        #expect(shop.plan(.retract("a"), now: later).refusals == [])
        #expect(shop.plan(.retract("o"), now: later).refusalCodes == ["too-late-to-report o E39"])
    }

    @Test("The window is a setting; so is the end of the refund's (E40)")
    func settings() throws {
        var shop = Shop()
        try shop.send([buy("o", 1_000, net: 700, at: Self.oldest), refund("a", of: "o", 300, net: 700)])
        shop.settings.restatementWindow = .milliseconds(Self.year - 1)
        #expect(
            shop.plan(.restate("o", CorrectedFields { $0.quantity = 2 })).refusalCodes == ["too-late-to-report o E39"]
        )
        shop.settings = RuleSettings()
        shop.settings.refundWindowEnd = .now
        shop.settings.refundWindow = .milliseconds(Self.year - 1)
        #expect(shop.plan(.retract("a")).refusals == [])
        let moved = shop.plan(.moveToken("a", to: Shop.otherPlain))
        #expect(moved.refusalCodes == ["too-late-to-report a.2 E40"])
    }
}
