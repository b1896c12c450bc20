import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /keys`, `GET /keys/{keyId}` and `GET /keys/{keyId}/revoke`, the creation `POST /keys` and the
/// revocation `POST /keys/{keyId}/revoke`.
///
/// Only a signed-in person creates and revokes keys; the command line creates the first user.
struct KeyPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }
    private var now: Timestamp { dashboard.access.now() }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("keys", use: list)
        group.post("keys", use: create)
        group.get("keys/:keyId", use: one)
        group.get("keys/:keyId/revoke", use: confirmation)
        group.post("keys/:keyId/revoke", use: revoke)
    }

    private static let secret = HTMLTemplate(WebFiles.secretHTML)
    private static let action = HTMLTemplate(WebFiles.actionHTML)

    // MARK: The list

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let now = now
        let (stored, people) = (try await system.access.apiKeys(), try await system.access.users())
        let keys = TableView(
            caption: "API keys",
            columns: [
                Column("Key", .id), Column("Scope"), Column("App"), Column("Created", sorted: .descending),
                Column("End"), Column("State"),
            ],
            rows: stored.sorted { ($0.createdAt, $0.sequence) > ($1.createdAt, $1.sequence) }.map { key in
                [
                    .link(key.title, Self.path(of: key.keyId), sub: key.keyId.rawValue), .text(key.scope.rawValue),
                    .text(key.bundleId?.rawValue ?? "all"), .time(key.createdAt, sub: "by \(key.createdBy)"),
                    key.expiresAt.map { .time($0) } ?? .text("never"), Self.state(of: key, at: now),
                ]
            },
            empty: "There is no API key."
        )
        let users = TableView(
            caption: "Users",
            columns: [Column("Name"), Column("Role"), Column("Changed"), Column("State")],
            rows: people.map { user in
                [
                    .text(user.name),
                    user.isRemoved
                        ? .none
                        : .text(
                            user.role.rawValue,
                            sub: user.apps.map { $0.map(\.rawValue).sorted().joined(separator: ", ") }
                        ), .time(user.updatedAt),
                    user.isRemoved ? .chip("removed") : .chip("may sign in", .good),
                ]
            },
            empty: "There is no user. The command users set-password makes one."
        )
        let html = ListView(
            title: "Keys and users",
            lead: "Who may use the interface and who may sign in. The command line does the same for keys, and alone "
                + "for users: users set-password, users set-role, users remove.",
            content: CardView.html("API keys", keys.html, isTitled: true)
                + CardView.html("Create a key", creation(context), isTitled: true)
                + CardView.html("Users", users.html, isTitled: true)
        ).html
        return await dashboard.page("Keys and users", at: .keys, html, request, context)
    }

    private static func state(of key: StoredAPIKey, at now: Timestamp) -> Cell {
        switch key.state(at: now) {
        case .valid: .chip("valid", .good)
        case .expired: .chip("expired")
        case .revoked: .chip("revoked", sub: key.revocation.map { "by \($0.by)" })
        }
    }

    private static func path(of id: APIKeyId) -> String { PagePath.of("keys", id.rawValue) }

    // MARK: Creation

    /// The form for a new key; without a sign-in, the way to it.
    private func creation(_ context: ServerContext) -> String {
        guard context.session != nil else {
            return TableView(
                caption: "",
                columns: [],
                rows: [],
                empty: "Whoever creates or revokes a key signs in first. The command users set-password NAME makes a "
                    + "user; keys create works without one."
            ).html
        }
        return FormView(
            action: "/keys",
            csrf: dashboard.csrf(context),
            isInline: true,
            intro: "The key is shown once. The ledger stores its hash, from which nobody gets it back.",
            fields: [
                FormField(
                    name: "scope",
                    label: "Scope",
                    kind: .choice(KeyScope.allCases.map { ($0.rawValue, "\($0.rawValue): \($0.meaning)") }),
                    value: KeyScope.read.rawValue
                ),
                FormField(
                    name: "app",
                    label: "App",
                    kind: .choice([("", "All apps")] + system.apps.keys.sorted().map { ($0.rawValue, $0.rawValue) })
                ),
                FormField(
                    name: "name",
                    label: "Name",
                    limit: AuthorName.maximumLength,
                    isOptional: true,
                    hint: "Stands in the audit log for what the key does."
                ),
                FormField(
                    name: "expires",
                    label: "Ends",
                    kind: .text(placeholder: "2027-01-01"),
                    limit: 40,
                    isOptional: true,
                    hint: "At the start of that day in UTC; empty: never."
                ),
            ],
            buttons: [FormView.Button(label: "Create the key")]
        ).html
    }

    @Sendable private func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let session = try Self.session(of: context)
        let form = try await dashboard.form(request, context)
        guard let scope = form.text("scope").flatMap({ KeyScope.named($0) }) else {
            throw Problem.invalid("/scope", "is none of \(KeyScope.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let app = form.text("app")
        if let app, system.apps[BundleId(app)] == nil {
            let known = system.apps.keys.map(\.rawValue).sorted().joined(separator: ", ")
            throw Problem.invalid("/app", "is none of the apps registered here: \(known)")
        }
        let now = now
        let command = try KeyCommand(
            scope: scope,
            app: app,
            name: form.text("name"),
            expires: form.text("expires"),
            now: now
        )
        var generator = RandomBytes(source: dashboard.access.randomBytes)
        let new = try await system.access.insert(command.newKey(by: session.user.name, at: now, using: &generator))
        dashboard.newKeys.put(new, for: session, at: now)
        return .seeOther(Self.path(of: new.row.keyId) + "?done=\(Dashboard.Notice.created.rawValue)")
    }

    /// The session of a signed-in person.
    ///
    /// - Throws: ``Problem`` 403 while the pages need no sign-in.
    private static func session(of context: ServerContext) throws(Problem) -> DashboardSession {
        guard let session = context.session else { throw .personNeeded }
        return session
    }

    // MARK: One key

    private func key(_ context: ServerContext) async throws -> StoredAPIKey {
        let id = APIKeyId(try context.decodedParameter("keyId"))
        guard let key = try await system.access.apiKeys().first(where: { $0.keyId == id }) else {
            throw Problem.notFound("there is no key \(id.rawValue.quoted)")
        }
        return key
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let key = try await key(context)
        var cards: [RecordView.Card] = []
        // Only the page that a person looks at shows the text, and `HEAD` takes it from nobody.
        if request.method == .get, let session = context.session,
            let text = dashboard.newKeys.take(key.keyId, for: session, at: now)
        {
            let html = Self.secret.filled(with: [
                "text": .text(text), "prefix": .text("epk_\(key.scope.rawValue)_"),
                "note": "Keep it now: this page shows it once, and nobody can show it again.",
            ])
            cards.append(RecordView.Card(title: "The new key", body: html))
        }
        cards.append(RecordView.Card(title: "Facts", body: facts(of: key).html))
        if key.revocation == nil, context.session != nil {
            let html = Self.action.filled(with: [
                "text": "Ends the key for good. A page asks once more before that.", "style": "danger",
                "href": .text(Self.path(of: key.keyId) + "/revoke"), "label": "Revoke the key…",
            ])
            cards.append(RecordView.Card(title: "Revoke", body: html))
        }
        let html = RecordView(
            parent: Dashboard.Place.keys.link,
            title: "Key \(key.title)",
            id: key.keyId.rawValue,
            chips: Self.state(of: key, at: now).chips,
            cards: cards
        ).html
        return await dashboard.page("Key \(key.title)", at: .keys, html, request, context)
    }

    private func facts(of key: StoredAPIKey) -> FactsView {
        var facts: [(String, Cell)] = [
            ("Name", .text(key.name)), ("Scope", .text(key.scope.rawValue, sub: key.scope.meaning)),
            ("App", .text(key.bundleId?.rawValue ?? "all apps")),
            ("Created", .time(key.createdAt, seconds: true, sub: "by \(key.createdBy)")),
            (
                key.expiresAt.map { $0 <= now } == true ? "Ended" : "Ends",
                key.expiresAt.map { .time($0, seconds: true) } ?? .text("never")
            ),
        ]
        if let revocation = key.revocation {
            facts.append(("Revoked", .time(revocation.at, seconds: true, sub: "by \(revocation.by)")))
        }
        return FactsView(facts)
    }

    // MARK: Revocation

    @Sendable private func confirmation(_ request: Request, _ context: ServerContext) async throws -> Response {
        let key = try await key(context)
        let path = Self.path(of: key.keyId)
        guard key.revocation == nil else { return .seeOther(path) }
        _ = try Self.session(of: context)
        let now = now
        let isLast = try await system.access.apiKeys()
            .allSatisfy { $0.keyId == key.keyId || $0.state(at: now) != .valid }
        let form = FormView(
            action: path + "/revoke",
            csrf: dashboard.csrf(context),
            intro: "Programs that send this key are refused with 401 within 2 seconds. This cannot be undone."
                + (isLast
                    ? " It is the last valid key: afterwards no program has access until another is created." : ""),
            buttons: [FormView.Button(label: "Revoke the key", style: "danger")]
        )
        let html = RecordView(
            parent: PageLink("Back to the key, which stays valid", path),
            title: "Revoke the key \(key.title)",
            id: key.keyId.rawValue,
            chips: Self.state(of: key, at: now).chips,
            cards: [
                RecordView.Card(title: "Facts", body: facts(of: key).html),
                RecordView.Card(title: "Revoke for good?", tone: .bad, body: form.html),
            ]
        ).html
        return await dashboard.page("Revoke \(key.title)", at: .keys, html, request, context)
    }

    @Sendable private func revoke(_ request: Request, _ context: ServerContext) async throws -> Response {
        let session = try Self.session(of: context)
        let id = APIKeyId(try context.decodedParameter("keyId"))
        _ = try await dashboard.form(request, context)
        let key = try await system.access.revoke(id, by: session.user.name, at: now)
        return .seeOther(Self.path(of: key.keyId) + "?done=\(Dashboard.Notice.revoked.rawValue)")
    }
}

/// Random numbers from a source of random bytes.
private struct RandomBytes: RandomNumberGenerator {
    let source: @Sendable (_ count: Int) -> [UInt8]

    mutating func next() -> UInt64 { source(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension StoredAPIKey {
    /// The name of the key, or its scope.
    fileprivate var title: String { name.flatMap { $0.isEmpty ? nil : $0 } ?? "of scope \(scope.rawValue)" }
}

extension KeyScope {
    /// What a key of the scope may do, in a few words.
    fileprivate var meaning: String {
        switch self {
        case .admin: "everything"
        case .read: "every GET"
        case .sales: "tokens and sales"
        case .intake: "tokens"
        case .publishable: "only POST /v1/tokens and GET /v1/policy, for keys inside an app"
        }
    }
}

extension Problem {
    /// The 403 response: only a signed-in person may do this.
    fileprivate static let personNeeded = Problem(
        .forbidden,
        kind: "sign-in-needed",
        title: "A sign-in is needed",
        detail: "keys are created and revoked by a signed-in person; users set-password NAME makes the first user"
    )
}
