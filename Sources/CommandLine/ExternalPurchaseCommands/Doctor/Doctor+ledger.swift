import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Ledger
import Reporting

/// What the ledger says about a server.
struct LedgerFacts: Sendable {
    /// The times of the oldest and the newest entry of the audit log; nil for an empty ledger.
    var oldestEntry: Timestamp?
    var newestEntry: Timestamp?
    /// Why the ledger is not the one that its server had; nil if it may be.
    var contradiction: String?
    /// Products that are reported by a provider's own ids, because nothing maps them.
    var unmappedProducts: Set<String> = []
    /// Payment events that are held because of their product.
    var productsHeld = 0
    /// Payment events that are held because nothing fetches their line items.
    var withoutLineItems = 0
    /// The numbers of each app in its newest tokens.
    var appAppleIds: [BundleId: Set<Int64>] = [:]
    /// Storefronts of tokens that no programme of their app covers, by app.
    var uncovered: [BundleId: Set<StorefrontCode>] = [:]
    var storefronts: Set<StorefrontCode> = []
    var undeliveredAlerts: [AlertMessage] = []
    var validKeys = 0
    var users = 0
    var openReview: [ReviewItem] = []
    var overdue = 0
    /// What is not reported of each app that the configuration lacks.
    var unknownApps: [String] = []
}

extension Doctor {
    /// The largest number of rows that are read of a list, the newest first.
    private static let mostRows = 1_000

    /// The largest file whose pages are all read.
    private static let mostChecked: Int64 = 256 << 20

    /// Checks the ledger itself, each thing before those that it would hide.
    ///
    /// - Returns: the checks of database, schema and space, and what the ledger says; nil where it cannot be read.
    func ledger() async -> (checks: [DoctorCheck], facts: LedgerFacts?) {
        let space = diskSpace()
        func unusable(_ detail: String, fix: String?, ok: Bool? = false) -> ([DoctorCheck], LedgerFacts?) {
            let schema = DoctorCheck(.schema, nil, "the ledger cannot be used")
            return ([DoctorCheck(.database, ok, detail, fix: fix), schema, space], nil)
        }
        if let refusal = refusal() { return unusable(refusal.detail, fix: refusal.fix) }
        do throws(CommandFailure) {
            try database.checkFolder()
        } catch {
            let detail = error.message ?? "the folder of the ledger does not exist"
            return unusable(detail, fix: "name a file, or create the folder, owned by the server's user")
        }
        let noted: AuditHead?
        do {
            noted = try LedgerAnchor.read(anchor)
        } catch {
            return unusable(
                "the anchor cannot be used: \(error)",
                fix:
                    "let the server's user read \(anchor.shellWord); if its content is lost, look with `ledger verify` that the "
                    + "ledger is the newest one, then remove the anchor"
            )
        }
        do throws(LedgerError) {
            // What does not exist yet has no keys, users and records; what an anchor remembers is not known.
            let none = noted == nil ? LedgerFacts() : nil
            guard try await database.isThere else {
                return ([newLedger(isEmpty: false, noted), Self.noSchema, space], none)
            }
            guard try await database.hasLedger else {
                return ([newLedger(isEmpty: true, noted), emptySchema(), space], none)
            }
            let lacking = try await database.missingMigrations()
            let isInUse = database.isInUse
            guard lacking.isEmpty else {
                return (
                    [
                        DoctorCheck(.database, nil, "\(database) is of an older version"), behind(lacking, isInUse),
                        space,
                    ], nil
                )
            }
            // The lock of a running server shows that it writes; it is not made to wait.
            if !isInUse { try await database.checkWritable() }
            let facts = try await facts(noted)
            let schema = DoctorCheck(.schema, true, "the schema is that of this version")
            if let fault = try await fault(facts) {
                return (
                    [DoctorCheck(.database, false, "\(database): \(fault)", fix: Self.restore), schema, space], facts
                )
            }
            let detail = isInUse ? "a server has it" : "can be written"
            let rest = isSmall ? ", and its pages are whole" : "; its pages are read by `ledger verify` only"
            let pages = database.absolutePath == nil ? "" : rest
            return ([DoctorCheck(.database, true, "\(database): \(detail)\(pages)"), schema, space], facts)
        } catch {
            let isBusy = error == .busy
            return unusable(
                database.failure(error).message ?? "\(error)",
                fix: fix(for: error),
                ok: isBusy ? nil : false
            )
        }
    }

    private var anchor: String { LedgerFiles(of: database, folder: settings.databaseFolder).anchor }

    private static let noSchema = DoctorCheck(.schema, nil, "there is no ledger yet")
    private static let restore = "put the newest copy in its place, as docs/production.md describes a restore"

    /// What repairs the cause of a failure.
    private func fix(for error: LedgerError) -> String {
        switch error {
        case .busy: "another program writes to it: end it, or ask again"
        case .full: "free space on the volume of the ledger"
        case .corrupt: Self.restore
        case .notADatabase:
            "name the ledger of the server with --database; if this was it, \(Self.restore)"
        case .historyDiffers: "run the newest version that had this ledger, or a newer one: docs/install.md"
        case .inUse: "end the other server"
        case .conflict, .inaccessible, .leaseLost, .stopped, .failed:
            database.absolutePath == nil
                ? "let PostgreSQL run at that address, with the user's right to it: docs/postgresql.md"
                : "name the ledger of the server with --database, and look whether its volume works"
        }
    }

    /// Why a server could not write the ledger in a file, by its owner and modes and those of what is beside it.
    private func refusal() -> (detail: String, fix: String)? {
        guard let file = database.absolutePath else { return nil }
        let folder = URL(filePath: file).deletingLastPathComponent().path
        if NamedFile.isForbidden(path: file) {
            return (
                "\(file): this user may not read it",
                "run doctor and serve as the user who owns \(file.shellWord), or let the server's user own it and open its folders"
            )
        }
        for path in [file, folder, file + "-wal", file + "-shm", anchor] {
            switch NamedFile.refusalOfWriting(path: path) {
            case nil: continue
            case .readOnlyVolume?:
                return (
                    "\(path): its volume is mounted for reading only",
                    "mount the volume of \(folder.shellWord) for writing"
                )
            case .mode?:
                return ("\(path): its mode forbids its owner to write", "chmod u+rwX \(path.shellWord)")
            case .owner(let user)?:
                return (
                    "\(path): belongs to user \(user), and this one may not write it",
                    "run doctor and serve as user \(user), or chown the server's user to \(path.shellWord)"
                )
            case .other(let reason)?:
                return ("\(path): cannot be written: \(reason)", "let the server's user own \(path.shellWord)")
            }
        }
        guard let user = NamedFile.otherOwner(path: file) else { return nil }
        return (
            "\(file): belongs to user \(user), and serve makes it readable by its owner only",
            "run doctor and serve as user \(user), or chown the server's user to \(file.shellWord)"
        )
    }

    /// What is wrong with the content of the ledger; its pages are read in a small file only.
    private func fault(_ facts: LedgerFacts) async throws(LedgerError) -> String? {
        if let contradiction = facts.contradiction { return contradiction }
        guard isSmall else { return nil }
        let faults = try await database.reader().fileFaults()
        return faults.first.map { "the ledger is damaged: \($0)" }
    }

    private var isSmall: Bool {
        guard let file = database.absolutePath,
            let size = (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? Int64
        else { return false }
        return size <= Self.mostChecked
    }

    private func behind(_ lacking: [String], _ isInUse: Bool) -> DoctorCheck {
        let isBehind = isInUse || !settings.migratesDatabase
        return DoctorCheck(
            .schema,
            isBehind ? false : nil,
            "the schema lacks \(lacking.joined(separator: ", "))",
            fix:
                "make a backup, then run external-purchase database migrate --database \(database.shellWord), or start serve"
        )
    }

    private func emptySchema() -> DoctorCheck {
        settings.migratesDatabase
            ? Self.noSchema
            : DoctorCheck(
                .schema,
                false,
                "there is no ledger yet, and database.migrate is off",
                fix: "run external-purchase database migrate --database \(database.shellWord)"
            )
    }

    /// The check of a ledger that the first start creates.
    private func newLedger(isEmpty: Bool, _ noted: AuditHead?) -> DoctorCheck {
        let what = isEmpty ? "the file is empty" : "there is no ledger"
        if noted != nil {
            return DoctorCheck(
                .database,
                false,
                "\(database): \(what), but \(anchor) is that of a ledger",
                fix: "put the newest copy in its place; to begin a new ledger, remove \(anchor.shellWord)"
            )
        }
        return DoctorCheck(.database, nil, "\(database): \(what) yet; serve creates it")
    }

    private func diskSpace() -> DoctorCheck {
        guard let free = database.freeBytes else {
            return DoctorCheck(.diskSpace, nil, "the space of \(database) is not known here")
        }
        let wanted = settings.reporting.readyFreeSpace
        guard free < wanted else { return DoctorCheck(.diskSpace, true, "\(free / 1_000_000) MB are free") }
        return DoctorCheck(
            .diskSpace,
            false,
            "\(free) bytes are free where the ledger is, ready.freeSpace asks for \(wanted)",
            fix: "free space on the volume of the ledger"
        )
    }

    private func facts(_ noted: AuditHead?) async throws(LedgerError) -> LedgerFacts {
        let programmes = Dictionary(configuration.apps.map { ($0.bundleId, $0.programmes) }) { first, _ in first }
        let reporting = settings.reporting
        let rules = DeadlineRules(catalog: reporting.programmes, settings: reporting.due, appProgrammes: programmes)
        let deadlines = DeadlineCalculator(
            rules: rules,
            unrecognizedWait: reporting.unrecognizedWait,
            classifier: HoldClassifier(tokenWait: reporting.tokenWait, apps: Set(programmes.keys))
        )
        let (now, isStripe) = (now, !configuration.stripe.isEmpty)
        return try await database.reader().read { ledger throws(LedgerError) in
            var facts = LedgerFacts()
            facts.oldestEntry = try ledger.auditEntries(LedgerPage(limit: 1)).first?.time
            facts.newestEntry = try ledger.lastAuditEntry()?.time
            facts.contradiction = try noted.flatMap { noted throws(LedgerError) in
                try ledger.contradiction(of: noted)
            }
            let newest = LedgerPage(limit: Self.mostRows, isNewestFirst: true)
            if isStripe {
                for sale in try ledger.sales(.given, newest) {
                    facts.unmappedProducts.formUnion(sale.sale.productIds.filter(Self.isProviders))
                }
            }
            let held = try ledger.paymentEvents(matching: ListFilter([.state: "held"]), newest)
            facts.productsHeld = held.count { $0.result.detail?.hasPrefix("product:") == true }
            facts.withoutLineItems = held.count { $0.result.detail?.hasPrefix("line-items:") == true }
            for token in try ledger.tokens(matching: ListFilter(), newest) {
                let app = token.token.bundleId
                facts.appAppleIds[app, default: []].insert(token.token.appAppleId)
                guard let storefront = token.storefront else { continue }
                facts.storefronts.insert(storefront)
                let names = programmes[app] ?? []
                let origin = ObligationOrigin(
                    storefront: storefront,
                    token: .type(token.token.tokenType),
                    appProgrammes: names
                )
                let programme = rules.programme(for: origin, at: token.token.tokenCreationDate)
                let isCovered = programme.map { names.isEmpty || $0.isNamed(by: names) } ?? false
                if !isCovered { facts.uncovered[app, default: []].insert(storefront) }
            }
            facts.undeliveredAlerts = try ledger.undeliveredAlerts(limit: Self.mostRows)
            facts.validKeys = try ledger.apiKeys().count { $0.state(at: now) == .valid }
            facts.users = try ledger.users().count { !$0.isRemoved }
            facts.openReview = try ledger.openReviewItems(LedgerPage(limit: Self.mostRows))
            facts.unknownApps = try deadlines.unknownApps(at: now, in: ledger).map(\.detail)
            facts.overdue = try deadlines.page(limit: 0, at: now, in: ledger).counts.overdue
            return facts
        }
    }

    /// Whether a product's id is one that Stripe gave it.
    @Sendable private static func isProviders(_ productId: String) -> Bool {
        productId.hasPrefix("prod_") || productId.hasPrefix("price_")
    }

    // MARK: What the ledger says

    func findings(of facts: LedgerFacts?) -> [DoctorCheck] {
        guard let facts else {
            let names: [DoctorCheck.Name] = [.products, .storefronts, .alerts, .access, .backup, .review, .deadlines]
            return names.map { DoctorCheck($0, nil, "there is no ledger that can be read") }
        }
        return [
            products(facts), storefronts(facts), alerts(facts), access(facts), backup(facts), review(facts),
            deadlines(facts),
        ]
    }

    private func products(_ facts: LedgerFacts) -> DoctorCheck {
        let intended = configuration.stripe.reduce(into: Set<String>()) { $0.formUnion($1.terms.products.values) }
        let unmapped = facts.unmappedProducts.subtracting(intended).sorted()
        var parts: [DoctorCheck] = []
        if !unmapped.isEmpty {
            parts.append(
                DoctorCheck(
                    .products,
                    false,
                    "sales are reported under Stripe's own ids: \(unmapped.prefix(10).joined(separator: ", "))",
                    fix:
                        "map them in stripe.products, as {\(unmapped[0]): gems.100}, or to none if they are not of the app, and "
                        + "restart serve: that holds for sales to come; restate those that are reported with POST "
                        + "/v1/corrections, as docs/corrections.md says"
                )
            )
        }
        if facts.productsHeld > 0 {
            parts.append(
                DoctorCheck(
                    .products,
                    false,
                    "\(facts.productsHeld) payment events are held because of their product",
                    fix: "map the product and retry the review item, as docs/runbooks/payment-event.md says"
                )
            )
        }
        if parts.isEmpty, configuration.stripe.isEmpty, configuration.payments.isEmpty {
            return DoctorCheck(.products, nil, "no payment provider is configured")
        }
        return DoctorCheck(.products, parts.isEmpty ? [.init(.products, true, "none lacks one")] : parts, otherwise: "")
    }

    private func storefronts(_ facts: LedgerFacts) -> DoctorCheck {
        guard !facts.storefronts.isEmpty else {
            return DoctorCheck(.storefronts, nil, "no token has come with its storefront")
        }
        guard facts.uncovered.isEmpty else {
            let parts = facts.uncovered.sorted { $0.key < $1.key }.map { app, codes in
                DoctorCheck(
                    .storefronts,
                    false,
                    "\(app): tokens came from \(codes.map(\.description).sorted().joined(separator: ", ")), which no "
                        + "programme of the app covers",
                    fix: "add the programme to apps[].programmes (docs/regions.md), or offer nothing there by policy"
                )
            }
            return DoctorCheck(.storefronts, parts, otherwise: "")
        }
        let seen = facts.storefronts.map(\.description).sorted().joined(separator: ", ")
        return DoctorCheck(.storefronts, true, "programmes cover \(seen)")
    }

    private func alerts(_ facts: LedgerFacts) -> DoctorCheck {
        let late = facts.undeliveredAlerts.filter { $0.madeAt < now.advanced(by: .minutes(-10)) }
        var parts = AlertChannel.allCases.compactMap { channel -> DoctorCheck? in
            let late = late.filter { $0.channel == channel }
            guard let first = late.first else { return nil }
            let (said, fix) =
                switch channel {
                case .webhook:
                    (
                        "were not accepted by the receiver",
                        "look whether alerts.webhook.url answers with 2xx; the log of serve says what it answered"
                    )
                case .mail:
                    (
                        "were not taken by alerts.mail.sendmail",
                        "run the program as the user of serve; the log of serve says how it ended"
                    )
                }
            return DoctorCheck(.alerts, false, "\(late.count) messages \(said), the first of \(first.madeAt)", fix: fix)
        }
        if let mail = configuration.mail, let problem = Sendmail(mail: mail).problem {
            parts.append(
                .init(
                    .alerts,
                    false,
                    "\(mail.sendmail) \(problem)",
                    fix:
                        "install a mail system that has sendmail, such as msmtp-mta, or name its program in alerts.mail.sendmail"
                )
            )
        }
        if !parts.isEmpty { return DoctorCheck(.alerts, parts, otherwise: "") }
        guard configuration.webhook != nil || configuration.mail != nil else {
            return DoctorCheck(
                .alerts,
                nil,
                "alerts go to the log only",
                fix: "name a receiver with alerts: {webhook: {url: …}} or {mail: {to: […], from: …}}"
            )
        }
        guard let webhook = configuration.webhook else {
            return DoctorCheck(
                .alerts,
                true,
                "no message waits, and \(configuration.mail?.sendmail ?? "sendmail") can be run"
            )
        }
        return DoctorCheck(
            .alerts,
            nil,
            "no message waits for \(HTTPAddress.shownHost(webhook.url)); whether it takes one is not tried"
        )
    }

    private func access(_ facts: LedgerFacts) -> DoctorCheck {
        let host = listeners[0].host
        if LoopbackHost.isLoopback(host) {
            return DoctorCheck(.access, true, "the server listens on this machine only")
        }
        var parts: [DoctorCheck] = []
        if facts.validKeys == 0 {
            parts.append(
                DoctorCheck(
                    .access,
                    false,
                    "--host \(host): there is no valid API key, so that serve refuses to start",
                    fix: "external-purchase keys create --scope admin --database \(database.shellWord)"
                )
            )
        }
        if facts.users == 0 {
            parts.append(
                DoctorCheck(
                    .access,
                    false,
                    "nobody can sign in to the dashboard",
                    fix: "external-purchase users set-password NAME --database \(database.shellWord)"
                )
            )
        }
        let fine = DoctorCheck(.access, true, "\(facts.validKeys) keys, \(facts.users) users")
        return DoctorCheck(.access, parts.isEmpty ? [fine] : parts, otherwise: "")
    }

    private func backup(_ facts: LedgerFacts) -> DoctorCheck {
        guard database.absolutePath != nil else {
            return DoctorCheck(.backup, nil, "PostgreSQL's own tools make the backups of \(database)")
        }
        let fix =
            "run external-purchase ledger backup FILE --database \(database.shellWord) every day, and copy FILE elsewhere"
        let limit = now.advanced(by: Self.day * -1)
        let record = LedgerFiles(of: database, folder: settings.databaseFolder).backup
        let made: BackupRecord
        switch BackupRecord.read(record) {
        case .none:
            let isNew = facts.oldestEntry.map { $0 > limit } ?? true
            return DoctorCheck(.backup, isNew ? nil : false, "no backup was made", fix: fix)
        case .unreadable:
            return DoctorCheck(.backup, false, "\(record), which names the newest backup, cannot be read", fix: fix)
        case .made(let found): made = found
        }
        if let fault = made.fault {
            return DoctorCheck(.backup, false, "the newest backup, \(made.file), \(fault)", fix: fix)
        }
        guard made.at <= now.advanced(by: Self.clockSkew) else {
            let detail = "the newest backup, \(made.file), is dated \(made.at), which is to come"
            return DoctorCheck(.backup, false, detail, fix: "set the machine's clock right, then \(fix)")
        }
        guard made.at > limit else {
            return DoctorCheck(.backup, false, "the newest backup, \(made.file), is of \(made.at)", fix: fix)
        }
        return DoctorCheck(.backup, true, "\(made.file) is of \(made.at)")
    }

    private func review(_ facts: LedgerFacts) -> DoctorCheck {
        let old = facts.openReview.filter { $0.openedAt < now.advanced(by: Self.day * -1) }
        guard let first = old.first else {
            return DoctorCheck(
                .review,
                true,
                "\(facts.openReview.count) items wait for a person, none longer than a day"
            )
        }
        let kinds = Set(old.map(\.kind.rawValue)).sorted().joined(separator: ", ")
        return DoctorCheck(
            .review,
            false,
            "\(old.count) items have waited for a person longer than a day, since \(first.openedAt): \(kinds)",
            fix:
                "decide them: external-purchase ledger review --database \(database.shellWord), or the dashboard's page Review"
        )
    }

    private func deadlines(_ facts: LedgerFacts) -> DoctorCheck {
        guard facts.overdue > 0 else { return DoctorCheck(.deadlines, true, "nothing is overdue") }
        return DoctorCheck(
            .deadlines,
            false,
            "\(facts.overdue) tokens and line items are overdue",
            fix:
                "external-purchase ledger due --config \(path.shellWord) --database \(database.shellWord) names each with its reason"
        )
    }
}

extension Sale {
    /// The products of a sale or of the lines of an order.
    fileprivate var productIds: [String] {
        if case .order(let lines) = kind { return lines.map(\.productId) }
        return purchase.map { [$0.productId] } ?? []
    }
}

extension ReportingProgramme {
    /// Whether a configuration names the programme, or one of a rule pack that it applies to (OB-12).
    fileprivate func isNamed(by names: [String]) -> Bool {
        names.contains(id) || !Set(names).isDisjoint(with: clientProgrammes)
    }
}
