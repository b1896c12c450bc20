package import HTTPSupport
import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
package import Reporting
package import ServiceLifecycle

/// The HTTP server of a reporting system.
package struct ReportingServer: Sendable {
    package typealias Context = ServerContext

    package let system: ReportingSystem
    /// The links of `/out/{link}` by name.
    package let links: [String: LandingLink]
    /// The addresses of proxies whose `X-Forwarded-For` is trusted.
    package let trustedProxies: Set<String>
    private let dashboard: DashboardAccess?
    private let access: AccessSettings
    private let clock: AccessClock

    /// Creates a server for a reporting system.
    ///
    /// - Parameters:
    ///   - system: the reporting system.
    ///   - links: the landing links by name.
    ///   - trustedProxies: the addresses of proxies whose `X-Forwarded-For` is trusted.
    ///   - access: the settings of API keys.
    ///   - clock: the clocks of API keys.
    ///   - dashboard: who may use the dashboard; nil means the users of the ledger.
    package init(
        system: ReportingSystem,
        links: [String: LandingLink],
        trustedProxies: Set<String> = [],
        access: AccessSettings = AccessSettings(),
        clock: AccessClock = .live,
        dashboard: DashboardAccess? = nil
    ) {
        self.access = access
        self.clock = clock
        self.system = system
        self.links = links
        self.trustedProxies = trustedProxies
        self.dashboard = dashboard
    }

    /// Returns an IP address in the spelling that the server uses for peers; nil if the text is no address.
    package static func canonicalAddress(_ text: String) -> String? {
        (try? SocketAddress(ipAddress: text, port: 0))?.ipAddress
    }

    /// Creates the router with all paths of the server.
    package func router() -> Router<Context> {
        let router = Router(context: Context.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: ProblemMiddleware())
        router.add(
            middleware: Authorization(
                ring: KeyRing(system.access, elapsed: clock.elapsed, logger: system.logger),
                settings: access,
                clock: clock,
                trustedProxies: trustedProxies
            )
        )
        router.add(middleware: KnownQueryParameters())
        HealthRoutes(system: system).add(to: router)
        LandingRoute(
            system: system,
            links: links,
            trustedProxies: trustedProxies,
            limiter: RateLimiter(perMinute: system.settings.landing.visitsPerMinute)
        ).add(to: router)
        let group = router.group("v1")
        TokenRoutes(system: system).add(to: group)
        SaleRoutes(system: system).add(to: group)
        ReportRoutes(system: system).add(to: group)
        CorrectionRoutes(system: system).add(to: group)
        NotificationRoutes(system: system).add(to: group)
        DueRoutes(system: system).add(to: group)
        ExportRoutes(system: system).add(to: group)
        InvoiceRoutes(system: system).add(to: group)
        ErasureRoutes(system: system).add(to: group)
        ReviewRoutes(system: system).add(to: group)
        AuditRoutes(system: system).add(to: group)
        MetricsRoutes(system: system).add(to: router.group())
        let people = dashboard ?? DashboardAccess(system.access, clock: clock)
        Dashboard(system: system, access: people, trustedProxies: trustedProxies).add(to: router.group())
        return router
    }

    /// Returns the server and the report sender as services, which start and stop together.
    ///
    /// - Parameters:
    ///   - host: the address to bind; while there are no API keys, a loopback address.
    ///   - port: the port; 0 selects a free one.
    ///   - limits: the timeouts and the largest number of connections.
    ///   - alongside: further services, which start when the port is bound.
    ///   - logger: receives messages for the operator.
    ///   - onRunning: called with the bound port when the server accepts requests.
    package func services(
        host: String,
        port: Int,
        limits: HTTPLimits = HTTPLimits(),
        alongside: [any Service] = [],
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) -> [any Service] {
        let waiting = ([system.sender] + alongside).map { AfterBinding($0) }
        let connections = ConnectionGuard(limits, logger: logger)
        let application = Application(
            router: router(),
            server: connections.server(),
            configuration: connections.configuration(host: host, port: port),
            onServerRunning: { channel in
                for service in waiting { service.bound() }
                await onRunning(channel.localAddress?.port ?? port)
            },
            logger: logger
        )
        return waiting + [application]
    }
}
