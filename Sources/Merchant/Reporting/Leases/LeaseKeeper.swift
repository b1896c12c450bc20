import ExternalPurchaseCore
package import Ledger
import Logging
import Synchronization

/// The leases of this server, renewed in the ledger and judged by this server's own monotonic clock.
///
/// The end of a lease is measured from before the ledger was asked, so that this server stops before another one can
/// claim the lease, whatever the wall clocks show (SA-76). A server that has the ledger alone needs no leases and may
/// do everything.
package final class LeaseKeeper: Sendable {
    private struct Held {
        let claim: LeaseClaim
        /// The end, by the monotonic clock.
        var end: Duration
        /// When this server learnt that it holds the lease, by the same clock.
        let since: Duration
        var isSurplus = false
    }

    private struct State {
        var held: [LeaseName: Held] = [:]
        /// How many pieces of work use a lease now.
        var uses: [LeaseName: Int] = [:]
        var all: [StoredLease] = []
        var servers: [ServerId] = []
        var nextRound: Duration?
        var isFailing = false
    }

    /// What a round changed.
    struct Change: Hashable, Sendable {
        var gained: Set<LeaseName> = []
        var lost: Set<LeaseName> = []
        /// True for the first success after failures.
        var isRecovered = false
    }

    /// The name of this run of the server.
    package let server: ServerId
    /// Whether the ledger may have other servers; without them every work is permitted.
    package let isShared: Bool
    private let store: any LedgerStore
    private let scopes: [ReportingScope]
    private let settings: LeaseSettings
    private let uptime: @Sendable () -> Duration
    private let logger: Logger
    private let state = Mutex(State())

    init(
        store: any LedgerStore,
        scopes: [ReportingScope],
        settings: LeaseSettings,
        isShared: Bool,
        dependencies: ReportingDependencies,
        logger: Logger
    ) {
        self.store = store
        self.scopes = scopes
        self.settings = settings
        self.isShared = isShared
        server = settings.server ?? ServerId(String(dependencies.uuid().uuidString.lowercased().prefix(8)))
        uptime = dependencies.uptime
        self.logger = logger
    }

    // MARK: Permission

    /// Returns the right to do some work now; nil if another server has it.
    func permit(_ name: LeaseName) -> LeasePermit? {
        guard isShared else { return .alone }
        guard let held = state.withLock({ $0.held[name] }), uptime() < held.end, !held.isSurplus else { return nil }
        let claim = held.claim
        return LeasePermit(
            claim: claim,
            isHeld: { self.rest(of: claim).map { $0 > .zero } ?? false },
            outlastsRequest: { self.rest(of: claim).map { $0 >= self.settings.request } ?? false },
            age: { self.uptime() - held.since }
        )
    }

    /// Begins work under a lease, which is not given to another server before ``end(_:)``.
    ///
    /// - Returns: nil if another server has the lease; ``end(_:)`` is then not called.
    func begin(_ name: LeaseName) -> LeasePermit? {
        guard let permit = permit(name) else { return nil }
        state.withLock { $0.uses[name, default: 0] += 1 }
        return permit
    }

    func end(_ name: LeaseName) { state.withLock { $0.uses[name, default: 1] -= 1 } }

    /// Whether this server does the work that is done once for the ledger.
    var isElected: Bool { permit(.maintenance) != nil }

    /// The rest of a lease by the monotonic clock; nil after it was lost or released.
    private func rest(of claim: LeaseClaim) -> Duration? {
        state.withLock { state in
            guard let held = state.held[claim.name], held.claim == claim else { return nil }
            return held.end - uptime()
        }
    }

    // MARK: What the ledger says

    /// The leases that this server holds now, by name.
    package var held: [LeaseName] {
        state.withLock { state in
            let now = uptime()
            return state.held.values.filter { now < $0.end }.map(\.claim.name).sorted()
        }
    }

    /// The servers that were present at the last round.
    package var servers: [ServerId] { state.withLock(\.servers) }

    /// The leases of other servers at the last round.
    var others: [StoredLease] {
        state.withLock { state in state.all.filter { $0.holder != nil && $0.holder != server } }
    }

    /// True while leases cannot be renewed.
    var isFailing: Bool { state.withLock(\.isFailing) }

    // MARK: Rounds

    var isRoundDue: Bool {
        isShared && state.withLock { state in state.nextRound.map { $0 <= uptime() } ?? true }
    }

    /// Renews, claims and releases leases.
    ///
    /// - Parameter details: what the server tells about its leases.
    func round(telling details: [LeaseName: JSONValue] = [:]) async -> Change {
        guard isShared else { return Change() }
        var round = LeaseRound(server: server, scopes: scopes, duration: settings.duration)
        round.details = details
        let before = uptime()
        state.withLock { $0.nextRound = before + settings.renewal }
        do throws(LedgerError) {
            let outcome = try await store.write { [round] ledger throws(LedgerError) in try round.run(in: ledger) }
            let (change, free) = take(outcome, askedAt: before)
            if !free.isEmpty {
                try await store.write { ledger throws(LedgerError) in try ledger.release(free) }
            }
            return change
        } catch {
            return noteFailure(error)
        }
    }

    /// Takes over what a round found.
    ///
    /// - Returns: the change, and the claims that are to be released.
    private func take(_ outcome: LeaseRound.Outcome, askedAt before: Duration) -> (Change, [LeaseClaim]) {
        let (change, free) = state.withLock { state in
            let now = uptime()
            var held: [LeaseName: Held] = [:]
            for claim in outcome.held {
                let earlier = state.held[claim.name].flatMap { $0.claim == claim ? $0 : nil }
                var renewed = earlier ?? Held(claim: claim, end: before, since: now)
                renewed.end = before + settings.duration
                renewed.isSurplus = outcome.surplus.contains(claim.name)
                held[claim.name] = renewed
            }
            let gained = held.values.filter { state.held[$0.claim.name]?.claim != $0.claim }.map(\.claim.name)
            let lost = state.held.keys.filter { held[$0] == nil }
            let free = held.values.filter { $0.isSurplus && state.uses[$0.claim.name, default: 0] == 0 }.map(\.claim)
            for claim in free { held[claim.name] = nil }
            (state.held, state.all, state.servers) = (held, outcome.all, outcome.servers)
            let released = Set(free.map(\.name))
            var change = Change(gained: Set(gained).subtracting(released), lost: Set(lost).union(released))
            change.isRecovered = state.isFailing
            state.isFailing = false
            return (change, free)
        }
        log(change)
        return (change, free)
    }

    private func noteFailure(_ error: LedgerError) -> Change {
        let (change, isNew) = state.withLock { state in
            defer { state.isFailing = true }
            // The next look asks again, since the answer may have been lost only.
            state.nextRound = uptime() + .seconds(1)
            let ended = state.held.values.filter { $0.end <= uptime() }.map(\.claim.name)
            for name in ended { state.held[name] = nil }
            return (Change(lost: Set(ended)), !state.isFailing)
        }
        if isNew { logger.error("leases cannot be renewed", metadata: ["error": "\(error)"]) }
        log(change)
        return change
    }

    private func log(_ change: Change) {
        for name in change.gained.sorted() { log("this server takes over", name) }
        for name in change.lost.sorted() { log("this server gives up", name) }
    }

    private func log(_ message: Logger.Message, _ name: LeaseName) {
        if case .server = name { return }
        logger.notice(message, metadata: ["lease": "\(name)", "server": "\(server)"])
    }

    /// Forgets a lease whose loss a write has shown.
    func drop(_ claim: LeaseClaim) {
        let isNew = state.withLock { state in
            guard state.held[claim.name]?.claim == claim else { return false }
            state.held[claim.name] = nil
            return true
        }
        if isNew { log(Change(lost: [claim.name])) }
    }

    /// Releases every lease, so that other servers take over at once; called after the last work.
    func releaseAll() async {
        let claims = state.withLock { state in
            defer { state.held = [:] }
            return state.held.values.map(\.claim)
        }
        guard !claims.isEmpty else { return }
        do throws(LedgerError) {
            try await store.write { ledger throws(LedgerError) in try ledger.release(claims) }
            log(Change(lost: Set(claims.map(\.name))))
        } catch {
            logger.warning("leases were not released; they end by themselves", metadata: ["error": "\(error)"])
        }
    }
}
