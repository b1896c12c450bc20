import ExternalPurchaseCore
import Testing

@testable import ReportConformance

@Suite("The plan of a run (CS-5)")
struct ConformancePlanTests {
    static let suite = ConformanceSuite.published
    static let now = ConformanceDataTests.now

    static func plan(_ kinds: [String], allowsAccepted: Bool = true, only: [String] = []) -> ConformancePlan {
        let tokens = kinds.enumerated().map { ConformanceDataTests.token($0.element, number: $0.offset) }
        return ConformancePlan(
            suite,
            tokens: tokens,
            options: .init(allowsAccepted: allowsAccepted, only: only),
            now: now
        )
    }

    @Test(
        "Every case is in the plan or named with a reason, once",
        arguments: [[], ["plain"], ["SERVICES"], ["plain", "SERVICES", "IN_APP"]]
    )
    func complete(_ kinds: [String]) {
        let plan = Self.plan(kinds)
        let ids = plan.steps.map(\.id) + plan.notAsked.map(\.id)
        #expect(ids.count == Self.suite.cases.count)
        #expect(Set(ids) == Set(Self.suite.cases.map(\.id)))
        #expect(plan.notAsked.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("Two plain tokens and one that has expired permit every case")
    func everything() { #expect(Self.plan(["plain", "SERVICES", "plain"]).notAsked == []) }

    @Test("What leaves the tokens as they are comes first, and each case comes after those that it needs")
    func order() throws {
        let plan = Self.plan(["plain", "SERVICES", "IN_APP"])
        let items = plan.steps.compactMap { Self.suite[$0.id] }
        let first = try #require(items.firstIndex { $0.kind == .accepted })
        #expect(items[..<first].allSatisfy { $0.after.isEmpty && $0.kind != .accepted })
        #expect(items[first...].allSatisfy { !$0.after.isEmpty || $0.kind == .accepted })
        let positions = Dictionary(items.enumerated().map { ($0.element.id, $0.offset) }) { $1 }
        for (position, item) in items.enumerated() {
            #expect(item.after.allSatisfy { (positions[$0] ?? .max) < position }, "\(item.id)")
        }
    }

    @Test("A case is on the token of the cases before it, or on another one where it says so")
    func tokens() {
        let plan = Self.plan(["plain", "SERVICES", "IN_APP"])
        let places = Dictionary(plan.steps.map { ($0.id, $0.token) }) { $1 }
        for step in plan.steps {
            guard let item = Self.suite[step.id] else { continue }
            #expect((step.token == nil) == item.tokens.isEmpty)
            for earlier in item.after {
                #expect((places[earlier] == step.token) != item.needsAnotherToken, "\(item.id)")
            }
        }
        // Most cases after the first sale are possible on a token with a period.
        #expect(places["accepted-buy"] == .some(1))
        // Old dates are not, there.
        #expect(places["accepted-old-buys"] == .some(0))
    }

    @Test("No status other than LINE_ITEM follows line items on a token")
    func statuses() {
        for kinds in [["plain"], ["SERVICES"], ["SERVICES", "plain"]] {
            var reported: Set<Int> = []
            for step in Self.plan(kinds).steps {
                guard let item = Self.suite[step.id], let token = step.token else { continue }
                if item.needsUnreported { #expect(!reported.contains(token), "\(item.id)") }
                if item.kind == .accepted, item.reportStatus == "LINE_ITEM" { reported.insert(token) }
            }
        }
    }

    @Test("Without permission no accepted case and none that follows one is planned (CS-4)")
    func permission() {
        let plan = Self.plan(["plain", "SERVICES", "IN_APP"], allowsAccepted: false)
        #expect(plan.steps.compactMap { Self.suite[$0.id] }.allSatisfy { $0.kind != .accepted && $0.after.isEmpty })
        #expect(plan.steps.count > 130)
    }

    @Test("A chosen case brings what must precede it, and nothing else")
    func chosen() {
        #expect(Self.plan(["plain"], only: ["E22"]).steps.map(\.id) == ["accepted-buy", "accepted-refund", "E22"])
        #expect(Self.plan(["plain"], only: ["E6-"]).steps.map(\.id) == ["E6-window"])
    }

    @Test("Tokens that are too old, still active, or of an unknown kind are left out where that matters")
    func unfitting() {
        let old = ConformanceToken(
            externalPurchaseId: ExternalPurchaseId(rawValue: "SANDBOX_1"),
            kind: "plain",
            creationDate: Self.now - .days(361),
            expirationDate: nil
        )
        let active = ConformanceToken(
            externalPurchaseId: ExternalPurchaseId(rawValue: "SANDBOX_2"),
            kind: "SERVICES",
            creationDate: Self.now - .hours(1),
            expirationDate: Self.now + .hours(1)
        )
        let plan = ConformancePlan(Self.suite, tokens: [old, active], options: .init(), now: Self.now)
        #expect(plan.steps.allSatisfy { $0.token != 0 })
        let reasons = Dictionary(plan.notAsked.map { ($0.id, $0.reason) }) { $1 }
        #expect(reasons["E36-after"] == "needs a SERVICES or ACQUISITION token of the last 360 days that has expired")
        #expect(reasons["E37"] == "needs a token without a period of the last 360 days")
        #expect(plan.steps.contains { $0.id == "E36-before" })
    }
}
