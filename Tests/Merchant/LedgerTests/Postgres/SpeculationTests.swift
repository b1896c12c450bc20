import Dispatch
import ExternalPurchaseCore
import Ledger
import LedgerSQLite
import LedgerTesting
import Synchronization
import Testing

@testable import LedgerPostgres

@Suite("Groups of writes that run with answers read ahead", .enabled(if: PostgresUnderTest.isThere))
struct SpeculationTests {
    /// A store that behaves as if its server were far away.
    private static func store(_ group: Int = 256) async throws -> PostgresLedgerStore {
        var settings = try PostgresUnderTest.settings()
        settings.speculates = true
        let limits = WriteQueue.Limits(group: group, duration: .seconds(600))
        return try await PostgresLedgerStore(settings, limits: limits, dependencies: .fixed)
    }

    /// Nothing is read before the closures run: everything is asked by them.
    private static let expected = ExpectedRows(bundleId: LedgerRows.shop, tokens: [], checkouts: [])

    @Test("Groups rehearse while their closures wait for answers, whatever the groups before them did")
    func experience() {
        let (near, far) = (Duration.microseconds(100), Duration.milliseconds(2))
        let experience = SpeculationExperience(isWanted: nil)
        #expect(experience.isPromising(at: far) && !experience.isPromising(at: near))
        experience.noteWaits(16, of: 64)
        #expect(!experience.isPromising(at: far))
        // Less than once each: neither.
        experience.noteWaits(40, of: 64)
        #expect(!experience.isPromising(at: far))
        experience.noteWaits(64, of: 64)
        #expect(experience.isPromising(at: far))
    }

    /// Stores a token and a sale whose checkout is named by what was read before and after the own writes.
    private static func write(
        _ number: Int,
        among spread: Int,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let mixed = number * 7_919 % 10_007
        let (id, customer) = (ExternalPurchaseId("SANDBOX_\(mixed % spread)"), CustomerId("c\(mixed / 3 % spread)"))
        let others = try ledger.tokens(of: customer, app: LedgerRows.shop).count
        if var known = try ledger.token(id, of: LedgerRows.shop) {
            known.customerId = known.customerId ?? customer
            known.storefront = StorefrontCode(number.isMultiple(of: 2) ? "NLD" : "DEU")
            try ledger.update(known)
        } else {
            _ = try ledger.insert(LedgerRows.token(id, customer: number.isMultiple(of: 3) ? nil : customer))
        }
        let now = try ledger.tokens(of: customer, app: LedgerRows.shop).count
        let before = try ledger.sales(.token(id, of: LedgerRows.shop), LedgerPage(limit: 500)).count
        let row = LedgerRows.sale(SaleId("s\(number)"), on: id)
        var sale = row.sale
        (sale.customerId, sale.checkoutId) = (customer, CheckoutId("\(others) \(now) \(before)"))
        _ = try ledger.insert(
            StoredSale(
                sale: sale,
                lineItemId: row.lineItemId,
                receivedAt: row.receivedAt,
                attribution: row.attribution
            )
        )
        let after = try ledger.sales(.token(id, of: LedgerRows.shop), LedgerPage(limit: 500)).count
        // A closure may take an answer from before its writes for a fault of the ledger.
        guard after == before + 1 else { throw .corrupt("its own sale is missing") }
        try ledger.put(Checkout(checkoutId: CheckoutId("after \(number): \(after)"), bundleId: LedgerRows.shop))
        if number % 50 == 49 { throw .conflict("refused") }
    }

    /// What a ledger holds, without the numbers of rows.
    private static func facts(_ store: some LedgerStore, upTo count: Int) async throws -> Set<String> {
        let contents = try await store.contents()
        var facts: Set<String> = []
        for token in contents.tokens {
            facts.insert(
                "\(token.token.externalPurchaseId) \(token.customerId.map(\.rawValue) ?? "-") \(token.storefront?.description ?? "-")"
            )
        }
        for sale in contents.sales {
            facts.insert("\(sale.sale.saleId) \(sale.sale.checkoutId?.rawValue ?? "-")")
        }
        let checkouts = try await store.read { ledger throws(LedgerError) in
            var found: [String] = []
            for number in 0..<count {
                for after in 0...count {
                    let id = CheckoutId("after \(number): \(after)")
                    if try ledger.checkout(id, of: LedgerRows.shop) != nil { found.append(id.rawValue) }
                }
            }
            return found
        }
        facts.formUnion(checkouts)
        try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
        return facts
    }

    @Test(
        "Closures do in a group what they would do one after another, however they depend on each other",
        arguments: [2, 8, 100_003]
    )
    func sameAsAlone(spread: Int) async throws {
        let store = try await Self.store()
        let order = Mutex<[Int]>([])
        let (groups, size) = (10, 20)
        for group in 0..<groups {
            let errors = try await store.group(of: size) { index in
                let number = group * size + index
                try await store.write(expecting: Self.expected) { ledger throws(LedgerError) in
                    order.withLock { $0.append(number) }
                    try Self.write(number, among: spread, in: ledger)
                }
            }
            // The refused one failed alone.
            #expect(errors.values.allSatisfy { $0 == .conflict("refused") })
        }
        // Closures run several times; what they did last was committed.
        var last: [Int] = []
        for number in order.withLock({ $0 }).reversed() where !last.contains(number) { last.append(number) }
        let alone = MemoryLedgerStore.empty(.fixed)
        for number in last.reversed() {
            _ = await ledgerError {
                try await alone.write { ledger throws(LedgerError) in
                    try Self.write(number, among: spread, in: ledger)
                }
            }
        }
        let count = groups * size
        #expect(try await Self.facts(store, upTo: count) == Self.facts(alone, upTo: count))
        // Closures that have nothing in common need no second run.
        if spread > count { #expect(store.speculatedGroups > 0) }
    }

    @Test("The connection waits as often for a group of 256 closures that read and write by turns as for one of two")
    func roundTrips() async throws {
        let store = try await Self.store()
        let next = Mutex(0)
        func group(_ count: Int) async throws -> Int {
            let first = next.withLock { next in
                defer { next += count }
                return next
            }
            let before = try await store.roundTrips()
            let errors = try await store.group(of: count) { index in
                // Numbers without the refused one of each fifty.
                let number = (first + index) / 49 * 50 + (first + index) % 49
                try await store.write(expecting: Self.expected) { ledger throws(LedgerError) in
                    try Self.write(number, among: 100_003, in: ledger)
                }
            }
            #expect(errors.isEmpty)
            return try await store.roundTrips() - before
        }
        // The first groups learn which answers depend on own writes, and prepare the statements.
        for count in [2, 2, 2, 16, 16] { _ = try await group(count) }
        let counts = [try await group(2), try await group(16), try await group(256)]
        #expect(counts[0] == counts[1] && counts[1] == counts[2], "\(counts)")
    }

    private static func count(in ledger: LedgerQueries) throws(LedgerError) -> Int {
        try ledger.sales(matching: SaleFilter(bundleId: LedgerRows.shop), LedgerPage(limit: 500)).count
    }

    @Test("A closure that reads what all others write, a refused one and one that reads nothing ahead spoil no group")
    func oneOfMany() async throws {
        let store = try await Self.store()
        let seen = Mutex<[Int]>([])
        var groups = 0
        for round in 0..<4 {
            let errors = try await store.group(of: 24) { index in
                // Numbers without the refused one of each fifty, except one.
                let number = round * 50 + index
                switch index {
                case 10:
                    try await store.write(expecting: Self.expected) { ledger throws(LedgerError) in
                        let count = try Self.count(in: ledger)
                        seen.withLock { $0.append(count) }
                        try ledger.put(Checkout(checkoutId: CheckoutId("count \(count)"), bundleId: LedgerRows.shop))
                    }
                case 11:
                    try await store.write(expecting: Self.expected) { ledger throws(LedgerError) in
                        _ = try ledger.tokens(of: "nobody", app: LedgerRows.shop)
                        throw .conflict("refused")
                    }
                case 12:
                    try await store.write { ledger throws(LedgerError) in
                        try ledger.put(Checkout(checkoutId: CheckoutId("own \(round)"), bundleId: LedgerRows.shop))
                    }
                default:
                    try await store.write(expecting: Self.expected) { ledger throws(LedgerError) in
                        try Self.write(number, among: 100_003, in: ledger)
                    }
                }
            }
            #expect(errors == [11: .conflict("refused")])
            groups += 1
            // All but three of them, before the first of these.
            #expect(store.speculatedGroups >= groups)
            let (stored, counted, own) = try await store.read { ledger throws(LedgerError) in
                let count = try Self.count(in: ledger)
                let last = seen.withLock { $0.last } ?? -1
                return (
                    count, try ledger.checkout(CheckoutId("count \(last)"), of: LedgerRows.shop),
                    try ledger.checkout(CheckoutId("own \(round)"), of: LedgerRows.shop)
                )
            }
            #expect(stored == groups * 21)
            #expect(counted != nil && own != nil)
        }
        try await store.step { ledger throws in
            let broken = try ledger.verifyAudit().broken
            #expect(broken == nil)
        }
    }
}
