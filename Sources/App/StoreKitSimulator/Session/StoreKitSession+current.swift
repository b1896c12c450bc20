import ExternalPurchaseCore

/// `StoreKitSession.bootstrap` was called a second time.
public struct SessionAlreadySetUp: Error, CustomStringConvertible {
    /// What is wrong, with a remedy.
    public var description: String {
        "The process-wide session was set up before. Call bootstrap once, at launch; bind other sessions with run."
    }
}

extension StoreKitSession {
    @TaskLocal private static var bound: StoreKitSession?

    private struct ProcessWide: Sendable {
        var session = StoreKitSession()
        var isSetUp = false
    }

    private static let processWide = Lock(ProcessWide())

    /// The session that the static members use: the session of the current task, or the process-wide one (SK-14).
    ///
    /// Detached tasks and Dispatch callbacks inherit no session. They use the process-wide one, which records
    /// `session-not-set-up` unless ``bootstrap(_:)`` was called. The first such use of the process is also a line on
    /// standard error.
    public static var current: StoreKitSession {
        if let bound { return bound }
        let (session, isSetUp) = processWide.withLock { ($0.session, $0.isSetUp) }
        if !isSetUp {
            session.record(.sessionNotSetUp)
            CallsOutsideSessions.announce()
        }
        return session
    }

    /// The session that the current task or the process has set up; nil if there is none.
    package static var ifSetUp: StoreKitSession? {
        bound ?? processWide.withLock { $0.isSetUp ? $0.session : nil }
    }

    /// Replaces the process-wide session.
    ///
    /// Call it once, at launch.
    ///
    /// - Parameter session: the session that the static members use outside `run` and `withValue`.
    /// - Throws: ``SessionAlreadySetUp`` at the second call.
    public static func bootstrap(_ session: StoreKitSession) throws(SessionAlreadySetUp) {
        let isFirst = processWide.withLock { processWide in
            guard !processWide.isSetUp else { return false }
            processWide = ProcessWide(session: session, isSetUp: true)
            return true
        }
        if !isFirst { throw SessionAlreadySetUp() }
    }

    /// Binds a session to the task while an operation runs.
    ///
    /// Flows that the operation starts may outlive it.
    ///
    /// - Parameters:
    ///   - session: the session that the static members use.
    ///   - isolation: the actor that the operation stays on.
    ///   - operation: the code that uses StoreKit.
    public static func withValue<Result>(
        _ session: StoreKitSession,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $bound.withValue(session, operation: operation, isolation: isolation)
    }

    /// Binds the session to the task while an operation runs, then waits for the flows that it started.
    ///
    /// - Parameters:
    ///   - isolation: the actor that the operation stays on.
    ///   - operation: the code that uses StoreKit.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        do {
            let result = try await Self.withValue(self, isolation: isolation, operation: operation)
            await settle()
            return result
        } catch {
            await settle()
            throw error
        }
    }
}
