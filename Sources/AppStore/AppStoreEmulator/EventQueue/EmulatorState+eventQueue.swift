import ExternalPurchaseCore
import ServiceLifecycle

// Events that happen as the clock advances (NT-100 to NT-102).
extension EmulatorState {
    // MARK: The clock

    /// Sets the clock.
    ///
    /// When it moves forward, the events up to that moment happen on the way.
    func setClock(to moment: Timestamp) async throws(EmulatorInputError) {
        try clock.check(moment)
        if moment > now {
            guard await settle(until: moment) else {
                // If the clock passed events that did not happen, their order would be lost (NT-101).
                throw EmulatorInputError(
                    "stopping",
                    kind: .stopping,
                    "the emulator stops; what was due by \(now) has happened, the rest happens after its next start"
                )
            }
        }
        try clock.set(to: moment, machine: dependencies.now())
        moved()
    }

    /// Advances the clock.
    ///
    /// When this returns, every delivery attempt that was due has been made (NT-101).
    func advanceClock(seconds: Int64) async throws(EmulatorInputError) {
        try await setClock(to: clock.ahead(seconds: seconds, machine: dependencies.now()))
    }

    /// Changes a clock that follows the machine to a virtual one at the current time.
    func holdClock() throws(EmulatorInputError) {
        try clock.set(to: now, machine: dependencies.now())
        moved()
    }

    func followMachine() throws(EmulatorInputError) {
        try clock.followMachine(machine: dependencies.now())
        moved()
    }

    private func moved() {
        // Setting the clock causes no other event, so it is stored as one.
        store(.clock(storedClock))
        events.send(.clock(now, isVirtual: clock.isVirtual))
        wake()
    }

    nonisolated func wake() { wakes.continuation.yield() }

    // MARK: The timeline

    /// Schedules the events of a token.
    ///
    /// Events that were due before the token was recorded are not made up for.
    ///
    /// - Parameter isMintedNow: true when the token was created now, whatever its creation date.
    func schedule(_ token: ExternalPurchaseToken, at now: Timestamp, isMintedNow: Bool) {
        let id = token.externalPurchaseId
        let createdAt = isMintedNow ? max(token.tokenCreationDate, now) : token.tokenCreationDate
        if settings.notifications.createdFor.contains(token.family), createdAt >= now {
            plan(DueEvent(moment: createdAt, kind: .created(id)))
        }
        if token.family == .customLink {
            let every = settings.notifications.reminderEvery.wholeMilliseconds
            let passed = max(.zero, token.tokenCreationDate.duration(to: now)).wholeMilliseconds
            insertReminder(of: token, number: max(1, passed / every + (passed % every == 0 ? 0 : 1)))
        }
        let unreported =
            token.tokenExpirationDate?.advanced(by: settings.notifications.unreportedAfterExpiry)
            ?? token.tokenCreationDate + settings.notifications.unreportedAfter
        if unreported >= now { plan(DueEvent(moment: unreported, kind: .unreported(id, 0))) }
        wake()
    }

    func plan(_ event: DueEvent) {
        eventQueue.insert(event)
        store(.due([StoredEvent(event)]))
    }

    private func insertReminder(of token: ExternalPurchaseToken, number: Int64) {
        let every = settings.notifications.reminderEvery.wholeMilliseconds
        let (distance, overflow) = every.multipliedReportingOverflow(by: number)
        let moment = token.tokenCreationDate.advanced(by: .milliseconds(overflow ? .max : distance))
        guard number > 0, let end = token.tokenExpirationDate, moment < end else { return }
        plan(DueEvent(moment: moment, kind: .reminder(token.externalPurchaseId, number)))
    }

    /// Processes the events that are due up to a moment, one after another.
    ///
    /// The clock is set to the moment of each event.
    ///
    /// - Returns: false when the server stopped before all of them had happened.
    @discardableResult
    func settle(until moment: Timestamp) async -> Bool {
        let previous = turn
        let task = Task {
            await previous?.value
            await self.work(until: moment)
        }
        turn = task
        // A URL that does not respond must not prevent the server from stopping.
        await withGracefulShutdownHandler {
            await task.value
        } onGracefulShutdown: {
            task.cancel()
        }
        return !task.isCancelled
    }

    private func work(until moment: Timestamp) async {
        let began = generation
        while generation == began, !Task.isCancelled, let event = eventQueue.first, event.moment <= moment {
            _ = eventQueue.popFirst()
            if clock.isVirtual || moment > now, event.moment > now {
                // The event is later than now and not later than a moment that was checked.
                try? clock.set(to: event.moment, machine: dependencies.now())
            }
            await happen(event)
            // An interrupted event is due again after the next start.
            guard generation == began, !Task.isCancelled else { break }
            store(.done(StoredEvent(event)))
            _ = commit()
        }
        await sender.rest()
    }

    private func happen(_ event: DueEvent) async {
        switch event.kind {
        case .created(let id):
            guard let token = tokens[id]?.token else { return }
            notify(.created, of: token)
        case .reminder(let id, let number):
            guard let token = tokens[id]?.token, book(of: token)?.isDuplicate(id) != true,
                token.tokenExpirationDate.map({ now < $0 }) ?? false
            else { return }
            notify(.activeTokenReminder, of: token)
            insertReminder(of: token, number: number &+ 1)
        case .unreported(let id, let number):
            guard let token = tokens[id]?.token, book(of: token)?.status(of: id) == nil else { return }
            notify(.unreported, of: token)
            if let every = settings.notifications.unreportedRepeat {
                let next = event.moment + every
                plan(DueEvent(moment: next, kind: .unreported(id, number &+ 1)))
            }
        case .attempt(let id):
            await attempt(id)
        }
    }

    private func book(of token: ExternalPurchaseToken) -> ReportBook? {
        books[ReportingScope(bundleId: token.bundleId, environment: token.environment)]
    }

    /// The machine's time until the next event; nil when none is scheduled.
    var nextWait: Duration? {
        eventQueue.first.flatMap { clock.wait(until: $0.moment, machine: dependencies.now()) }
    }

    /// Processes the events that are due by the clock.
    func settleNow() async {
        guard let first = eventQueue.first, first.moment <= now else { return }
        await settle(until: now)
    }

    /// Records a token that Apple's side knows from now on.
    func recorded(_ token: ExternalPurchaseToken, at moment: Timestamp, isMintedNow: Bool = false) {
        clock.recordEvent(machine: dependencies.now())
        store(.token(token.encoded()))
        schedule(token, at: moment, isMintedNow: isMintedNow)
        events.send(.token(token, at: moment))
    }
}
