import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    private static let shop = ReportingScope(bundleId: "com.example.shop", environment: .production)
    private static let tries = ReportingScope(bundleId: "com.example.shop", environment: .sandbox)
    private static let minute = Duration.seconds(60)

    private static func round(
        _ server: ServerId,
        _ store: any LedgerStore,
        serving scopes: [ReportingScope] = [shop, tries]
    ) async throws -> LeaseRound.Outcome {
        try await store.write { ledger throws(LedgerError) in
            try LeaseRound(server: server, scopes: scopes, duration: minute).run(in: ledger)
        }
    }

    /// Moves the end of leases, as if time had passed by the clock of the store.
    private static func move(
        _ claims: [LeaseClaim],
        by duration: Duration,
        _ store: any LedgerStore
    ) async throws {
        try await store.write { ledger throws(LedgerError) in
            for var lease in try ledger.lockLeases(claims.map(\.name)) {
                lease.expiresAt = lease.expiresAt + duration
                try ledger.setLease(lease)
            }
        }
    }

    private static func names(_ outcome: LeaseRound.Outcome) -> Set<LeaseName> { Set(outcome.held.map(\.name)) }

    static let leases: [LedgerConformanceCase] = [
        LedgerConformanceCase("SA-76: a lease is claimed by one server, and by another one after its end") { open in
            let store = try await open(.fixed)
            let first = try await round("a", store)
            #expect(names(first) == [.maintenance, .server("a"), .reports(shop), .reports(tries)])
            #expect(first.held.allSatisfy { $0.epoch == 1 })
            #expect(names(try await round("b", store)) == [.server("b")])
            // Renewal keeps the epoch.
            #expect(try await round("a", store).held == first.held)
            #expect(!names(try await round("b", store)).contains(.maintenance))
            try await move(first.held, by: .seconds(-61), store)
            let taken = try await round("b", store)
            #expect(names(taken) == [.maintenance, .server("b"), .reports(shop), .reports(tries)])
            #expect(taken.held.first { $0.name == .maintenance }?.epoch == 2)
            #expect(names(try await round("a", store)) == [.server("a")])
        },
        LedgerConformanceCase("SA-76: a write under a lost lease stores nothing") { open in
            let store = try await open(.fixed)
            let claim = try #require(try await round("a", store).held.first { $0.name == .reports(shop) })
            let token: ExternalPurchaseId = "4d3f0000-0000-4000-8000-00000000000a"
            @Sendable func write() async throws(LedgerError) {
                try await store.write { ledger throws(LedgerError) in
                    try ledger.require(claim)
                    try ledger.requestReport(of: token, in: shop)
                }
            }
            try await write()
            try await move([claim], by: .seconds(-61), store)
            // Nobody else did the work, so the lease is still held.
            try await write()
            try await store.write { ledger throws(LedgerError) in try ledger.removeReportRequest(of: token, in: shop) }
            let taken = try await round("b", store)
            await #expect(throws: LedgerError.leaseLost("reports/production/com.example.shop")) { try await write() }
            try await move(taken.held, by: .seconds(-61), store)
            // The server that holds the lease again has another epoch.
            #expect(try await round("a", store).held.first { $0.name == .reports(shop) }?.epoch == 3)
            await #expect(throws: LedgerError.leaseLost("reports/production/com.example.shop")) { try await write() }
            let requested = try await store.read { ledger throws(LedgerError) in
                try ledger.requestedReports(in: shop, limit: 10)
            }
            #expect(requested.isEmpty)
        },
        LedgerConformanceCase("SA-76: a released lease is free at once, and only its holder releases it") { open in
            let store = try await open(.fixed)
            let claims = try await round("a", store).held
            let foreign = claims.map { LeaseClaim(name: $0.name, holder: "b", epoch: $0.epoch) }
            let earlier = claims.map { LeaseClaim(name: $0.name, holder: "a", epoch: $0.epoch - 1) }
            try await store.write { ledger throws(LedgerError) in try ledger.release(foreign + earlier) }
            #expect(names(try await round("b", store)) == [.server("b")])
            try await store.write { ledger throws(LedgerError) in try ledger.release(claims) }
            let taken = try await round("b", store)
            #expect(names(taken) == [.maintenance, .server("b"), .reports(shop), .reports(tries)])
            #expect(taken.held.first { $0.name == .maintenance }?.epoch == 2)
            #expect(taken.servers == ["b"])
        },
        LedgerConformanceCase("SA-76: the leases of a dead server end although its clock was ahead") { open in
            let store = try await open(.fixed)
            // The clock was ten days ahead when the server claimed its leases, and is right again.
            let held = try await round("a", store).held
            try await move(held, by: .days(10), store)
            #expect(!names(try await round("b", store)).contains(.maintenance))
            let (end, now) = try await store.write { ledger throws(LedgerError) in
                (try ledger.lease(.maintenance)?.expiresAt, try ledger.leaseClock())
            }
            #expect(try #require(end) <= now + minute)
            // The presence ends as well; nothing is kept free for a server that is gone.
            let present = try await store.read { ledger throws(LedgerError) in try ledger.lease(.server("a")) }
            #expect(try #require(present).expiresAt <= now + minute)
            try await move(held, by: .seconds(-61), store)
            #expect(names(try await round("b", store)).contains(.maintenance))
        },
        LedgerConformanceCase("SA-76: a new server gets a share, and nothing stays without a server") { open in
            let store = try await open(.fixed)
            let scopes = (1...6).map {
                ReportingScope(bundleId: BundleId("com.example.app\($0)"), environment: .sandbox)
            }
            #expect(try await round("a", store, serving: scopes).surplus.isEmpty)
            // The second server sends only some of the apps.
            #expect(names(try await round("b", store, serving: Array(scopes.prefix(4)))) == [.server("b")])
            let asked = try await round("a", store, serving: scopes)
            #expect(asked.surplus.count == 3)
            #expect(asked.surplus.isSubset(of: scopes.prefix(4).map(LeaseName.reports)))
            let free = asked.held.filter { asked.surplus.contains($0.name) }
            try await store.write { ledger throws(LedgerError) in try ledger.release(free) }
            let second = names(try await round("b", store, serving: Array(scopes.prefix(4))))
            #expect(second == asked.surplus.union([.server("b")]))
            let first = try await round("a", store, serving: scopes)
            #expect(first.surplus.isEmpty)
            #expect(names(first).isDisjoint(with: second))
            #expect(first.held.count == 5)
        },
        LedgerConformanceCase("Requests of reports are kept once, in order, until they are deleted") { open in
            let store = try await open(.fixed)
            let ids = ["b", "a", "c"].map { ExternalPurchaseId("4d3f0000-0000-4000-8000-00000000000\($0)") }
            try await store.write { ledger throws(LedgerError) in
                for id in ids + ids { try ledger.requestReport(of: id, in: shop) }
                try ledger.requestReport(of: ids[0], in: tries)
            }
            await #expect(throws: LedgerError.busy) {
                try await store.write { ledger throws(LedgerError) in
                    try ledger.removeReportRequest(of: ids[0], in: shop)
                    throw .busy
                }
            }
            try await store.write { ledger throws(LedgerError) in
                try ledger.removeReportRequest(of: ids[1], in: shop)
            }
            let (some, all, others) = try await store.read { ledger throws(LedgerError) in
                (
                    try ledger.requestedReports(in: shop, limit: 1), try ledger.requestedReports(in: shop, limit: 9),
                    try ledger.requestedReports(in: tries, limit: 9)
                )
            }
            #expect(some == [ids[0]])
            #expect(all == [ids[0], ids[2]])
            #expect(others == [ids[0]])
        },
        LedgerConformanceCase("SA-76: what a holder tells reaches the others, and leases leave no audit entry") {
            open in
            let store = try await open(.fixed)
            var telling = LeaseRound(server: "a", scopes: [shop], duration: minute)
            let detail = JSONValue.object(["reason": "no answer"])
            telling.details = [.reports(shop): detail, .reports(tries): detail]
            _ = try await store.write { [telling] ledger throws(LedgerError) in try telling.run(in: ledger) }
            let told = try await round("b", store).all
            #expect(told.first { $0.name == .reports(shop) }?.detail == detail)
            #expect(told.first { $0.name == .reports(shop) }?.holder == "a")
            let (entry, names) = try await store.read { ledger throws(LedgerError) in
                (try ledger.lastAuditEntry(), try ledger.leases().map(\.name))
            }
            #expect(entry == nil)
            #expect(names == names.sorted())
        },
    ]
}
