import ExternalPurchaseCore

extension ExternalPurchaseModel {
    /// A reason that stops a flow, as an error.
    struct Stop<Reason: Sendable>: Error {
        let reason: Reason
    }

    /// Requests the tokens with a period, one type after the other, and keeps each before the next request.
    func requestPeriodTokens(_ types: [TokenType], storefront: String) async -> PurchaseTokens {
        var result = PurchaseTokens()
        for type in types {
            do {
                guard let text = try await store.token(for: type.rawValue) else {
                    log(.noToken(type: type.rawValue))
                    result.missing[type] = .noneActive
                    continue
                }
                let token = PurchaseToken(text: text, type: type, storefront: storefront, customerId: customerId)
                let isSafe = await keep(token, endingRequest: nil)
                result.tokens.append(token)
                result.areSafe = result.areSafe && isSafe
            } catch {
                let failure = failure(of: type, error)
                result.missing[type] = failure.kind == .unsupported ? .unsupported : .failed(failure)
                // The period goes on, and its token arrives later; the sale waits for it (SK-84).
                if failure.kind != .unsupported { launchTokensAreDue() }
            }
        }
        return result
    }

    /// Requests the one token of a purchase and keeps it; the record of the request ends with it.
    func requestTransactionToken(
        _ type: TokenType,
        storefront: String,
        request: Int
    ) async -> Result<PurchaseTokens, Stop<CustomLinkResult>> {
        var result = PurchaseTokens()
        do {
            guard let text = try await store.token(for: type.rawValue) else {
                await outbox.endRequest(request)
                log(.noToken(type: type.rawValue))
                result.missing[type] = .noneActive
                return .success(result)
            }
            let token = PurchaseToken(text: text, type: type, storefront: storefront, customerId: customerId)
            result.tokens = [token]
            result.areSafe = await keep(token, endingRequest: request)
            return .success(result)
        } catch {
            await outbox.endRequest(request)
            let failure = failure(of: type, error)
            guard failure.kind == .unsupported else { return .failure(Stop(reason: .tokenFailed(failure))) }
            result.missing[type] = .unsupported
            return .success(result)
        }
    }

    /// Keeps a token; a request that it answers ends when it is on disk or at the server.
    func keep(_ token: PurchaseToken, endingRequest request: Int?) async -> Bool {
        let keeping = await outbox.keep(token)
        if let request, keeping.isSafe { await outbox.endRequest(request) }
        return keeping.isSafe
    }

    /// Notes a request for a token that StoreKit makes anew; the reason if none may be made.
    func beginRequest(type: String?, storefront: String?) async -> Result<Int, Stop<NotOffered>> {
        if let reason = await outboxRefusal() { return .failure(Stop(reason: reason)) }
        do throws(StorageFailure) {
            return .success(try await outbox.beginRequest(type: type, storefront: storefront))
        } catch {
            return .failure(Stop(reason: .storageFailed(error)))
        }
    }

    func outboxRefusal() async -> NotOffered? { await outbox.currentStatus.isFull ? .outboxFull : nil }

    private func failure(of type: TokenType, _ error: any Error) -> StoreFailure {
        let failure = store.failure(error)
        log(.storeFailed(member: "ExternalPurchaseCustomLink.token(for: \(type.rawValue))", failure.kind))
        return failure
    }
}
