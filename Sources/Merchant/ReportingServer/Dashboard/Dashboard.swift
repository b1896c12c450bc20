import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import NIOCore
import Reporting

/// The pages of the server for people, below `/`.
///
/// Every page is complete without JavaScript. Data comes from the use cases that `/v1` has, and so do all changes.
final class Dashboard: Sendable {
    private let all: ReportingSystem
    /// The system as the signed-in user sees it: of some apps only, if the user is limited to them.
    var system: ReportingSystem {
        let seen = AppLimit.apps.map { all.limited(to: $0) } ?? all
        return AppLimit.hidesAccess ? seen.withoutAccess() : seen
    }
    let access: DashboardAccess
    let sessions = SessionStore()
    let limiter = SignInLimiter()
    let newKeys = NewKeyTexts()
    let assets = DashboardAssets()
    let months: MonthFigures
    let checks = PasswordChecks()
    let signIn: SignInSettings
    private let trustedProxies: TrustedProxies
    let signInForms: SignInForms
    let proxyForms: ProxyForms
    let provider: OpenIDProvider?
    let flows: OpenIDFlows
    private let openToken: String

    init(
        system: ReportingSystem,
        access: DashboardAccess,
        trustedProxies: TrustedProxies,
        signIn: SignInSettings = SignInSettings()
    ) {
        all = system
        self.access = access
        self.signIn = signIn
        self.trustedProxies = trustedProxies
        months = MonthFigures(system: system)
        signInForms = SignInForms(secret: access.randomBytes(32))
        provider = signIn.provider.map { OpenIDProvider($0.settings, transport: $0.transport) }
        flows = OpenIDFlows(secret: access.randomBytes(32))
        proxyForms = ProxyForms(secret: access.randomBytes(32))
        openToken = access.randomBytes(32).hexadecimal
    }

    /// Adds all pages.
    func add(to outer: RouterGroup<ServerContext>) {
        let group = outer.group().add(middleware: DashboardMiddleware(dashboard: self))
        assets.add(to: group)
        SignInRoutes(dashboard: self).add(to: group)
        let pages = group.group().add(middleware: SignInMiddleware(dashboard: self))
        HomePage(dashboard: self).add(to: pages)
        DuePage(dashboard: self).add(to: pages)
        ReviewPages(dashboard: self).add(to: pages)
        TokenPages(dashboard: self).add(to: pages)
        SalePages(dashboard: self).add(to: pages)
        ReportPages(dashboard: self).add(to: pages)
        NotificationPages(dashboard: self).add(to: pages)
        PaymentEventPages(dashboard: self).add(to: pages)
        CorrectionPages(dashboard: self).add(to: pages)
        ExportPages(dashboard: self).add(to: pages)
        InvoicePages(dashboard: self).add(to: pages)
        DeliveryPages(dashboard: self).add(to: pages)
        AuditPages(dashboard: self).add(to: pages)
        KeyPages(dashboard: self).add(to: pages)
        SettingsPage(dashboard: self).add(to: pages)
        RunbookPages(dashboard: self).add(to: pages)
        SearchPage(dashboard: self).add(to: pages)
    }

    // MARK: Sessions

    /// Whether pages need a sign-in.
    func isSignInNeeded() async throws -> Bool {
        if signIn.isConfigured { return true }
        return try await access.isSignInNeeded()
    }

    /// Returns the session of a request with the user as the ledger has it now; nil without one, and after the user's
    /// password changed.
    ///
    /// Whom a trusted proxy names is the user, whatever cookie the browser has.
    ///
    /// - Throws: ``SignInRefusal`` if the proxy names nobody who is a user.
    func session(of request: Request, _ context: ServerContext) async throws -> DashboardSession? {
        if let session = try await proxySession(of: request, context) { return session }
        guard let id = request.cookies[cookies(context).sessionName]?.value,
            var session = sessions.session(id, at: access.now())
        else { return nil }
        // Nobody here knows whom the provider vouched for.
        if session.way == .provider { return session }
        guard let user = try await access.present(session.user.name), user.credential == session.user.credential else {
            sessions.end(id)
            return nil
        }
        session.user = user
        return session
    }

    /// The role of the request's user; an administrator's while the pages need no sign-in.
    func role(_ context: ServerContext) -> UserRole { context.session?.user.role ?? .admin }

    /// Whether the request's user may use a page or form, named as ``Endpoint/pages`` has it.
    func allows(_ method: HTTPRequest.Method, _ path: String, _ context: ServerContext) -> Bool {
        role(context) >= Endpoint.role(method, path)
    }

    /// The cookies of the browser that sent a request.
    ///
    /// Behind TLS they have other names, so that a cookie that was set without TLS signs nobody in there.
    func cookies(_ context: ServerContext) -> DashboardCookies { DashboardCookies(isSecure: context.isSecure) }

    /// The token that forms of a page carry.
    func csrf(_ context: ServerContext) -> String { context.session?.csrf ?? openToken }

    /// Creates a form of the sign-in.
    func signInForm() -> (cookie: String, token: String) {
        signInForms.form(access.randomBytes(32), at: access.now())
    }

    /// Reads a form and checks the token against forged requests.
    ///
    /// - Throws: ``Problem`` 403 for a token of another session.
    func form(_ request: Request, _ context: ServerContext) async throws -> FormBody {
        let form = try await FormBody(request, upTo: context.bodyLimits.form)
        guard form["csrf"]?.isEqualInConstantTime(to: csrf(context)) == true else { throw Problem.forgedForm }
        return form
    }

    /// Returns the name under which a change is stored: the signed-in user, or the name that the form gives.
    func author(_ form: FormBody, _ context: ServerContext) -> String? { context.caller.author ?? form.text("by") }

    /// The field for the name of the person, which only a dashboard without sign-in needs.
    func authorField(_ context: ServerContext) -> [FormField] {
        context.session == nil ? [FormField(name: "by", label: "Your name", limit: 128)] : []
    }

    /// Whether the request comes over a connection of a trusted proxy.
    func isFromTrustedProxy(_ context: ServerContext) -> Bool {
        trustedProxies.contains(IPAddress(context.remoteAddress))
    }

    func address(of request: Request, _ context: ServerContext) -> String {
        ClientAddress.of(request, peer: context.remoteAddress, trusting: trustedProxies)
    }

    // MARK: Pages

    /// The entries of the menu.
    enum Place: String, CaseIterable {
        case home = "/"
        case due = "/due"
        case review = "/review"
        case tokens = "/tokens"
        case sales = "/sales"
        case reports = "/reports"
        case notifications = "/notifications"
        case events = "/events"
        case corrections = "/corrections"
        case exports = "/exports"
        case invoices = "/invoices"
        case deliveries = "/deliveries"
        case audit = "/audit"
        case keys = "/keys"
        case settings = "/settings"
        case runbooks = "/runbooks"

        var label: String {
            switch self {
            case .home: "Overview"
            case .due: "Due"
            case .review: "Review"
            case .tokens: "Tokens"
            case .sales: "Sales"
            case .reports: "Reports"
            case .notifications: "Notifications"
            case .events: "Payment events"
            case .corrections: "Corrections"
            case .exports: "Month exports"
            case .invoices: "Invoices"
            case .deliveries: "Deliveries"
            case .audit: "Audit log"
            case .keys: "Keys and users"
            case .settings: "Settings"
            case .runbooks: "Runbooks"
            }
        }

        var link: PageLink { PageLink(label, rawValue) }

        static let groups: [(name: String, places: [Place])] = [
            ("Work", [.home, .due, .review]), ("Records", [.tokens, .sales, .reports, .notifications, .events]),
            ("Finance", [.corrections, .exports, .invoices]),
            ("Server", [.deliveries, .audit, .keys, .settings, .runbooks]),
        ]
    }

    private static let layout = HTMLTemplate(WebFiles.layoutHTML)

    /// Returns a page with menu, search and the notice of a change that was just made.
    func page(
        _ title: String,
        at place: Place?,
        _ content: String,
        _ request: Request,
        _ context: ServerContext,
        status: HTTPResponse.Status = .ok,
        query: String = ""
    ) async -> Response {
        let open = await openReviewItems()
        let notice =
            request.method == .get ? request.uri.queryParameters["done"].flatMap { Notice.named($0) } : nil
        let groups: [HTMLTemplate.Values] = Place.groups.map { name, places in
            [
                "name": .text(name),
                "pages": .list(
                    places.filter { allows(.get, $0.rawValue, context) }.map { entry in
                        let badge: [HTMLTemplate.Values] =
                            entry == .review && open > 0
                            ? [
                                [
                                    "count": .text(Shown.number(open)),
                                    "meaning": .text(open == 1 ? "item waits" : "items wait"),
                                ]
                            ]
                            : []
                        return [
                            "href": .text(entry.rawValue), "label": .text(entry.label),
                            "isCurrent": .condition(entry == place), "badge": .list(badge),
                        ]
                    }
                ),
            ]
        }
        let html = Self.layout.filled(with: [
            "title": .text(Shown.text(title)), "icon": .text(assets.icon), "style": .text(assets.style),
            "script": .text(assets.script), "query": .text(query),
            "user": .list(
                context.session.map {
                    [
                        [
                            "name": .text(Shown.text($0.user.name)), "role": .text($0.user.role.rawValue),
                            "csrf": .text($0.csrf), "signsOut": .condition($0.way != .proxy),
                        ]
                    ]
                } ?? []
            ),
            "isOpen": .condition(context.session == nil), "groups": .list(groups),
            "notices": .list(notice.map { [["tone": "good", "text": .text($0.text)]] } ?? []),
            "content": .markup(content),
            "clock": .text("The server's clock: \(Shown.time(system.now, seconds: true))."),
        ])
        return Response(html: html, status: status)
    }

    private static let lone = HTMLTemplate(WebFiles.loneHTML)

    /// Returns a page without menu, for those who are not signed in.
    ///
    /// - Parameters:
    ///   - title: the title of the page.
    ///   - referrer: the referrer policy of the page.
    func lonePage(_ content: String, title: String = "Sign in", referrer: String = "same-origin") -> String {
        Self.lone.filled(with: [
            "title": .text(title),
            "icon": .text(assets.icon), "style": .text(assets.style), "referrer": .text(referrer),
            "content": .markup(content),
        ])
    }

    /// What a form did, for the page that follows it.
    enum Notice: String {
        case closed
        case retried
        case accepted
        case voided
        case waiting
        case planned
        case confirmed
        case submitted
        case withdrawn
        case entered
        case created
        case revoked
        case applied
        case dismissed
        case renewed
        case redelivered

        var text: String {
            switch self {
            case .closed: "The item is closed."
            case .accepted: "It counts as accepted by Apple."
            case .retried: "The decision is carried out."
            case .voided: "The sale is void; nothing of it is reported."
            case .waiting: "The change waits for Apple's answer to the report that is on its way."
            case .planned: "Nothing is sent yet. Compare, then confirm."
            case .confirmed: "The correction is confirmed; its reports are on their way."
            case .submitted: "The submission is recorded."
            case .withdrawn: "The submission is withdrawn."
            case .entered: "The invoice is entered."
            case .created: "The key is created; the server accepts it within 2 seconds."
            case .revoked: "The key is revoked; the server refuses it within 2 seconds."
            case .applied: "The event was applied again; this is what came of it."
            case .dismissed: "The event is set aside; it counts nowhere."
            case .redelivered: "The event is sent again."
            case .renewed: "What Apple accepted or the time changed: this is the new difference. Nothing is sent yet."
            }
        }
    }

    private func openReviewItems() async -> Int {
        ((try? await system.counts())?.review.values.reduce(0, +)) ?? 0
    }
}

extension Response {
    init(html: String, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }

    /// A response that leads to another path by `GET`, so that a reload repeats no change.
    static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }
}

extension Problem {
    /// The 403 response: a form has no token, or that of another session.
    static let forgedForm = Problem(
        .forbidden,
        kind: "forged-form",
        title: "The form was not accepted",
        detail: "it is too old, or it comes from another site; nothing was changed. Open the page again and repeat it"
    )
}

extension Problem {
    /// Creates a 403 response: the user has another role.
    init(missing needed: UserRole, of role: UserRole, for action: String) {
        let roles = UserRole.allCases.filter { $0 >= needed }.map(\.rawValue)
        self.init(
            .forbidden,
            kind: "role",
            title: "Your role does not allow this",
            detail: "\(action) needs the role \(roles.joined(separator: " or ")); yours is \(role.rawValue)"
        )
    }
}
