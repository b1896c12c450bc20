import ExternalPurchaseCore
import Ledger
import Testing

@testable import Reporting

@Suite("Entries of the due list and their states")
struct DeadlineEntryTests {
    static let warnDays = DeadlineSettings.defaults.warnDays

    private func state(_ due: String, at now: String) throws -> DeadlineState {
        try DeadlineClassifier(at: moment(now), warnDays: Self.warnDays).state(of: moment(due))
    }

    @Test("A due date is open, warned of or overdue, to the millisecond (OB-51, OB-53)")
    func states() throws {
        let due = "2026-10-30T09:00:00Z"
        #expect(try state(due, at: "2026-10-25T08:59:59.999Z") == .open)
        #expect(try state(due, at: "2026-10-25T09:00:00Z") == .warned(days: 5))
        #expect(try state(due, at: "2026-10-28T08:59:59.999Z") == .warned(days: 5))
        #expect(try state(due, at: "2026-10-28T09:00:00Z") == .warned(days: 2))
        #expect(try state(due, at: "2026-10-29T09:00:00Z") == .warned(days: 1))
        #expect(try state(due, at: "2026-10-30T09:00:00Z") == .warned(days: 1))
        #expect(try state(due, at: "2026-10-30T09:00:00.001Z") == .overdue)
    }

    @Test(
        "Boundaries and buckets say the same as moments, whatever is warned of",
        arguments: [[], [1], [1, 5, 2], [365]]
    )
    func buckets(_ warnDays: [Int]) throws {
        let now = try moment("2026-11-15")
        let classifier = DeadlineClassifier(at: now, warnDays: warnDays)
        #expect(classifier.boundaries == classifier.boundaries.sorted())
        for days in [-400, -1, 0, 1, 2, 3, 5, 6, 365, 366] as [Int64] {
            for offset in [-1, 0, 1] as [Int64] {
                let due = now + .days(days) + .milliseconds(offset)
                // OB-51 by itself: the least distance whose warning begins at or before now.
                let reached = warnDays.filter { due - .days($0) <= now }.min()
                let expected: DeadlineState =
                    now > due ? .overdue : reached.map { .warned(days: $0) } ?? .open
                #expect(classifier.state(of: due) == expected)
                #expect((due >= classifier.firstOpen) == (expected == .open))
                let passed = classifier.passedStep(of: due)
                #expect(passed.map(\.step) == (expected == .open ? nil : expected))
                if let passed { #expect(passed.at <= now) }
            }
        }
    }

    @Test("A step is passed at its moment, and being overdue a millisecond after the due date (OB-51)")
    func passedSteps() throws {
        let due = try moment("2026-10-30T09:00:00Z")
        func passed(_ now: String) throws -> Timestamp? {
            try DeadlineClassifier(at: moment(now), warnDays: Self.warnDays).passedStep(of: due)?.at
        }
        #expect(try passed("2026-10-24") == nil)
        #expect(try passed("2026-10-26") == moment("2026-10-25T09:00:00Z"))
        #expect(try passed("2026-10-29T12:00:00Z") == moment("2026-10-29T09:00:00Z"))
        #expect(try passed("2026-12-01") == moment("2026-10-30T09:00:00.001Z"))
    }

    @Test("Scans in any rhythm find each step at most once, and the last one is overdue")
    func rhythm() throws {
        let entry = try token(created: "2026-10-20T09:00:00Z", storefront: "KOR").entry()
        let due = try #require(entry.due).moment
        for hours in [1, 7, 24, 25, 100] as [Int64] {
            var now = try moment("2026-10-20T09:00:00Z")
            var steps: [DeadlineState] = []
            while now < (try moment("2026-11-20")) {
                now = now + .hours(hours)
                let step = DeadlineClassifier(at: now, warnDays: Self.warnDays).passedStep(of: due)?.step
                if let step, steps.last != step { steps.append(step) }
            }
            #expect(Set(steps).count == steps.count, "every \(hours) h: \(steps)")
            #expect(steps.last == .overdue)
            if hours <= 24 { #expect(steps == [.warned(days: 5), .warned(days: 2), .warned(days: 1), .overdue]) }
        }
    }

    @Test("An entry says when it is sent by itself; held and tokenless ones are not (RR-72, RR-66)")
    func sending() throws {
        func sent(_ row: OpenRow, _ readiness: HoldClassifier.Readiness = .scheduled) -> Timestamp? {
            row.entry(readiness).sendMoment(.defaults)
        }
        let late = try token("late", created: "2026-10-20T09:00:00Z", storefront: "KOR")
        #expect(try sent(late) == moment("2026-10-29T09:00:00Z"))
        let held = try token(created: "2026-11-05", storefront: "KOR")
        #expect(sent(held, .waiting("made in the future")) == nil)
        let month = try item(created: "2026-10-31", on: "late", storefront: "KOR")
        #expect(try sent(month) == moment("2026-10-31"))
        #expect(sent(month, .needsReview("no exchange rate")) == nil)
        let tokenless = try item(created: "2026-10-30", taxCountry: "KOR")
        #expect(sent(tokenless) == nil)
    }

    @Test("An entry explains itself")
    func reason() throws {
        let late = try token("late", created: "2026-10-20T09:00:00Z", storefront: "KOR")
        #expect(
            late.entry().reason
                == "due 2026-10-30T09:00:00Z: 10 days after the token was made at 2026-10-20T09:00:00Z; "
                + "programme: kr (storefront KOR)"
        )
        let never = try item(created: "2026-10-31", taxCountry: "CHE").entry()
        #expect(never.due == nil)
        #expect(never.reason.hasPrefix("no deadline; programme: no programme is in force on 2026-10-31"))
    }

    @Test("Rules that decide otherwise have another fingerprint, and only those")
    func fingerprints() throws {
        let plain = DeadlineRules().fingerprint
        #expect(DeadlineRules().fingerprint == plain)
        #expect(DeadlineRules(settings: try DeadlineSettings(warnDays: [9])).fingerprint == plain)
        #expect(DeadlineRules(settings: try DeadlineSettings(unreportedHorizon: .days(9))).fingerprint != plain)
        #expect(DeadlineRules(appProgrammes: [shop: ["eu-2026-10"]]).fingerprint != plain)
        #expect(
            DeadlineRules(settings: try DeadlineSettings(timeZone: ReportingTimeZone("+09:00"))).fingerprint != plain
        )
    }
}
