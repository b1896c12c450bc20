package import HTTPSupport
import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
package import Reporting
package import ServiceLifecycle

/// The merchant's side over HTTP.
package struct ReportingServer: Sendable {
    package typealias Context = ServerContext

    package let system: ReportingSystem
    /// The links of `/out/{link}`.
    package let links: [String: LandingLink]
    /// Addresses of proxies whose `X-Forwarded-For` names the client.
    package let trustedProxies: Set<String>

    /// A server over the merchant's side.
    ///
    /// - Parameters:
    ///   - system: does the work.
    ///   - links: where each link leads.
    ///   - trustedProxies: addresses of proxies whose `X-Forwarded-For` names the client.
    package init(system: ReportingSystem, links: [String: LandingLink], trustedProxies: Set<String> = []) {
        self.system = system
        self.links = links
        self.trustedProxies = trustedProxies
    }

    /// An IP address as the server spells those of its peers; nil for a text that is none.
    package static func canonicalAddress(_ text: String) -> String? {
        (try? SocketAddress(ipAddress: text, port: 0))?.ipAddress
    }

    /// Every path of the server.
    package func router() -> Router<Context> {
        let router = Router(context: Context.self, options: [.autoGenerateHeadEndpoints])
        let methods = PathMethods()
        router.add(middleware: ProblemMiddleware(methods: methods))
        HealthRoutes(system: system).add(to: router)
        LandingRoute(
            system: system,
            links: links,
            trustedProxies: trustedProxies,
            limiter: VisitLimiter(perMinute: system.settings.landing.visitsPerMinute)
        ).add(to: router)
        let group = router.group("v1").add(middleware: LoopbackOnly()).add(middleware: KnownQueryParameters())
        TokenRoutes(system: system).add(to: group)
        SaleRoutes(system: system).add(to: group)
        ReportRoutes(system: system).add(to: group)
        CorrectionRoutes(system: system).add(to: group)
        NotificationRoutes(system: system).addDelivery(to: router)
        NotificationRoutes(system: system).add(to: group)
        DueRoutes(system: system).add(to: group)
        ExportRoutes(system: system).add(to: group)
        InvoiceRoutes(system: system).add(to: group)
        ErasureRoutes(system: system).add(to: group)
        ReviewRoutes(system: system).add(to: group)
        AuditRoutes(system: system).add(to: group)
        MetricsRoutes(system: system).add(to: router.group().add(middleware: LoopbackOnly()))
        methods.note(router)
        return router
    }

    /// The server as a service together with the sender of reports: one starts and ends with the other.
    ///
    /// - Parameters:
    ///   - host: a loopback address while no API keys exist.
    ///   - port: 0 takes a free one.
    ///   - limits: how long clients are waited for, and how many there may be.
    ///   - alongside: what else begins once the port is taken.
    ///   - logger: for the operator.
    ///   - onRunning: is told the bound port once the server answers.
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
