package import ExternalPurchaseCore

/// One renewal of a server's leases: it renews those that it holds, claims what is free or expired, and releases what
/// another server is to have.
package struct LeaseRound: Sendable {
    package let server: ServerId
    /// The apps and environments that the server can send.
    package let scopes: [ReportingScope]
    /// How long the leases last from now.
    package let duration: Duration
    /// What the server tells about the leases that it holds.
    package var details: [LeaseName: JSONValue] = [:]

    package init(server: ServerId, scopes: [ReportingScope], duration: Duration) {
        self.server = server
        self.scopes = scopes
        self.duration = duration
    }

    /// What a round found and left.
    package struct Outcome: Hashable, Sendable {
        /// The leases that the server holds now.
        package var held: [LeaseClaim] = []
        /// Leases of the server that another one is to have; the server releases them when it does no work under them.
        package var surplus: Set<LeaseName> = []
        /// The leases of all servers.
        package var all: [StoredLease] = []
        /// The time of the round by the ledger's clock.
        package var at: Timestamp

        /// The servers that are present, by id.
        package var servers: [ServerId] {
            all.compactMap { lease in
                guard case .server(let server) = lease.name, lease.isHeld(at: at) else { return nil }
                return server
            }
        }
    }

    /// How long a free lease waits for the server with the fewest, as a part of the duration of leases.
    private static let patience = 0.5
    /// After this many durations without renewal, the presence of a server is deleted.
    private static let forgotten = 60

    /// Runs the round in a transaction.
    package func run(in ledger: LedgerTransaction) throws(LedgerError) -> Outcome {
        let now = try ledger.leaseClock()
        var leases = Dictionary(try ledger.leases().map { ($0.name, $0) }) { first, _ in first }
        let servers = leases.keys.filter { if case .server = $0 { $0 != .server(server) } else { false } }
        let names = [.maintenance, .server(server)] + scopes.map(LeaseName.reports) + servers
        for lease in try ledger.lockLeases(names) {
            leases[lease.name] = lease
            var changed = lease
            // A clock that was set back must not keep a lease of a dead server.
            if lease.holder != server, lease.expiresAt > now + duration { changed.expiresAt = now + duration }
            if mayHold(changed, among: leases.values, at: now) {
                if changed.holder != server { changed.epoch += 1 }
                changed.holder = server
                changed.expiresAt = now + duration
                changed.detail = detail(of: lease.name)
            }
            guard changed != lease else { continue }
            try ledger.setLease(changed)
            leases[lease.name] = changed
        }
        for case .server(let other) in leases.values.filter({ $0.expiresAt + duration * Self.forgotten < now })
            .map(\.name)
        {
            try ledger.removePresence(of: other)
            leases[.server(other)] = nil
        }
        var outcome = Outcome(all: leases.values.sorted { $0.name < $1.name }, at: now)
        outcome.held = outcome.all.filter { $0.holder == server }.compactMap(\.claim)
        outcome.surplus = surplus(among: outcome.all, at: now)
        return outcome
    }

    private func detail(of name: LeaseName) -> JSONValue? {
        guard name == .server(server) else { return details[name] }
        return .array(scopes.map { .string(LeaseName.reports($0).rawValue) })
    }

    /// Whether the server renews or claims a lease.
    private func mayHold(_ lease: StoredLease, among leases: some Collection<StoredLease>, at now: Timestamp) -> Bool {
        if lease.holder == server { return true }
        if lease.isHeld(at: now) { return false }
        switch lease.name {
        case .maintenance: return true
        case .server(let name): return name == server
        case .reports: break
        }
        // A lease that nobody took for a while is taken in any case.
        if lease.expiresAt + duration * Self.patience <= now, lease.epoch > 0 { return true }
        let load = Load(leases, at: now)
        return load.peers(serving: lease.name, besides: server).allSatisfy {
            load.count(of: server) <= load.count(of: $0)
        }
    }

    /// The held leases of reports that a present server with at least two fewer can have.
    private func surplus(among leases: [StoredLease], at now: Timestamp) -> Set<LeaseName> {
        let load = Load(leases, at: now)
        var (count, surplus) = (load.count(of: server), Set<LeaseName>())
        var given: [ServerId: Int] = [:]
        for lease in leases where lease.holder == server {
            guard case .reports = lease.name else { continue }
            let peer = load.peers(serving: lease.name, besides: server)
                .min { load.count(of: $0) + given[$0, default: 0] < load.count(of: $1) + given[$1, default: 0] }
            guard let peer, load.count(of: peer) + given[peer, default: 0] + 2 <= count else { continue }
            surplus.insert(lease.name)
            given[peer, default: 0] += 1
            count -= 1
        }
        return surplus
    }
}

/// The present servers, and how many leases of reports each holds.
private struct Load {
    private var served: [ServerId: Set<String>] = [:]
    private var counts: [ServerId: Int] = [:]

    init(_ leases: some Collection<StoredLease>, at now: Timestamp) {
        for lease in leases where lease.isHeld(at: now) {
            switch lease.name {
            case .server(let server):
                served[server] = Set((lease.detail?.arrayValue ?? []).compactMap(\.stringValue))
            case .reports: if let holder = lease.holder { counts[holder, default: 0] += 1 }
            case .maintenance: break
            }
        }
    }

    func count(of server: ServerId) -> Int { counts[server, default: 0] }

    func peers(serving name: LeaseName, besides server: ServerId) -> [ServerId] {
        served.filter { $0.key != server && $0.value.contains(name.rawValue) }.keys.sorted()
    }
}

extension LedgerTransaction {
    /// Releases leases that are still held; the next server claims them at once.
    package func release(_ claims: [LeaseClaim]) throws(LedgerError) {
        let now = try leaseClock()
        for lease in try lockLeases(claims.map(\.name)) {
            guard let claim = lease.claim, claims.contains(claim) else { continue }
            if case .server(let server) = lease.name {
                try removePresence(of: server)
                continue
            }
            var released = lease
            (released.holder, released.expiresAt, released.detail) = (nil, now, nil)
            try setLease(released)
        }
    }
}
