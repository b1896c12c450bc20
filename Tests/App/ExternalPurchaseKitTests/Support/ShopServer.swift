import ExternalPurchaseCore
import ExternalPurchaseKit
import StoreKitSimulator
import Synchronization

/// The developer's server: stores tokens once by their id, and answers as the test says.
final class ShopServer: TokenTransport {
    private struct State {
        var arrivals: [PurchaseToken] = []
        var answer: @Sendable (PurchaseToken) -> TokenDelivery? = { _ in nil }
        var life: ProcessLife
        var requests = 0
    }

    private let state: Mutex<State>

    init(life: ProcessLife = ProcessLife()) {
        state = Mutex(State(life: life))
    }

    /// Another process sends.
    func start(_ process: ProcessLife) { state.withLock { $0.life = process } }

    /// Answers instead of storing; nil stores.
    func answer(_ answer: @escaping @Sendable (PurchaseToken) -> TokenDelivery?) {
        state.withLock { $0.answer = answer }
    }

    /// Every token that was stored, each time that it arrived.
    var arrivals: [PurchaseToken] { state.withLock { $0.arrivals } }
    var texts: Set<String> { Set(arrivals.map(\.text)) }
    /// Requests that reached the server.
    var requests: Int { state.withLock { $0.requests } }

    func send(_ token: PurchaseToken) async -> TokenDelivery {
        let (life, answer) = state.withLock { ($0.life, $0.answer) }
        let lost = TokenDelivery.retry(reason: "killed", after: nil)
        guard life.tick() else { return lost }
        state.withLock { $0.requests += 1 }
        if let other = answer(token) { return other }
        state.withLock { $0.arrivals.append(token) }
        // The server has it, and the answer may be lost.
        return life.tick() ? .stored : lost
    }
}

/// Issues tokens as the simulator does, and remembers them all.
final class WitnessedIssuer: TokenIssuer {
    private struct State {
        var issued: [IssuedToken] = []
        var life: ProcessLife
    }

    private let state: Mutex<State>

    init(life: ProcessLife = ProcessLife()) {
        state = Mutex(State(life: life))
    }

    func start(_ process: ProcessLife) { state.withLock { $0.life = process } }

    var issued: [IssuedToken] { state.withLock { $0.issued } }
    var texts: [String] { issued.map(\.text) }

    func issue(_ request: TokenRequest) async throws -> IssuedToken {
        // A killed process asks for nothing more.
        guard state.withLock({ $0.life }).tick() else { throw ProcessLife.Killed() }
        let token = try await InProcessTokenIssuer().issue(request)
        state.withLock { $0.issued.append(token) }
        _ = state.withLock { $0.life }.tick()
        return token
    }
}
