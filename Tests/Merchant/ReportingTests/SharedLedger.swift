import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import Synchronization

@testable import Reporting

/// Where a server can stop: the process is frozen or dies there, with everything that it does.
enum StopPoint: String, Hashable, Sendable, CaseIterable {
    case beforeCommit, afterCommit, beforePut, afterPut, beforeGet, afterGet
}

/// What happens at one stop point of a server.
struct PlannedStop: Hashable, Sendable {
    let point: StopPoint
    /// How many times the point is passed before.
    let skipping: Int
    let kills: Bool
}

/// The process of one server: it runs, is frozen until it is woken, or is dead.
final class ServerProcess: Sendable {
    struct Died: Error {}

    private struct State {
        var stop: PlannedStop?
        var skipped = 0
        var isFrozen = false
        var isDead = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var observer: CheckedContinuation<Void, Never>?
        var isIdle = true
    }

    private let state = Mutex(State())

    var isFrozen: Bool { state.withLock(\.isFrozen) }
    var isDead: Bool { state.withLock(\.isDead) }
    var isRunning: Bool { state.withLock { !$0.isFrozen && !$0.isDead } }
    var isIdle: Bool { state.withLock(\.isIdle) }

    func plan(_ stop: PlannedStop?) { state.withLock { ($0.stop, $0.skipped) = (stop, 0) } }

    /// Passes a point; a frozen process stays here until it is woken.
    func pass(_ point: StopPoint) async throws(Died) {
        await withCheckedContinuation { continuation in
            let observer = state.withLock { state -> CheckedContinuation<Void, Never>?? in
                if let stop = state.stop, stop.point == point, !state.isFrozen, !state.isDead, !state.isIdle {
                    if state.skipped == stop.skipping {
                        state.stop = nil
                        if stop.kills { state.isDead = true } else { state.isFrozen = true }
                        if stop.kills {
                            continuation.resume()
                            return nil
                        }
                        state.waiting.append(continuation)
                        defer { state.observer = nil }
                        return .some(state.observer)
                    }
                    state.skipped += 1
                }
                if state.isFrozen { state.waiting.append(continuation) } else { continuation.resume() }
                return nil
            }
            observer??.resume()
        }
        if isDead { throw Died() }
    }

    /// Runs work until it is done or the process is frozen.
    func run(_ work: @escaping @Sendable () async -> Void) async {
        state.withLock { $0.isIdle = false }
        await withCheckedContinuation { continuation in
            state.withLock { $0.observer = continuation }
            Task {
                await work()
                let observer = state.withLock { state in
                    defer { state.observer = nil }
                    state.isIdle = true
                    return state.observer
                }
                observer?.resume()
            }
        }
    }

    /// Wakes a frozen process, and waits until the work that it was doing is done or freezes again.
    func wake() async {
        await withCheckedContinuation { continuation in
            let waiting = state.withLock { state in
                state.isFrozen = false
                if state.isIdle { continuation.resume() } else { state.observer = continuation }
                defer { state.waiting = [] }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }
    }
}

/// The ledger as one process uses it: every write may stop before and after its commit.
final class ProcessStore: LedgerStore {
    private let base: any LedgerStore
    private let process: ServerProcess
    private let isReachable: @Sendable () -> Bool
    private let answers: @Sendable () -> Bool

    init(
        _ base: any LedgerStore,
        _ process: ServerProcess,
        isReachable: @escaping @Sendable () -> Bool,
        answers: @escaping @Sendable () -> Bool
    ) {
        (self.base, self.process, self.isReachable, self.answers) = (base, process, isReachable, answers)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        if process.isDead || !isReachable() { throw .inaccessible("the server is dead") }
        return try await base.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        if !isReachable() { throw .inaccessible("the database is unreachable") }
        try await pass(.beforeCommit)
        let value = try await base.write(body)
        try await pass(.afterCommit)
        if !answers() { throw .inaccessible("the connection was lost during the commit") }
        return value
    }

    private func pass(_ point: StopPoint) async throws(LedgerError) {
        do { try await process.pass(point) } catch { throw .inaccessible("the server is dead") }
    }
}

/// Apple as one process reaches it.
///
/// Apple judges a request when it arrives. Requests of a process that runs are counted while they are on their way.
final class ProcessApple: ReportEndpointClient {
    /// The requests on their way, and whether two processes that run ever sent at once.
    final class Traffic: Sendable {
        let sending = Mutex<[AppStoreEnvironment: [ServerProcess]]>([:])
        let collisions = Mutex(0)
    }

    private let apple: ScriptedApple
    private let process: ServerProcess
    private let traffic: Traffic

    init(_ apple: ScriptedApple, _ process: ServerProcess, _ traffic: Traffic) {
        (self.apple, self.process, self.traffic) = (apple, process, traffic)
    }

    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        let process = process
        traffic.sending.withLock { sending in
            if sending[environment, default: []].contains(where: { $0 !== process && $0.isRunning }) {
                traffic.collisions.withLock { $0 += 1 }
            }
            sending[environment, default: []].append(process)
        }
        defer {
            traffic.sending.withLock { sending in
                let place = sending[environment]?.firstIndex { $0 === process }
                if let place { sending[environment]?.remove(at: place) }
            }
        }
        do {
            try await process.pass(.beforePut)
            let answer = await apple.send(body, environment: environment)
            try await process.pass(.afterPut)
            return answer
        } catch {
            return AppStoreResponse(outcome: .noAnswer(reason: "the server is dead"), status: nil, body: [])
        }
    }

    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        do {
            try await process.pass(.beforeGet)
            let answer = await apple.retrieve(requestIdentifier, environment: environment)
            try await process.pass(.afterGet)
            return answer
        } catch {
            return AppStoreResponse(outcome: .noAnswer(reason: "the server is dead"), status: nil, body: [])
        }
    }
}

/// One server of a shared ledger, with a wall clock of its own.
final class SharedServer: Sendable {
    let process = ServerProcess()
    let system: ReportingSystem
    /// Whether the server reaches the ledger.
    let isReachable = Setting(true)
    /// Whether the server learns that a write was stored.
    let getsAnswers = Setting(true)
    private let offset = Setting(Duration.zero)

    /// A value that the test sets while the server runs.
    final class Setting<Value: Sendable>: Sendable {
        private let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
        var now: Value { value.withLock(\.self) }
        func set(_ new: Value) { value.withLock { $0 = new } }
    }

    init(_ name: String, _ world: SharedLedger, settings: ReportingSettings = ReportingSettings()) {
        let (process, reachable, answers, offset) = (process, isReachable, getsAnswers, offset)
        var settings = settings
        settings.leases.server = ServerId(name)
        let clock = world.clock
        var dependencies = clock.dependencies
        dependencies.now = { clock.now + offset.now }
        // The monotonic clock does not follow the wall clock's jumps.
        dependencies.uptime = { Merchant.noon.duration(to: clock.now) }
        system = ReportingSystem(
            store: ProcessStore(world.store, process, isReachable: { reachable.now }, answers: { answers.now }),
            apps: [
                RegisteredApp(
                    bundleId: Merchant.shop,
                    appAppleId: Merchant.appAppleId,
                    environments: [.sandbox, .production],
                    client: ProcessApple(world.apple, process, world.traffic),
                    keyId: Merchant.keyId
                )
            ],
            settings: settings,
            isShared: true,
            dependencies: dependencies,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func setWallClock(by duration: Duration) { offset.set(duration) }

    /// One second of the server: leases, commits of others, and what can be done.
    func turn() async {
        let system = system
        guard process.isIdle, process.isRunning else { return }
        await process.run {
            await system.sender.tick()
            await system.sender.runUntilIdle()
        }
    }
}

/// Servers over one SQLite ledger, against one Apple.
final class SharedLedger: Sendable {
    let clock = Merchant.Clock()
    let apple: ScriptedApple
    let store: any LedgerStore
    let traffic = ProcessApple.Traffic()

    init(isInFile: Bool = true) throws {
        let clock = clock
        apple = ScriptedApple(clock: clock)
        let dependencies = LedgerDependencies(now: { clock.now }, pseudonym: { UUID().uuidString })
        guard isInFile else {
            store = MemoryLedgerStore.empty(dependencies)
            return
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try SQLiteLedgerStore(
            path: folder.appending(path: "l.sqlite").path,
            dependencies: dependencies
        )
    }

    func server(_ name: String, settings: ReportingSettings = ReportingSettings()) -> SharedServer {
        SharedServer(name, self, settings: settings)
    }

    func take(_ token: ExternalPurchaseToken, at server: SharedServer) async throws {
        apple.know(token)
        let arrival = TokenArrival(text: token.encoded(), source: .app, customerId: nil, checkoutId: nil)
        _ = try await server.system.tokens.receive(arrival)
    }

    @discardableResult
    func sell(_ id: String, on token: ExternalPurchaseToken, at server: SharedServer) async throws -> SaleReceipt {
        try await server.system.receiveSale(body: try JSONReader().read(Merchant.purchase(id, on: token)))
    }

    func reports() async throws -> [StoredReport] {
        try await store.read { ledger throws(LedgerError) in try ledger.reports(LedgerPage(limit: 10_000)) }
    }

    /// Lets time pass in steps of a second, with a turn of each server after each.
    func pass(_ seconds: Int, _ servers: [SharedServer]) async {
        for _ in 0..<seconds {
            clock.advance(seconds: 1)
            for server in servers { await server.turn() }
        }
    }
}
