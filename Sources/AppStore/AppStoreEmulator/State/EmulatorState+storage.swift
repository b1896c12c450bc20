import ExternalPurchaseCore

// The state file and snapshots. Both are lists of state events.
extension EmulatorState {
    /// Adds an event to those that the next ``commit()`` writes.
    func store(_ event: StateEvent) {
        if stateFile != nil { pending.append(event) }
    }

    /// Writes the pending events in one transaction.
    ///
    /// - Returns: the error if they could not be written. No change is acknowledged from then on.
    func commit() -> String? {
        if let storageFailure { return storageFailure }
        guard let stateFile, !pending.isEmpty else { return nil }
        do {
            pending.append(.clock(storedClock))
            try stateFile.append(pending)
            pending = []
        } catch {
            storageFailure = "the state file cannot be written: \(error)"
        }
        return storageFailure
    }

    var storedClock: StoredClock {
        StoredClock(
            virtual: clock.isVirtual ? now.milliseconds : nil,
            newestEvent: clock.newestEvent?.milliseconds
        )
    }

    /// The shortest list of events that leads to the current state.
    var snapshot: [StateEvent] {
        var events: [StateEvent] = []
        if let issuer = apps.ownIssuerId { events.append(.ownIssuer(issuer)) }
        events += apps.allKeys.map { .key(StoredKey($0)) }
        events += apps.apps.map { .app(StoredApp($0)) }
        events.append(.chain(ChainRecord(chain)))
        events.append(.settings(settings.texts))
        events += customers.history.map { .lifecycle(StoredLifecycleInput($0)) }
        events += tokens.tokens.map { .token($0.text) }
        for (scope, book) in books.sorted(by: { $0.key.description < $1.key.description }) {
            events += book.reports.map { .report(StoredReport($0, in: scope)) }
        }
        events += notifications.records.map { .notification(StoredNotification($0)) }
        events.append(.due(eventQueue.all.map(StoredEvent.init)))
        events.append(.clock(storedClock))
        return events
    }

    /// Replaces the current state by a restored one, completely or not at all.
    func restore(_ events: [StateEvent]) throws(StoredStateError) {
        var restored = RestoredState(dependencies: dependencies, chain: chain)
        for event in events { try restored.apply(event) }
        generation += 1
        settings = restored.settings
        apps = restored.apps
        chain = restored.chain
        tokens = restored.tokens
        books = restored.books
        customers = restored.customers
        pages.lowerSheets()
        notifications = restored.notifications
        eventQueue = restored.eventQueue
        budgets = RequestBudgets()
        clock = EmulatorClock(
            startingAt: restored.virtual,
            machine: dependencies.now(),
            rate: restored.settings.clockRate
        )
        clock.restore(newestEvent: restored.newestEvent)
    }

    /// Restores a snapshot document.
    func restore(_ document: [UInt8]) throws(EmulatorInputError) {
        let snapshot: SnapshotDocument
        do {
            snapshot = try JSONDecoder().decode(SnapshotDocument.self, from: Data(document))
        } catch {
            throw EmulatorInputError(
                "not-a-snapshot",
                kind: .unreadable,
                "the body is not a snapshot; GET /emulator/v1/snapshot returns one"
            )
        }
        guard snapshot.version == SnapshotDocument.currentVersion else {
            throw EmulatorInputError(
                "snapshot-version",
                field: "version",
                "the snapshot has version \(snapshot.version); this emulator takes \(SnapshotDocument.currentVersion)"
            )
        }
        do {
            try restore(snapshot.events)
        } catch {
            throw EmulatorInputError("invalid-snapshot", field: "changes", error.message)
        }
        rewrite()
        wake()
    }

    /// The current state as a document for ``restore(_:)``.
    var snapshotDocument: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let document = SnapshotDocument(version: SnapshotDocument.currentVersion, events: snapshot)
        // Every stored type consists of text and numbers, which JSON can always represent.
        return (try? encoder.encode(document)).map(Array.init) ?? []
    }

    /// Replaces the content of the state file by a snapshot before new events are added.
    func begin() {
        rewrite()
        wake()
    }

    /// Replaces the content of the state file by a snapshot of the current state.
    func rewrite() {
        pending = []
        guard stateFile != nil, storageFailure == nil else { return }
        do {
            try stateFile?.replace(with: snapshot)
        } catch {
            storageFailure = "the state file cannot be written: \(error)"
        }
    }
}

struct SnapshotDocument: Codable, Sendable {
    static let currentVersion = 1

    var version: Int
    var events: [StateEvent]

    /// The names of the members in a snapshot.
    enum CodingKeys: String, CodingKey {
        case version
        case events = "changes"
    }
}

/// A state that is rebuilt event by event.
struct RestoredState: Sendable {
    let dependencies: EmulatorDependencies
    var chain: SigningChain
    var settings = EmulatorSettings()
    var apps = AppRegistry()
    var tokens = TokenRegistry()
    var books: [ReportingScope: ReportBook] = [:]
    var customers = CustomerRegistry()
    var notifications = NotificationBook()
    var eventQueue = EventQueue()
    var virtual: Timestamp?
    var newestEvent: Timestamp?

    init(dependencies: EmulatorDependencies, chain: SigningChain) {
        self.dependencies = dependencies
        self.chain = chain
    }

    mutating func apply(_ event: StateEvent) throws(StoredStateError) {
        switch event {
        case .ownIssuer(let issuer): apps.restore(ownIssuerId: issuer)
        case .key(let key): apps.restore(try key.key(dependencies))
        case .app(let app): try apps.restore(app)
        case .settings(let texts):
            for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
                do {
                    try settings.set(name, to: text)
                } catch {
                    throw StoredStateError(message: error.message)
                }
            }
        case .clock(let clock):
            virtual = try clock.virtual.map(Self.moment)
            newestEvent = try clock.newestEvent.map(Self.moment)
        case .chain(let record): chain = try record.chain()
        case .token(let text):
            do {
                try tokens.restore(text)
            } catch {
                throw StoredStateError(message: error.message)
            }
        case .report(let stored):
            let (report, scope) = try stored.report()
            books[scope, default: ReportBook()].accept(report)
        case .lifecycle(let input):
            _ = try Self.moment(input.at)
            do {
                _ = try customers.apply(try input.input(apps: apps))
            } catch let error as EmulatorInputError {
                throw StoredStateError(message: error.message)
            } catch let error as StoredStateError {
                throw error
            } catch {
                throw StoredStateError(message: "\(error)")
            }
        case .notification(let notification): notifications.record(notification.record)
        case .due(let events):
            for event in events { eventQueue.insert(try event.event()) }
        case .done(let event): eventQueue.remove(try event.event())
        }
    }

    /// A moment within the range of the clock.
    private static func moment(_ milliseconds: Int64) throws(StoredStateError) -> Timestamp {
        guard (0...EmulatorClock.end.milliseconds).contains(milliseconds) else {
            throw StoredStateError(message: "\(milliseconds) is not a moment from 1970 to 9999 in UNIX milliseconds")
        }
        return Timestamp(milliseconds: milliseconds)
    }
}
