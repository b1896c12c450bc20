import ExternalPurchaseCore
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("What the tiles of the overview say of their counts")
struct OverviewNoteTests {
    private static let now = Timestamp(milliseconds: 1_795_176_000_000)

    /// Overdue entries of which some need a decision; the others are sent, or wait for another sale.
    @Test(
        "The note of overdue entries says how many need a decision, and promises nothing of the others",
        arguments: [
            (0, 0, "nothing is late"), (1, 0, "none needs a decision"), (3, 0, "none needs a decision"),
            (3, 1, "1 of them not sent before a decision"), (1_200, 1_100, "1,100 of them not sent before a decision"),
            (1, 1, "not sent before a decision"), (3, 3, "not sent before a decision"),
        ]
    )
    func overdue(_ overdue: Int, _ held: Int, _ note: String) {
        var counts = DeadlineCounts()
        counts.add(overdue - held, .overdue, needsReview: false)
        counts.add(held, .overdue, needsReview: true)
        counts.add(5, .open, needsReview: true)
        #expect(HomePage.overdueNote(counts) == note)
    }

    @Test("The note of the review says since when, and no moment that a clock which was ahead wrote")
    func review() {
        #expect(HomePage.reviewNote(0, first: nil, now: Self.now) == "nothing waits")
        #expect(HomePage.reviewNote(2, first: Self.now, now: Self.now) == "since \(Shown.day(Self.now))")
        #expect(HomePage.reviewNote(2, first: Self.now + .days(400), now: Self.now) == "waits for a person")
        #expect(HomePage.reviewNote(2, first: nil, now: Self.now) == "waits for a person")
    }
}
