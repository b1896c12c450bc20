package import AppStoreNotifications
package import ExternalPurchaseCore
package import Ledger
package import Logging
import ReportPlanning
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The merchant's side without HTTP: what a server, a test or a program of one's own calls.
///
/// Every method that stores returns after the commit; a report goes out afterwards, through ``sender``.
package struct MerchantSide: Sendable {
    package let apps: [BundleId: RegisteredApp]
    /// Sends what is due; run it as a service beside the server.
    package let sender: ReportSender

    let store: DeadlineMaintainingStore
    private let intake: TokenIntake
    private let visitQuota: VisitQuota
    private let sales: SaleIntake
    private let corrections: CorrectionIntake
    private let notifications: NotificationIntake?
    let settings: ReportingSettings
    /// What is due, by the programmes of the apps.
    package let due: DeadlineCalculator
    private let spool: LandingSpool?
    let dependencies: ReportingDependencies
    private let pipeline: ReportPipeline
    private let scanner: DeadlineScanner
    private let alertCounts = AlertCounts()
    private let figures: ReportingMetrics
    private let readinessCheck: ReadinessCheck
    private let logger: Logger

    /// The merchant's side over a store.
    ///
    /// - Parameters:
    ///   - store: where everything is kept.
    ///   - apps: the merchant's apps, each bundle id once.
    ///   - settings: the settings.
    ///   - verifier: proves notifications genuine; nil takes none.
    ///   - spool: takes the visits that the store cannot take; nil carries them on in the redirect.
    ///   - surroundings: time, randomness and waiting.
    ///   - logger: for the operator.
    package init(
        store: any LedgerStore,
        apps: [RegisteredApp],
        settings: ReportingSettings = ReportingSettings(),
        verifier: (any NotificationVerifying)? = nil,
        spool: LandingSpool? = nil,
        dependencies: ReportingDependencies = .live,
        logger: Logger
    ) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }) { first, _ in first }
        self.spool = spool
        self.dependencies = dependencies
        self.settings = settings
        let rules = DueRules(
            catalog: settings.programmes,
            settings: settings.due,
            appProgrammes: self.apps.mapValues(\.programmes)
        )
        due = DeadlineCalculator(
            rules: rules,
            unrecognizedWait: settings.unrecognizedWait,
            classifier: HoldClassifier(tokenWait: settings.tokenWait)
        )
        let store = DeadlineMaintainingStore(store, calculator: due, dependencies: dependencies)
        self.store = store
        notifications = verifier.map { verifier in
            NotificationIntake(
                store: store,
                apps: Dictionary(apps.map { ($0.bundleId, $0) }) { first, _ in first },
                verifier: verifier,
                planner: MerchantPlanner(settings: settings, uuid: dependencies.uuid),
                dependencies: dependencies,
                logger: logger
            )
        }
        visitQuota = VisitQuota(settings.landing)
        intake = TokenIntake(
            store: store,
            apps: self.apps,
            settings: settings,
            dependencies: dependencies,
            visitQuota: visitQuota
        )
        sales = SaleIntake(store: store, apps: self.apps, settings: settings, dependencies: dependencies)
        corrections = CorrectionIntake(store: store, apps: self.apps, settings: settings, dependencies: dependencies)
        self.logger = logger
        pipeline = ReportPipeline(
            store: store,
            apps: self.apps,
            settings: settings,
            dependencies: dependencies,
            dueRules: rules,
            logger: logger
        )
        sender = ReportSender(
            pipeline: pipeline,
            intake: intake,
            spool: spool,
            dependencies: dependencies,
            logger: logger
        )
        scanner = DeadlineScanner(store: store, calculator: due, dependencies: dependencies)
        figures = ReportingMetrics(
            store: store,
            apps: self.apps,
            calculator: due,
            sender: sender,
            spool: spool,
            alerts: alertCounts,
            dependencies: dependencies
        )
        readinessCheck = ReadinessCheck(
            store: store,
            sender: sender,
            dependencies: dependencies,
            freeSpace: settings.readyFreeSpace,
            logger: logger
        )
    }

    /// What visits of the landing address may store.
    package var landing: LandingSettings { settings.landing }

    /// Takes the body of `POST /v1/tokens`.
    ///
    /// - Parameters:
    ///   - body: the parsed body.
    ///   - source: how it came; the authenticated channel of an app unless said otherwise.
    /// - Throws: ``RequestError/invalid(_:)`` for a wrong field, and at `/token` for a text that is kept aside.
    package func takeToken(
        body: JSONValue,
        source: TokenSource = .app
    ) async throws(RequestError) -> TokenReceipt {
        try await takeToken(try TokenArrival.read(body, source: source))
    }

    /// Takes a token.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` at `/token` for a text that is kept aside.
    package func takeToken(_ arrival: TokenArrival) async throws(RequestError) -> TokenReceipt {
        let taken: TokenIntake.Taken
        do {
            taken = try await intake.take(arrival)
        } catch {
            throw .notStored(error)
        }
        switch taken {
        case .stored(let receipt):
            tell(receipt.token)
            return receipt
        case .quarantined(let aside):
            throw .invalid([FieldError("/token", aside.detail)])
        }
    }

    /// Takes a visit to a landing address, TK-64 to TK-68; never fails, because the customer comes first.
    ///
    /// - Parameters:
    ///   - query: the raw query of the request.
    ///   - link: the name of the landing link, recorded with the token (OB-31); nil records no tap.
    package func takeVisit(query: String, link: String? = nil) async -> LandingOutcome {
        let visit = LandingVisit(query: query, checkoutId: newCheckoutId(), at: dependencies.now(), link: link)
        guard let arrival = visit.arrival else { return .withoutToken }
        // Anybody can write tokens that look genuine: above the quota a visit costs a line of a bounded file, not a row.
        if !visitQuota.admitsToken(at: visit.at), isOfAnApp(arrival) { return await spooled(visit, arrival) }
        do {
            switch try await intake.take(arrival, at: visit.at, through: link) {
            case .stored(let receipt):
                tell(receipt.token)
                return .recorded(receipt)
            case .quarantined:
                return .quarantined
            }
        } catch {
            return await spooled(visit, arrival)
        }
    }

    private func spooled(_ visit: LandingVisit, _ arrival: TokenArrival) async -> LandingOutcome {
        if let spool, await spool.append(visit) { return .spooled(visit.checkoutId) }
        return .carriedOn(token: arrival.text, bundleId: WebsiteURL.arrival(query: visit.query).bundleId)
    }

    /// True for a text that decodes to a token of one of the apps.
    private func isOfAnApp(_ arrival: TokenArrival) -> Bool {
        guard let token = try? ExternalPurchaseToken.decode(arrival.text).token else { return false }
        return apps[token.bundleId]?.appAppleId == token.appAppleId
    }

    /// A visit that is over the limit of its address: nothing is stored, and the shop gets what the query says.
    package func carryOn(query: String) -> LandingOutcome {
        let found = WebsiteURL.arrival(query: query)
        guard let token = found.token else { return .withoutToken }
        return .carriedOn(token: token, bundleId: found.bundleId)
    }

    /// Takes the body of `POST /v1/sales`.
    ///
    /// - Throws: ``RequestError``.
    package func takeSale(body: JSONValue) async throws(RequestError) -> SaleReceipt {
        let receipt = try await sales.take(body)
        if receipt.isNew { sender.wake(afterToken: receipt.tiesCheckout) }
        // Held sales may hang on what another one stopped saying.
        if receipt.isChanged { sender.wake(afterToken: true) }
        return receipt
    }

    /// Takes the body of `POST /v1/sales/{saleId}/void`.
    ///
    /// - Throws: ``RequestError``: ``RequestError/unknown(_:)`` for an unknown sale,
    ///   ``RequestError/needsCorrection(_:_:)`` for one that Apple accepted.
    package func voidSale(_ saleId: SaleId, body: JSONValue) async throws(RequestError) -> SaleReceipt {
        let receipt = try await sales.void(saleId, body)
        if receipt.isChanged { sender.wake(afterToken: true) }
        return receipt
    }

    /// Takes the body of `POST /v1/tokens/{externalPurchaseId}/customer`: whose the token is, as a person settled it.
    ///
    /// - Throws: ``RequestError``.
    package func settleCustomer(
        of token: ExternalPurchaseId,
        body: JSONValue
    ) async throws(RequestError) -> StoredToken {
        let settled = try await intake.settleCustomer(of: token, body)
        sender.wake(afterToken: true)
        return settled
    }

    /// Takes the body of `POST /v1/corrections` that asks for a dry run (RR-84); nothing is sent.
    ///
    /// - Throws: ``RequestError``.
    package func planCorrection(body: JSONValue) async throws(RequestError) -> CorrectionDryRun {
        try await corrections.plan(body)
    }

    /// Takes the body of `POST /v1/corrections` that confirms a dry run; its reports go out in their order.
    ///
    /// - Throws: ``RequestError``.
    package func confirmCorrection(body: JSONValue) async throws(RequestError) -> CorrectionConfirmation {
        let confirmation = try await corrections.confirm(body)
        if case .confirmed(_, _, isNew: true) = confirmation { sender.wake() }
        return confirmation
    }

    /// Takes the body of `POST /v1/notifications` (spec/06 section 6).
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    package func takeNotification(body: [UInt8]) async throws(RequestError) -> NotificationOutcome {
        guard let notifications else { return .refused(NotificationRefusal(.chainUntrusted)) }
        let outcome: NotificationOutcome
        do {
            outcome = try await notifications.take(body: body)
        } catch {
            throw .notStored(error)
        }
        return try await noted(outcome)
    }

    /// Takes a notification that was found in the history (NT-68).
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    package func takeFound(_ signedPayload: String) async throws(RequestError) -> FoundNotification {
        guard let notifications else {
            return FoundNotification(outcome: .refused(NotificationRefusal(.chainUntrusted)), signedDate: nil)
        }
        let found: FoundNotification
        do {
            found = try await notifications.take(signedPayload: signedPayload, arrival: .history)
        } catch {
            throw .notStored(error)
        }
        _ = try await noted(found.outcome)
        return found
    }

    /// True when notifications can be proved genuine.
    var takesNotifications: Bool { notifications != nil }

    /// How often the notification history is read, ms (NT-68).
    var historyEvery: Int64 { settings.historyEvery }

    /// Up to when the notification history was read.
    func historyPosition(of scope: ReportingScope) async throws(RequestError) -> Timestamp? {
        try await read { ledger throws(LedgerError) in try ledger.notificationHistoryPosition(of: scope) }
    }

    /// Remembers up to when the notification history was read (NT-68).
    func moveHistoryPosition(of scope: ReportingScope, to position: Timestamp) async throws(RequestError) {
        do {
            try await store.write { ledger throws(LedgerError) in
                try ledger.moveHistoryPosition(of: scope, to: position)
            }
        } catch {
            throw .notStored(error)
        }
    }

    private func noted(_ outcome: NotificationOutcome) async throws(RequestError) -> NotificationOutcome {
        guard case .stored(let notification) = outcome else { return outcome }
        sender.wakeForNotification()
        if let bundleId = notification.bundleId, let id = notification.externalPurchaseId {
            let token = try await read { ledger throws(LedgerError) in try ledger.token(id, of: bundleId) }
            if let token { tell(token) }
        }
        return outcome
    }

    /// Sales may have waited for the token.
    private func tell(_ token: StoredToken) {
        sender.wake(afterToken: true)
    }

    /// A page of what is not reported yet, in the order in which it needs attention, beside the counts of all of it.
    ///
    /// - Parameter position: of the last entry of the page before; nil begins at the first.
    package func deadlines(
        matching filter: ListFilter = ListFilter(),
        after position: DeadlinePosition? = nil,
        limit: Int
    ) async throws(RequestError) -> DeadlinePage {
        let (due, now) = (due, now)
        return try await longRead { ledger throws(LedgerError) in
            try due.page(matching: filter, limit: limit, after: position, at: now, in: ledger)
        }
    }

    /// The server's clock.
    package var now: Timestamp { dependencies.now() }

    /// Carries out a person's decision about a review item.
    ///
    /// - Throws: ``RequestError``: ``RequestError/unknown(_:)`` for an unknown item,
    ///   ``RequestError/impossible(_:)`` for one that is closed.
    package func decide(
        _ decision: ReviewDecision,
        on sequence: Int64
    ) async throws(RequestError) -> ReviewOutcome {
        let outcome = try await pipeline.carryOut(decision, on: sequence)
        if let report = outcome.report, report.isAsked { sender.ask(for: report.token, in: report.scope) }
        if outcome.item.kind == .keyRefused, decision.action == .retry { await sender.resume(outcome.item.bundleId) }
        sender.wake(afterToken: true)
        return outcome
    }

    /// The service that tells of what comes near its due date and of what waits for a person.
    ///
    /// - Parameters:
    ///   - settings: how often it looks, and how much one message holds.
    ///   - receiver: is told beside the log; nil for the log alone.
    package func alertMonitor(
        _ settings: AlertSettings = AlertSettings(),
        receiver: (any AlertReceiver)? = nil
    ) -> AlertMonitor {
        AlertMonitor(
            store: store,
            scanner: scanner,
            settings: settings,
            receiver: receiver,
            counts: alertCounts,
            dependencies: dependencies,
            logger: logger
        )
    }

    /// The figures of `GET /metrics`, in Prometheus' text format.
    package func metrics() async throws(RequestError) -> String {
        do {
            return try await figures.text()
        } catch {
            throw .notStored(error)
        }
    }

    /// Follows the audit log's chain.
    package func verifyAudit() async throws(RequestError) -> AuditVerdict {
        try await longRead { ledger throws(LedgerError) in try ledger.verifyAudit() }
    }

    /// The tokens of that id; more than one only when several apps have it.
    package func tokens(withId id: ExternalPurchaseId) async throws(RequestError) -> [StoredToken] {
        try await read { ledger throws(LedgerError) in try ledger.tokens(withId: id) }
    }

    /// A page of what is kept aside.
    package func quarantinedTokens(_ page: LedgerPage) async throws(RequestError) -> [QuarantinedToken] {
        try await read { ledger throws(LedgerError) in try ledger.quarantinedTokens(page) }
    }

    /// A page of the rows of sales in the order of arrival, the lines of sales of several lines too.
    package func sales(_ page: LedgerPage) async throws(RequestError) -> [StoredSale] {
        try await read { ledger throws(LedgerError) in
            var sales = try ledger.sales(page)
            for place in sales.indices { sales[place] = try sales[place].whereItIs(in: ledger) }
            return sales
        }
    }

    /// Where sales stand that Apple has not accepted, by the same rule as due list and review items (OB-52).
    ///
    /// - Returns: one for each sale, in their order.
    package func standings(of sales: [StoredSale]) async throws(RequestError) -> [HoldClassifier.Standing] {
        let (classifier, now) = (due.classifier, now)
        let refusedKeys = try await read { ledger throws(LedgerError) in try ledger.appsWithRefusedKey() }
        return sales.map { classifier.standing(of: $0, refusedKeys: refusedKeys, now: now) }
    }

    /// Whether the server can do its work; makes a commit that changes nothing, at most once a second.
    package func readiness() async -> Readiness { await readinessCheck.readiness() }

    private func newCheckoutId() -> CheckoutId {
        CheckoutId(dependencies.uuid().uuidString.lowercased())
    }

    /// Reads what may take long; given up when the server is asked to end (``LedgerError/stopped``).
    func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(RequestError) -> Value {
        let store = store
        do {
            return try await cancelWhenGracefulShutdown { try await store.read(body) }
        } catch {
            throw .notStored(error as? LedgerError ?? .stopped)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await store.read(body)
        } catch {
            throw .notStored(error)
        }
    }
}
