import ExternalPurchaseCore
import Foundation
import ReportPlanning
import Testing

@Suite("Due lists")
struct DueListTests {
    func name(_ entry: DueList.Entry) -> String {
        switch entry.subject {
        case .token(let token): token.id.rawValue
        case .lineItem(let item): item.id.rawValue
        }
    }

    func list(rules: DueRules = builtInRules) throws -> DueList {
        try DueList(
            tokens: [
                token("late", created: "2026-10-20T09:00:00Z", storefront: "KOR"),
                token("done", created: "2026-10-01", storefront: "KOR", isReported: true),
                token("held", created: "2026-11-05", storefront: "KOR", heldFor: "made in the future"),
                token("soon", created: "2026-11-08", storefront: "CHE", received: "2026-11-09"),
            ],
            items: [
                item(
                    "month",
                    created: "2026-10-31",
                    settled: "2026-10-31",
                    on: "late",
                    kind: .type(nil),
                    storefront: "KOR"
                ),
                item("accepted", created: "2026-10-31", taxCountry: "KOR", isReported: true),
                item("rate", created: "2026-11-02", taxCountry: "KOR", heldFor: "no exchange rate"),
                item("never", created: "2026-10-31", taxCountry: "CHE"),
                item("waiting", created: "2026-10-30", settled: "2026-10-30", taxCountry: "KOR"),
            ],
            rules: rules
        )
    }

    @Test(
        "Held entries come first, each part in the order of its due dates; what is reported is left out (OB-51, OB-52)"
    )
    func order() throws {
        let list = try list()
        #expect(list.map(name) == ["held", "rate", "late", "waiting", "month", "soon", "never"])
        #expect(list.held.map(name) == ["held", "rate"])
        #expect(list.reportedCount == 2)
        for entry in list where name(entry) != "never" { #expect(entry.due != nil) }
        #expect(list.last?.due == nil)
    }

    @Test("Every entry's due date is that of the rules, whatever order it came in")
    func agreement() throws {
        var tokens: [DueToken] = []
        var state: UInt64 = 7
        func next(_ bound: Int64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 33) % bound
        }
        let start = try moment("2024-01-01").milliseconds
        let types: [TokenType?] = [
            nil, .services, .acquisition, .inApp, .linkOut, .coreTechnology, TokenType(rawValue: "X"),
        ]
        let codes: [String?] = [nil, "KOR", "NLD", "DEU", "ISL", "JPN", "BRA", "USA", "CHE", "XKS"]
        for index in 0..<3_000 {
            let created = Timestamp(milliseconds: start + next(4 * 365 * day))
            let expires = next(2) == 0 ? nil : created.advanced(byMilliseconds: next(365 * day))
            tokens.append(
                DueToken(
                    id: ExternalPurchaseId("t\(index)"),
                    bundleId: next(2) == 0 ? shop : "com.example.other",
                    type: types[Int(next(7))],
                    createdAt: created,
                    expiresAt: expires,
                    storefront: try codes[Int(next(10))].map(storefront),
                    taxCountries: next(3) == 0 ? ["JPN"] : []
                )
            )
        }
        let rules = DueRules(appProgrammes: [shop: ["eu-custom-link", "kr-in-app"]])
        let list = DueList(tokens: tokens, items: [], rules: rules)
        let moments = try tokens.map { try #require(rules.dueDate(of: $0)).moment }.sorted()
        #expect(list.map { $0.due?.moment } == moments)
    }

    @Test("What would be late if nothing more were sent is everything due before that moment (OB-51)")
    func late() throws {
        let list = try list()
        #expect(try list.late(by: moment("2026-10-30T09:00:00Z")).map(name) == [])
        #expect(try list.late(by: moment("2026-10-30T09:00:00.001Z")).map(name) == ["late"])
        #expect(try list.late(by: moment("2026-11-16")).map(name) == ["held", "late", "waiting", "month"])
        #expect(
            try list.late(by: moment("2030-01-01")).map(name) == ["held", "rate", "late", "waiting", "month", "soon"]
        )
    }

    @Test("Overdue is never hidden: it is counted and stays in the list (OB-51, OB-53)")
    func counts() throws {
        let counts = try list().counts(at: moment("2026-11-15"))
        #expect(counts.overdue == 1)
        // Due on the 15th: "held" (05 + 10 days), both Korean sales; on the 18th "soon".
        #expect(counts.warned == [1: 3, 5: 1])
        #expect(counts.open == 1)
        #expect(counts.withoutDueDate == 1)
        #expect(counts.held == 2)
    }

    @Test("Escalations tell the most urgent step passed since the last look, once (OB-51)")
    func alerts() throws {
        let list = try list()
        func steps(_ from: String?, _ to: String) throws -> [String] {
            try list.alerts(since: from.map(moment), until: moment(to)).map { "\(name($0.entry)) \($0.step)" }
        }
        #expect(try steps("2026-10-24", "2026-10-25T09:00:00Z") == ["late warned(days: 5)"])
        #expect(try steps("2026-10-25T09:00:00Z", "2026-10-28T08:59:59.999Z") == [])
        #expect(try steps("2026-10-25T09:00:00Z", "2026-10-30") == ["late warned(days: 1)"])
        #expect(try steps("2026-10-30", "2026-10-30T09:00:00Z") == [])
        #expect(try steps("2026-10-30", "2026-10-30T09:00:00.001Z") == ["late overdue"])
        #expect(try steps("2026-10-31", "2026-11-05") == [])
        // On the first look everything that stands past a step.
        #expect(
            try steps(nil, "2026-11-14T23:59:59.999Z") == [
                "held warned(days: 1)", "late overdue", "waiting warned(days: 1)", "month warned(days: 1)",
                "soon warned(days: 5)",
            ]
        )
    }

    @Test("What arrives behind a step has passed it at the next look")
    func lateArrival() throws {
        let arrived = try token(
            created: "2026-10-20T09:00:00Z",
            storefront: "KOR",
            received: "2026-10-29T12:00:00Z"
        )
        let list = DueList(tokens: [arrived], items: [], rules: builtInRules)
        let first = try list.alerts(since: moment("2026-10-29T10:00:00Z"), until: moment("2026-10-29T13:00:00Z"))
        #expect(first.map(\.step) == [.warned(days: 1)])
        #expect(first.map(\.passedAt) == [try moment("2026-10-29T09:00:00Z")])
        let second = try list.alerts(since: moment("2026-10-29T13:00:00Z"), until: moment("2026-10-29T14:00:00Z"))
        #expect(second.isEmpty)
    }

    @Test("Looks in any rhythm tell each step at most once, and the last one is overdue")
    func rhythm() throws {
        let list = try DueList(
            tokens: [token(created: "2026-10-20T09:00:00Z", storefront: "KOR")],
            items: [],
            rules: builtInRules
        )
        for hours in [1, 7, 24, 25, 100] as [Int64] {
            var last = try moment("2026-10-20T09:00:00Z")
            var steps: [DueState] = []
            while last < (try moment("2026-11-20")) {
                let now = last.advanced(byMilliseconds: hours * 3_600_000)
                steps += list.alerts(since: last, until: now).map(\.step)
                last = now
            }
            #expect(Set(steps).count == steps.count, "every \(hours) h: \(steps)")
            #expect(steps.last == .overdue)
            if hours <= 24 { #expect(steps == [.warned(days: 5), .warned(days: 2), .warned(days: 1), .overdue]) }
        }
    }

    @Test("An entry says when it is sent by itself; held and tokenless ones are not (RR-72, RR-66)")
    func sending() throws {
        let settings = DueSettings.defaults
        let moments = try list().map { ($0.sendMoment(settings), name($0)) }
        let sent = Dictionary(uniqueKeysWithValues: moments.map { ($1, $0) })
        #expect(try sent["late"] == moment("2026-10-29T09:00:00Z"))
        #expect(try sent["month"] == moment("2026-10-31"))
        #expect(sent["held"] == .some(nil))
        #expect(sent["rate"] == .some(nil))
        #expect(sent["waiting"] == .some(nil))
    }

    @Test("An entry explains itself")
    func reason() throws {
        let entry = try #require(list().first { name($0) == "late" })
        #expect(
            entry.reason == "due 2026-10-30T09:00:00Z: 10 days after the token was made at 2026-10-20T09:00:00Z; "
                + "programme: kr (storefront KOR)"
        )
        let never = try #require(list().last)
        #expect(never.reason.hasPrefix("no deadline; programme: no programme is in force on 2026-10-31"))
    }

    @Test("The time for a list grows with its length, not its square")
    func growth() throws {
        func seconds(_ count: Int) throws -> Double {
            let start = try moment("2026-01-01").milliseconds
            let codes = try ["KOR", "NLD", "JPN"].map(storefront)
            let tokens = (0..<count).map { index in
                DueToken(
                    id: "t",
                    bundleId: shop,
                    type: index % 2 == 0 ? nil : .services,
                    createdAt: Timestamp(milliseconds: start + Int64(index) * 7_919_000 % (300 * day)),
                    storefront: codes[index % 3]
                )
            }
            let clock = ContinuousClock()
            let time = clock.measure { _ = DueList(tokens: tokens, items: [], rules: builtInRules) }
            return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        }
        _ = try seconds(1_000)
        // The least of some: other work on the machine only adds to a time.
        let small = try (0..<5).map { _ in try seconds(10_000) }.min() ?? 0
        let large = try (0..<3).map { _ in try seconds(80_000) }.min() ?? 0
        // Eight times as many; a square would take 64 times as long.
        #expect(large < small * 32)
    }
}
