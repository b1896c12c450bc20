import ExternalPurchaseCore
import ExternalPurchaseKit

/// What the host has decided about its gates (EK-55).
final class GateDecisions: Sendable {
    private let decisions = Lock<[String: PurchaseGate.Decision]>([:])

    var names: [String] { decisions.withLock { Array($0.keys) } }

    /// Replaces the gates.
    ///
    /// A gate that the host has not decided is closed; decisions of gates that stay are kept.
    func declare(_ names: [String]) {
        decisions.withLock { decisions in
            let earlier = decisions
            decisions = [:]
            for name in names { decisions[name] = earlier[name] ?? .closed(reason: "the app has not decided yet") }
        }
    }

    func set(_ new: [String: PurchaseGate.Decision]) {
        decisions.withLock { $0.merge(new) { _, new in new } }
    }

    /// The decision; a gate that is not declared any more is closed.
    func decision(of name: String) -> PurchaseGate.Decision {
        decisions.withLock { $0[name] } ?? .closed(reason: "the app has no such gate any more")
    }
}
