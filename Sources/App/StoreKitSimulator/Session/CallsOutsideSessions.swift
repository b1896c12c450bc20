import ExternalPurchaseCore
import Foundation

/// Calls of StoreKit's members while no session is set up, so that no answers of a test apply to them.
package enum CallsOutsideSessions {
    private struct State: Sendable {
        var isAnnounced = false
        var observer: (@Sendable () -> Void)?
    }

    private static let state = Lock(State())

    /// Sets what every such call runs.
    ///
    /// - Parameter observer: replaces the one before.
    package static func observe(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Writes the first call of the process to standard error, and tells the observer of each.
    static func announce() {
        let (isFirst, observer) = state.withLock { state in
            defer { state.isAnnounced = true }
            return (!state.isAnnounced, state.observer)
        }
        if isFirst {
            let remark = PendingDiagnostic.sessionNotSetUp
            let line = "StoreKit: \(remark.id): \(remark.message). \(remark.hint ?? "")\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
        observer?()
    }
}
