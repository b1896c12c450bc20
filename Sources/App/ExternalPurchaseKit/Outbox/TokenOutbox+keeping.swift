extension TokenOutbox {
    /// Keeps a token: on disk, or else at the server, or else in memory.
    ///
    /// A token that waits already is stored once. One that the server has is not sent again before
    /// ``Settings/confirmationInterval`` has passed (EK-24).
    ///
    /// - Parameter token: the token.
    /// - Returns: where it is. After ``Location/inMemory(_:)`` the disk and the server are tried again at every attempt.
    public func keep(_ token: PurchaseToken) async -> Location {
        let entry = OutboxEntry(token: token, storedAt: clock.milliseconds())
        do throws(StorageFailure) {
            try openIfNeeded()
            if let known = known(entry) { return known }
            try folder.store(entry)
            stored(entry)
            wake()
            return .stored
        } catch {
            return await keepInMemory(entry, error)
        }
    }

    private func known(_ entry: OutboxEntry) -> Location? {
        if pending[entry.name] != nil || refused[entry.name] != nil { return .stored }
        // A distance of either sign: the clock may have been set in between.
        guard let delivery = memory.deliveries[entry.name.description] else { return nil }
        let distance = Duration.milliseconds(clock.milliseconds() - delivery.deliveredAt)
        return distance < settings.confirmationInterval && distance > .zero - settings.confirmationInterval
            ? .delivered : nil
    }

    private func stored(_ entry: OutboxEntry) {
        unstored[entry.name] = nil
        pending[entry.name] = entry
        status.storageFailure = nil
        log(.stored(entry.name))
        dropAnonymous(entry)
        publish()
    }

    /// The same token without a customer needs no sending of its own beside one with a customer.
    private func dropAnonymous(_ entry: OutboxEntry) {
        guard entry.token.customerId != nil else { return }
        let token = PurchaseToken(text: entry.token.text, type: entry.token.type)
        guard let anonymous = pending[token.name], sending[token.name] == nil else { return }
        do throws(StorageFailure) {
            try folder.remove(anonymous)
            pending[token.name] = nil
        } catch {
            storageFailed(error)
        }
    }

    private func keepInMemory(_ entry: OutboxEntry, _ failure: StorageFailure) async -> Location {
        storageFailed(failure)
        unstored[entry.name] = unstored[entry.name] ?? entry
        log(.notStored(entry.name, failure))
        publish()
        // Not at the next attempt that is due: the purchase waits for it.
        await send(entry)
        wake()
        if unstored[entry.name] == nil { return pending[entry.name] == nil ? .delivered : .stored }
        return .inMemory(failure)
    }

    /// Tries the disk again for what is in memory only.
    func storeUnstored() {
        for entry in unstored.values {
            do throws(StorageFailure) {
                try openIfNeeded()
                if entry.refusal == nil {
                    try folder.store(entry)
                    stored(entry)
                } else {
                    try folder.refuse(entry)
                    unstored[entry.name] = nil
                    refused[entry.name] = entry
                }
            } catch {
                storageFailed(error)
                return
            }
        }
    }

    // MARK: Requests

    /// Notes that StoreKit is about to be asked for a token that it makes anew at each call (EK-23).
    ///
    /// - Returns: the number for ``endRequest(_:)``.
    /// - Throws: the disk's refusal; a token could not be stored either, so none is asked for.
    func beginRequest(type: String?, storefront: String?) throws(StorageFailure) -> Int {
        do throws(StorageFailure) {
            try openIfNeeded()
            let number = max(nextRequest, try folder.freeRequestNumber())
            let request = OutboxRequest(tokenType: type, storefront: storefront, startedAt: clock.milliseconds())
            try folder.begin(request, number: number)
            nextRequest = number + 1
            runningRequests.insert(number)
            status.storageFailure = nil
            publish()
            return number
        } catch {
            storageFailed(error)
            publish()
            throw error
        }
    }

    /// Removes the note: StoreKit made no token, or the token is kept.
    func endRequest(_ number: Int) {
        do throws(StorageFailure) { try folder.end(number) } catch { storageFailed(error) }
        runningRequests.remove(number)
        publish()
    }

    /// Forgets the requests of earlier runs that did not end, after the app or its user has seen them.
    ///
    /// - Throws: the disk's refusal.
    public func dismissInterruptedRequests() throws(StorageFailure) {
        try openIfNeeded()
        while let number = contents?.requests.last {
            try folder.end(number)
            contents?.requests.removeLast()
        }
        publish()
    }

    /// Makes every refused token wait again, after the server was repaired.
    ///
    /// - Throws: the disk's refusal. Tokens that were reached before wait again.
    public func retryRefused() throws(StorageFailure) {
        try openIfNeeded()
        for var entry in refused.values {
            let name = entry.name
            entry.refusal = nil
            try folder.restore(entry)
            refused[name] = nil
            pending[name] = entry
        }
        publish()
        wake()
    }
}
