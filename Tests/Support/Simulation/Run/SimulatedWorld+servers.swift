import ExternalPurchaseCore
import LedgerTesting
import Logging
import Reporting

// A second server on the same ledger, which takes over what the first one leaves.
extension SimulatedWorld {
    func startOther() {
        // This process does not end.
        let life = ProcessLife()
        let apps = transports.enumerated().map { app, transport in
            Reporting.RegisteredApp(
                bundleId: Self.bundleId(app),
                appAppleId: Self.appAppleId(app),
                environments: [.sandbox, .production],
                client: transport,
                history: inbox.map { _ in CrashingHistory(transport, life: life) }
            )
        }
        let server = ReportingSystem(
            store: ledger,
            apps: apps,
            settings: processSettings,
            verifier: verifier,
            isShared: true,
            dependencies: processDependencies,
            logger: Logger(label: "year") { _ in SwiftLogNoOpLogHandler() }
        )
        other = server
        guard inbox != nil else { return }
        otherHistoryReader = NotificationHistoryReader(
            system: server,
            dependencies: processDependencies,
            logger: Logger(label: "year") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Runs the second server.
    ///
    /// - Returns: the time of its next work by the merchant's clock.
    @discardableResult
    func runOther() async -> Timestamp? {
        guard let other else { return nil }
        await other.sender.tick()
        return await other.sender.runUntilIdle()
    }
}
