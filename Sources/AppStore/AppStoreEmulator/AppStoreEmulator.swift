package import HTTPSupport
public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle

/// An emulator of Apple's side of external purchases: it accepts reports, knows apps and tokens, and holds its state in
/// memory.
///
/// It serves Apple's report endpoint under Apple's own paths, and its control paths under `/emulator/v1`. One emulator
/// serves production and sandbox unless ``EmulatorConfiguration/environment`` restricts it to one (SA-91).
///
/// As a `Service` it runs in a service group and shuts down gracefully with it.
///
/// ```swift
/// let emulator = try AppStoreEmulator(
///     EmulatorConfiguration(apps: [AppRegistration(bundleId: "com.example.shop", appAppleId: 1_234_567_890)])
/// ) { address in print("listens at \(address.baseURL)") }
/// try await emulator.run()
/// ```
public struct AppStoreEmulator: Service {
    /// The address of an emulator whose port is open.
    public struct Address: Hashable, Sendable {
        /// The host as configured.
        public let host: String
        /// The bound port.
        ///
        /// It differs from the configured one when that is 0.
        public let port: Int
        /// True when the emulator serves HTTPS.
        public let isSecure: Bool

        /// The address as a base URL, `http://127.0.0.1:8801`.
        public var baseURL: String {
            let scheme = isSecure ? "https" : "http"
            return host.utf8.contains(UInt8(ascii: ":"))
                ? "\(scheme)://[\(host)]:\(port)" : "\(scheme)://\(host):\(port)"
        }
    }

    private let configuration: EmulatorConfiguration
    private let logger: Logger
    private let onServerRunning: @Sendable (Address) async -> Void
    let state: EmulatorState
    let dependencies: EmulatorDependencies
    private let server: HTTPServerBuilder
    /// The connections of the server, with the limits of the settings `http.*`.
    package let connections: ConnectionGuard

    /// Creates an emulator.
    ///
    /// It does not listen until ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: the address and the initial state.
    ///   - dependencies: the machine's clock and randomness.
    ///   - logger: receives the messages of the HTTP server. Requests are recorded in the journal, not in the log.
    ///   - onServerRunning: called once with the bound address, before the first request is answered.
    /// - Throws: ``EmulatorInputError`` when an app of the configuration cannot be registered or a file cannot be used.
    public init(
        _ configuration: EmulatorConfiguration = EmulatorConfiguration(),
        dependencies: EmulatorDependencies = .live,
        logger: Logger = Logger(label: "external-purchase.emulator"),
        onServerRunning: @escaping @Sendable (Address) async -> Void = { _ in }
    ) throws(EmulatorInputError) {
        self.configuration = configuration
        self.dependencies = dependencies
        self.logger = logger
        self.onServerRunning = onServerRunning
        connections = ConnectionGuard(configuration.settings.http, logger: logger)
        server = connections.server(tls: try configuration.tls?.read())
        state = try EmulatorState(configuration: configuration, dependencies: dependencies, connections: connections)
    }

    /// The registered apps with the credentials for their API calls, in the order of their registration.
    public var apps: [RegisteredApp] {
        get async { await state.registeredApps }
    }

    /// Registers or changes an app, as `PUT /emulator/v1/apps/{bundleId}` does.
    ///
    /// - Parameter app: the app. Members that are nil keep their values or get generated ones.
    /// - Returns: the app with its credentials, which are the same at every call.
    /// - Throws: ``EmulatorInputError`` for a key that is not a P-256 key or an app id that is not positive.
    @discardableResult
    public func register(_ app: AppRegistration) async throws(EmulatorInputError) -> RegisteredApp {
        try await state.register(app)
    }

    /// The emulator as a Hummingbird application, for a test framework or another server.
    public func application() -> some ApplicationProtocol {
        let (host, isSecure) = (configuration.host, configuration.tls != nil)
        var application = Application(
            responder: responder,
            server: server,
            configuration: connections.configuration(host: host, port: configuration.port),
            onServerRunning: { [onServerRunning] channel in
                await onServerRunning(Address(host: host, port: channel.localAddress?.port ?? 0, isSecure: isSecure))
            },
            logger: logger
        )
        application.addServices(EventQueueService(state: state))
        return application
    }

    /// The responder for requests over the network or in the same process.
    var responder: EmulatorResponder {
        EmulatorResponder(
            state: state,
            endpoint: ReportEndpoint(state: state, dependencies: dependencies),
            notifications: NotificationEndpoint(state: state),
            guardian: LoopbackGuard(host: configuration.host, allowed: configuration.allowedHosts)
        )
    }

    /// Listens and responds until the task is cancelled or its service group shuts down gracefully.
    ///
    /// - Throws: the network's error when the port is in use or the host is unknown.
    public func run() async throws {
        try await application().run()
    }
}
