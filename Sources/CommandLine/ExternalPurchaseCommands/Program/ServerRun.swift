import CommandSupport
import Foundation
import HTTPSupport
import Logging
import NIOCore
import ReportingServer
import ServiceLifecycle

/// Runs servers until SIGINT or SIGTERM; both end the process with exit code 0.
enum ServerRun {
    /// Runs services until a signal, or until one of them ends.
    ///
    /// - Parameters:
    ///   - deadline: the time after the first signal in which connections end. The process ends at most
    ///     ``Interruption/grace`` later, with exit code 3 if something still runs; a second signal ends it at once.
    ///   - drain: runs after the first signal, before the services are asked to end.
    /// - Throws: ``CommandFailure`` when the port is not available; otherwise the error of a service.
    static func untilInterrupted(
        _ services: [any Service],
        logger: Logger,
        host: String,
        port: Int,
        deadline: @escaping @Sendable () -> Duration = { HTTPLimits().shutdown },
        drain: @escaping @Sendable () async -> Void = {}
    ) async throws {
        // A client that disconnects during a response must not end the process.
        signal(SIGPIPE, SIG_IGN)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: $0,
                        successTerminationBehavior: .gracefullyShutdownGroup,
                        // A port that is taken ends the other listener in order, so that the log has no errors of it.
                        failureTerminationBehavior: $0 is PublicListenerService
                            ? .gracefullyShutdownGroup : .cancelGroup
                    )
                },
                logger: logger
            )
        )
        let interruption = Interruption(deadline: deadline) {
            Task {
                await drain()
                await group.triggerGracefulShutdown()
            }
        }
        await interruption.begin()
        defer { interruption.end() }
        do {
            try await group.run()
        } catch {
            throw failure(error, host: host, port: port) ?? error
        }
    }

    /// The failure of a listener that cannot be bound; nil for another error.
    ///
    /// - Parameter prefix: the beginning of the options that name host and port.
    static func failure(
        _ error: any Error,
        host: String,
        port: Int,
        prefix: String = "--"
    ) -> CommandFailure? {
        switch error {
        case let error as IOError:
            .otherSide(networkFailure(error, host: host, port: port, prefix: prefix))
        case is SocketAddressError.UnknownHost:
            .input("\(prefix)host \(host): no such host; use an address of this machine, as 127.0.0.1")
        default: nil
        }
    }

    /// Prints a line of standard output for which scripts wait; the first one says `listening on`.
    static func announce(_ words: String = "listening on", host: String, port: Int, isSecure: Bool = false) {
        let shown = host.contains(":") ? "[\(host)]" : host
        StandardStreams.output("\(words) \(isSecure ? "https" : "http")://\(shown):\(port)")
    }

    /// Creates the logger of a server.
    ///
    /// - Parameter level: the lowest level without `--verbose` and `--quiet`.
    static func logger(
        _ label: String,
        _ options: GlobalOptions,
        level: Logger.Level = .warning,
        format: LogFormat = .text
    ) -> Logger {
        var logger = Logger.standardError(label, format)
        logger.logLevel = options.verbose ? .debug : options.quiet ? .error : level
        return logger
    }

    private static func networkFailure(_ error: IOError, host: String, port: Int, prefix: String) -> String {
        switch error.errnoCode {
        case EADDRINUSE:
            "port \(port) on \(host): the port is taken; choose another one with \(prefix)port, 0 takes a free one"
        case EACCES: "port \(port): may not be used by this user; choose one above 1023"
        case EADDRNOTAVAIL: "\(prefix)host \(host): is no address of this machine; choose one that is, as 127.0.0.1"
        default: "the server cannot listen: \(error)"
        }
    }
}
