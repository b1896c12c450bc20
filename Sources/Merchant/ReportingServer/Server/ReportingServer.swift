package import HTTPSupport
import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
package import Reporting
package import ServiceLifecycle

/// The HTTP server of a reporting system: its paths, the dashboard, and the sender of reports as services.
///
/// ```swift
/// let server = ReportingServer(system: system, links: [:])
/// let services = server.services(host: "127.0.0.1", port: 8800, logger: logger) { ports in
///     print("listens at port \(ports.main)")
/// }
/// try await ServiceGroup(services: services, logger: logger).run()
/// ```
package struct ReportingServer: Sendable {
    typealias Context = ServerContext

    let system: ReportingSystem
    /// The links of `/out/{link}` by name.
    let links: [String: LandingLink]
    /// The proxies whose `X-Forwarded-…` fields are trusted.
    let trustedProxies: TrustedProxies
    /// The connections of the server.
    package let listeners = ServerListeners()
    /// The durations of requests through all listeners.
    private let durations = RequestDurations()
    /// Counts the visits through all listeners.
    private let limiter: RateLimiter
    private let dashboard: DashboardAccess?
    private let signIn: SignInSettings
    private let access: AccessSettings
    private let bodyLimits: BodyLimits
    private let isSecure: Bool
    private let clock: AccessClock

    /// Creates a server for a reporting system.
    ///
    /// - Parameters:
    ///   - system: the reporting system.
    ///   - links: the landing links by name.
    ///   - trustedProxies: the proxies whose `X-Forwarded-…` fields are trusted.
    ///   - access: the settings of API keys.
    ///   - bodyLimits: the largest sizes of bodies.
    ///   - isSecure: true if the connections of the server use TLS.
    ///   - clock: the clocks of API keys.
    ///   - dashboard: who may use the dashboard; nil means the users of the ledger.
    ///   - signIn: the ways to sign in beside the passwords of users.
    package init(
        system: ReportingSystem,
        links: [String: LandingLink],
        trustedProxies: TrustedProxies = TrustedProxies(),
        access: AccessSettings = AccessSettings(),
        bodyLimits: BodyLimits = BodyLimits(),
        isSecure: Bool = false,
        clock: AccessClock = .live,
        dashboard: DashboardAccess? = nil,
        signIn: SignInSettings = SignInSettings()
    ) {
        self.access = access
        self.signIn = signIn
        self.bodyLimits = bodyLimits
        self.isSecure = isSecure
        self.clock = clock
        self.system = system
        self.links = links
        self.trustedProxies = trustedProxies
        limiter = RateLimiter(perMinute: system.settings.landing.visitsPerMinute)
        self.dashboard = dashboard
    }

    /// Creates the router with all paths of the server.
    func router() -> Router<Context> {
        let router = Router(context: Context.self, options: [.autoGenerateHeadEndpoints])
        let ring = KeyRing(system.access, elapsed: clock.elapsed, logger: system.logger)
        router.add(middleware: TransportSecurity(isDirect: isSecure, trustedProxies: trustedProxies))
        addObservers(to: router)
        router.add(middleware: ProblemMiddleware())
        router.add(
            middleware: Authorization(
                ring: ring,
                settings: access,
                clock: clock,
                trustedProxies: trustedProxies
            )
        )
        router.add(middleware: KnownQueryParameters())
        addPublicRoutes(to: router)
        HealthRoutes(system: system, listeners: listeners).addReadiness(to: router, ring, clock)
        let group = router.group("v1")
        TokenRoutes(system: system).add(to: group)
        SaleRoutes(system: system).add(to: group)
        BatchRoutes(system: system).add(to: group)
        ReportRoutes(system: system).add(to: group)
        CorrectionRoutes(system: system).add(to: group)
        NotificationRoutes(system: system).add(to: group)
        PaymentEventRoutes(system: system).add(to: group)
        DueRoutes(system: system).add(to: group)
        PolicyRoute(system: system).add(to: group)
        ExportRoutes(system: system).add(to: group)
        InvoiceRoutes(system: system).add(to: group)
        ErasureRoutes(system: system).add(to: group)
        ReviewRoutes(system: system).add(to: group)
        AuditRoutes(system: system).add(to: group)
        ChangeRoutes(system: system).add(to: group)
        DeliveryRoutes(system: system).add(to: group)
        MetricsRoutes(system: system, durations: durations, listeners: listeners).add(to: router.group())
        DescriptionRoute().add(to: router.group())
        let people = dashboard ?? DashboardAccess(system.access, clock: clock)
        Dashboard(system: system, access: people, trustedProxies: trustedProxies, signIn: signIn).add(
            to: router.group()
        )
        return router
    }

    /// Creates the router of the public listener, which has only the paths that anybody may reach.
    ///
    /// Other methods of these paths are 404 as well, so that a wrong rule of a proxy cannot expose anything.
    func publicRouter() -> Router<Context> {
        let router = Router(context: Context.self, options: [.autoGenerateHeadEndpoints])
        addObservers(to: router)
        router.add(middleware: ProblemMiddleware(answersOtherMethods: false))
        addPublicRoutes(to: router)
        return router
    }

    /// Adds what sees every request: ids, log, figures, and the metrics and traces of a program that embeds the server.
    ///
    /// The last ones write to the backends of `MetricsSystem` and `InstrumentationSystem`, which do nothing by default.
    private func addObservers(to router: Router<Context>) {
        router.add(middleware: RequestIdMiddleware(trustedProxies: trustedProxies))
        router.add(middleware: RequestRecordMiddleware(durations: durations))
        router.add(middleware: MetricsMiddleware())
        router.add(middleware: RequestTracing())
        router.add(middleware: BodyLimitsMiddleware(limits: bodyLimits))
        router.add(middleware: ClientPresenceMiddleware())
    }

    /// Adds the paths that need no key: their requests are signed, or change nothing that matters.
    private func addPublicRoutes(to router: Router<Context>) {
        HealthRoutes(system: system, listeners: listeners).addLiveness(to: router)
        LandingRoute(system: system, links: links, trustedProxies: trustedProxies, limiter: limiter).add(to: router)
        NotificationRoutes(system: system).addDelivery(to: router)
        PaymentEventRoutes(system: system).addDelivery(to: router)
    }

    /// Returns the server and the report sender as services, which start and stop together.
    ///
    /// - Parameters:
    ///   - host: the address to bind; while there are no API keys, a loopback address.
    ///   - port: the port; 0 selects a free one.
    ///   - publicListener: the address of a second listener with the paths of ``publicRouter()``; nil for none.
    ///   - tls: certificate and key of HTTPS; nil serves plain HTTP.
    ///   - limits: the timeouts and the largest number of connections, of each listener.
    ///   - alongside: further services, which start when the ports are bound.
    ///   - logger: receives messages for the operator.
    ///   - onRunning: called with the bound ports when the server accepts requests.
    package func services(
        host: String,
        port: Int,
        publicListener: PublicListener? = nil,
        tls: ServerTLS? = nil,
        limits: HTTPLimits = HTTPLimits(),
        alongside: [any Service] = [],
        logger: Logger,
        onRunning: @escaping @Sendable (BoundPorts) async -> Void
    ) -> [any Service] {
        let waiting = ([system.sender] + alongside).map { AfterBinding($0) }
        let binding = Binding(hasPublicPort: publicListener != nil) { ports in
            for service in waiting { service.bound() }
            await onRunning(ports)
        }
        func application(
            _ router: Router<Context>,
            host: String,
            port: Int,
            onBound: @escaping @Sendable (Int) async -> Void
        ) -> Application<RouterResponder<Context>> {
            let connections = ConnectionGuard(limits, trustedProxies: trustedProxies, logger: logger)
            listeners.add(connections)
            return Application(
                router: router,
                server: connections.server(tls: tls),
                configuration: connections.configuration(host: host, port: port),
                onServerRunning: { channel in await onBound(channel.localAddress?.port ?? port) },
                logger: logger
            )
        }
        var applications: [any Service] = [
            application(router(), host: host, port: port) { await binding.bound(main: $0) }
        ]
        if let publicListener {
            let application = application(publicRouter(), host: publicListener.host, port: publicListener.port) {
                await binding.bound(public: $0)
            }
            applications.append(PublicListenerService(application: application))
        }
        return waiting + applications
    }
}
