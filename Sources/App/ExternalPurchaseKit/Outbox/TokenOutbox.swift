public import Foundation

/// Keeps tokens on disk until the developer's server has them.
///
/// A token is written before anything else happens with it, and leaves the disk when the server answered that it is
/// stored, or never (EK-20 to EK-29). One process uses a folder at a time.
///
/// ```swift
/// let outbox = TokenOutbox(folder: TokenOutbox.applicationSupport, transport: transport)
/// ```
public actor TokenOutbox {
    let folder: OutboxFolder
    let transport: any TokenTransport
    let settings: Settings
    let clock: KitClock
    let log: KitEventHandler

    /// Nil until the folder could be read.
    var contents: OutboxFolder.Contents?
    var pending: [TokenName: OutboxEntry] = [:]
    var refused: [TokenName: OutboxEntry] = [:]
    /// Tokens and refusals that the disk did not take.
    var unstored: [TokenName: OutboxEntry] = [:]
    var memory = OutboxMemory()
    /// The numbers of requests of this process that have not ended.
    var runningRequests: Set<Int> = []
    var nextRequest = 0
    /// Attempts in this process by token: what failed goes to the end of the queue.
    var attempts: [TokenName: Int] = [:]
    /// Sends on their way, so that no token is sent twice at once.
    var sending: [TokenName: Task<Void, Never>] = [:]
    /// On the monotonic clock: when the next attempt may begin.
    var earliestAttempt = Duration.zero
    var isDelivering = false
    var status = TokenOutboxStatus()
    private var listeners: [Int: AsyncStream<TokenOutboxStatus>.Continuation] = [:]
    private var nextListener = 0
    private var isRunning = false
    private var isSignalled = false
    private var waiter: CheckedContinuation<Void, Never>?

    /// Creates an outbox; the folder is opened at the first use.
    ///
    /// - Parameters:
    ///   - folder: a folder of its own for this outbox. It is created if it does not exist.
    ///   - transport: hands the tokens to the server.
    ///   - settings: limits and times.
    ///   - clock: the time and the randomness of waits.
    ///   - log: receives events.
    public init(
        folder: URL,
        transport: any TokenTransport,
        settings: Settings = Settings(),
        clock: KitClock = .system,
        log: @escaping KitEventHandler = { _ in }
    ) {
        self.init(
            files: SystemFileSystem(root: folder),
            transport: transport,
            settings: settings,
            clock: clock,
            log: log
        )
    }

    init(
        files: any OutboxFileSystem,
        transport: any TokenTransport,
        settings: Settings = Settings(),
        clock: KitClock = .system,
        log: @escaping KitEventHandler = { _ in }
    ) {
        folder = OutboxFolder(files: files)
        self.transport = transport
        self.settings = settings
        self.clock = clock
        self.log = log
    }

    /// A folder in the app's Application Support, which backups contain.
    ///
    /// Tokens that wait survive the move to another device this way; the server merges what then arrives twice.
    public static var applicationSupport: URL {
        let manager = FileManager.default
        let support = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        return (support ?? URL(filePath: NSHomeDirectory())).appending(
            path: "ExternalPurchaseKit/Outbox",
            directoryHint: .isDirectory
        )
    }

    // MARK: Status

    /// What the outbox holds now.
    public var currentStatus: TokenOutboxStatus { status }

    /// The status now and after every change.
    ///
    /// Only the newest one waits for a slow reader.
    public func statusUpdates() -> AsyncStream<TokenOutboxStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TokenOutboxStatus.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        nextListener += 1
        let number = nextListener
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.removeListener(number) } }
        continuation.yield(status)
        return stream
    }

    private func removeListener(_ number: Int) { listeners[number] = nil }

    /// The tokens that the server refused, with their texts.
    public var refusedTokens: [PurchaseToken] {
        refused.values.sorted { ($0.storedAt, $0.name) < ($1.storedAt, $1.name) }.map(\.token)
    }

    func publish() {
        let kept = Array(pending.values) + Array(refused.values)
        let waiting = unstored.values.filter { pending[$0.name] == nil && refused[$0.name] == nil }
        status.pending = pending.count
        status.unstored = unstored.count
        status.refused = refused.mapValues { $0.refusal ?? "" }
        for entry in unstored.values { if let refusal = entry.refusal { status.refused[entry.name] = refusal } }
        status.unreadable = contents?.unreadable ?? 0
        status.unreachable = contents?.unreachable ?? 0
        status.interruptedRequests = contents?.requests.count ?? 0
        status.size = (kept + waiting).reduce(0) { $0 + $1.token.text.utf8.count }
        status.isFull = kept.count + waiting.count >= settings.largestCount || status.size >= settings.largestSize
        status.failures = memory.failures
        for listener in listeners.values { listener.yield(status) }
    }

    // MARK: Opening

    /// Reads the folder if that has not happened, or if files could not be read the last time.
    func openIfNeeded() throws(StorageFailure) {
        if let contents, contents.unreachable == 0 { return }
        let isFirst = contents == nil
        var opened = try folder.open()
        opened.requests.removeAll(where: runningRequests.contains)
        pending = Dictionary(uniqueKeysWithValues: opened.pending.map { ($0.name, $0) })
        refused = Dictionary(uniqueKeysWithValues: opened.refused.map { ($0.name, $0) })
        if isFirst {
            memory = opened.memory
            nextRequest = (opened.requests.last ?? -1) + 1
            earliestAttempt = clock.uptime() + memory.remainingWait(at: clock.now())
        }
        dropDelivered()
        contents = opened
        log(
            .opened(
                pending: pending.count,
                refused: refused.count,
                unreadable: opened.unreadable,
                unreachable: opened.unreachable,
                interruptedRequests: opened.requests.count
            )
        )
        publish()
    }

    /// Removes what the server has: the process ended between the record of a delivery and the removal of its file.
    private func dropDelivered() {
        for entry in pending.values where memory.deliveries[entry.name.description]?.storedAt == entry.storedAt {
            pending[entry.name] = nil
            do throws(StorageFailure) { try folder.remove(entry) } catch { storageFailed(error) }
        }
    }

    func storageFailed(_ failure: StorageFailure) {
        if status.storageFailure != failure { log(.storageFailed(failure)) }
        status.storageFailure = failure
    }

    // MARK: Waiting

    /// Sends tokens whenever an attempt is due, until the task is cancelled.
    ///
    /// A second call while one runs returns at once.
    public func run() async {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !Task.isCancelled {
            let wait = await deliverDue()
            guard !Task.isCancelled else { return }
            await pause(wait)
        }
    }

    /// Looks for due work now, such as when the app returns to the foreground or the network is back.
    ///
    /// Waits between attempts are kept.
    public func wake() {
        isSignalled = true
        waiter?.resume()
        waiter = nil
    }

    private func pause(_ wait: Duration?) async {
        let timer = wait.map { wait in
            Task {
                guard (try? await clock.sleep(wait)) != nil else { return }
                wake()
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isSignalled || Task.isCancelled { continuation.resume() } else { waiter = continuation }
            }
        } onCancel: {
            Task { await self.wake() }
        }
        timer?.cancel()
        isSignalled = false
    }
}
