import Foundation

extension TokenOutbox {
    /// Sends what is due, oldest first and what failed before last.
    ///
    /// The first attempt without success ends the round: one token that the server cannot take never holds up the
    /// others, and a server that is down gets one request a round.
    ///
    /// - Returns: the wait until the next attempt; nil when nothing waits.
    @discardableResult
    public func deliverDue() async -> Duration? {
        do throws(StorageFailure) {
            try openIfNeeded()
        } catch {
            storageFailed(error)
        }
        storeUnstored()
        publish()
        guard !isDelivering else { return settings.firstWait }
        isDelivering = true
        defer { isDelivering = false }
        while let entry = next() {
            let remaining = earliestAttempt - clock.uptime()
            if remaining > .zero { return remaining }
            guard !Task.isCancelled else { break }
            await send(entry)
        }
        // The folder may become usable without a new token: after the first unlock, or when the disk has room again.
        let isIncomplete = contents.map { $0.unreachable > 0 } ?? true
        return isIncomplete || !unstored.isEmpty ? settings.longestWait : nil
    }

    private func next() -> OutboxEntry? {
        let waiting = unstored.values.filter { $0.refusal == nil && pending[$0.name] == nil }
        return (Array(pending.values) + waiting).min { left, right in
            (attempts[left.name, default: 0], left.storedAt, left.name)
                < (attempts[right.name, default: 0], right.storedAt, right.name)
        }
    }

    /// Sends one token; a send of it that is on its way is waited for.
    func send(_ entry: OutboxEntry) async {
        if let task = sending[entry.name] { return await task.value }
        let task = Task {
            let delivery = await transport.send(entry.token)
            sending[entry.name] = nil
            record(delivery, of: entry)
        }
        sending[entry.name] = task
        await task.value
    }

    private func record(_ delivery: TokenDelivery, of entry: OutboxEntry) {
        switch delivery {
        case .stored: delivered(entry)
        case .refused(let reason): refuse(entry, reason)
        case .retry(let reason, let after): failed(entry, reason, after)
        }
        publish()
    }

    private func delivered(_ entry: OutboxEntry) {
        attempts[entry.name] = nil
        status.lastFailure = nil
        earliestAttempt = .zero
        memory.recordDelivery(of: entry, at: clock.milliseconds())
        saveMemory()
        unstored[entry.name] = nil
        log(.delivered(entry.name))
        guard let file = pending[entry.name] else { return }
        // The entry leaves the queue even if its file stays: it is sent once more at most, after the next start.
        pending[entry.name] = nil
        do throws(StorageFailure) { try folder.remove(file) } catch { storageFailed(error) }
    }

    private func refuse(_ entry: OutboxEntry, _ reason: String) {
        var entry = entry
        entry.refusal = reason
        attempts[entry.name] = nil
        memory.failures = 0
        earliestAttempt = .zero
        pending[entry.name] = nil
        unstored[entry.name] = nil
        log(.refused(entry.name))
        do throws(StorageFailure) {
            try folder.refuse(entry)
            refused[entry.name] = entry
        } catch {
            // Its file still waits, so that it is refused once more after the next start.
            storageFailed(error)
            unstored[entry.name] = entry
        }
    }

    private func failed(_ entry: OutboxEntry, _ reason: String, _ after: Duration?) {
        attempts[entry.name, default: 0] += 1
        memory.failures += 1
        let wait = settings.wait(afterFailures: memory.failures, atLeast: after, jitter: clock.random())
        memory.failedAt = clock.milliseconds()
        memory.wait = wait.milliseconds
        earliestAttempt = clock.uptime() + wait
        saveMemory()
        let reason = reason.replacing(entry.token.text, with: "…")
        status.lastFailure = reason
        log(.deliveryFailed(entry.name, reason: reason, wait: wait))
    }

    private func saveMemory() {
        guard contents != nil else { return }
        do throws(StorageFailure) { try folder.save(memory) } catch { storageFailed(error) }
    }
}

extension TokenOutbox.Settings {
    /// Doubles from the first wait up to the longest, minus up to half of it at random, so that the apps of many
    /// customers do not return at one moment after an outage.
    ///
    /// - Parameters:
    ///   - failures: attempts without success, at least 1.
    ///   - least: what the server asked for, up to a day.
    ///   - jitter: a number from 0 to 1.
    func wait(afterFailures failures: Int, atLeast least: Duration?, jitter: Double) -> Duration {
        var wait = firstWait
        for _ in 1..<max(failures, 1) where wait < longestWait { wait *= 2 }
        wait = min(wait, longestWait) * (1 - min(max(jitter, 0), 1) / 2)
        return max(wait, min(least ?? .zero, .seconds(86_400)))
    }
}

extension OutboxMemory {
    /// What is left of the wait after a restart.
    ///
    /// A clock that was set back or ahead ends it: the wait only spares the server, and the next attempt begins a new
    /// one.
    func remainingWait(at now: Date) -> Duration {
        guard let failedAt else { return .zero }
        let passed = now.milliseconds - failedAt
        return passed >= 0 && passed < wait ? .milliseconds(wait - passed) : .zero
    }
}
