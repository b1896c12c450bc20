import AppStoreNotifications
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Ledger
import Reporting

/// Looks at a server's configuration, and at everything that it needs, without changing anything.
///
/// Each check uses what `serve` itself uses: its readers of files, its client of Apple, the lock of its ledger, its rules.
struct Doctor {
    let path: String
    let configuration: ServeConfiguration
    /// The named files that cannot be read.
    let missing: [MissingFiles.Fault]
    let settings: ServeSettings
    let database: DatabaseAddress
    /// The addresses on which the server listens.
    let listeners: [Listener]
    /// The files of HTTPS; nil for plain HTTP.
    let tls: (certificate: String, key: String)?
    /// The address by which the public reaches the server.
    let publicAddress: String?
    let http: HTTPClient
    let now: Timestamp

    /// The largest difference of the two clocks: Apple refuses tokens from the future (SA-10).
    static let clockSkew = Duration.seconds(60)
    /// The time before the end of a certificate from which it is named.
    static let renewal = Duration.days(14)
    /// How old a backup, or what waits for a person, may be.
    static let day = Duration.days(1)

    func checks() async -> [DoctorCheck] {
        let (key, serverTime) = await appleKey()
        let (state, facts) = await ledger()
        var checks = [
            read(facts), files(), fileModes(), secrets(), key,
            clock(serverTime, facts), roots(),
        ]
        checks += state
        checks += [await ports(), await reachability(), certificate(), await stripeEvents(facts)]
        checks += findings(of: facts)
        return checks
    }

    // MARK: Files

    /// The check of the configuration itself, which is there only if it could be read, against what the ledger has.
    private func read(_ facts: LedgerFacts?) -> DoctorCheck {
        var parts = configuration.apps.compactMap { app -> DoctorCheck? in
            guard let numbers = facts?.appAppleIds[app.bundleId], !numbers.contains(app.appAppleId) else { return nil }
            let said = numbers.sorted().map(String.init).joined(separator: ", ")
            return DoctorCheck(
                .configuration,
                false,
                "\(app.bundleId): appAppleId is \(app.appAppleId), and the tokens in the ledger have \(said), so that new "
                    + "ones are refused",
                fix: "correct apps[].appAppleId to the Apple ID that App Store Connect shows, and restart serve"
            )
        }
        for detail in facts?.unknownApps ?? [] {
            parts.append(
                DoctorCheck(
                    .configuration,
                    false,
                    detail,
                    fix: "put the app back into apps until everything of it is reported, and restart serve"
                )
            )
        }
        let fine = DoctorCheck(.configuration, true, "\(path) can be read")
        return DoctorCheck(.configuration, parts.isEmpty ? [fine] : parts, otherwise: "")
    }

    private func files() -> DoctorCheck {
        DoctorCheck(
            .files,
            missing.map {
                DoctorCheck(
                    .files,
                    false,
                    $0.message,
                    fix: $0.isForbidden
                        ? "let the user that runs serve own the file and open its folders, or run doctor as that user"
                        : "put the file there or correct its name; the user that runs serve must be able to read it"
                )
            } + (missing.isEmpty ? [DoctorCheck(.files, true, "\(configuration.files.count) files can be read")] : []),
            otherwise: ""
        )
    }

    private func fileModes() -> DoctorCheck {
        var secrets = configuration.files.filter(\.isSecret).map { (path: $0.file.path, what: $0.what) }
        if let tls { secrets.append((tls.key, "the key of HTTPS")) }
        if let ledger = database.absolutePath { secrets.append((ledger, "the ledger")) }
        var open = secrets.compactMap { file in
            NamedFile.permissionsIfReadableByOthers(path: file.path).map { mode in
                DoctorCheck(
                    .fileModes,
                    false,
                    "\(file.path), \(file.what), may be read by others than its owner (mode \(mode))",
                    fix: "chmod 600 \(file.path.shellWord)"
                )
            }
        }
        let folders = Set(secrets.map { URL(filePath: $0.path).deletingLastPathComponent().path })
        for folder in folders.sorted() where NamedFile.isOpenToEverybody(folder: folder) {
            open.append(
                DoctorCheck(
                    .fileModes,
                    false,
                    "everybody may replace what is in the folder \(folder)",
                    fix: "chmod o-w \(folder.shellWord)"
                )
            )
        }
        let fine = DoctorCheck(.fileModes, true, "\(secrets.count) files with secrets are for their owner only")
        return DoctorCheck(.fileModes, open.isEmpty ? [fine] : open, otherwise: "")
    }

    /// Reads every secret as `serve` does at its start, each by itself, so that none hides another's fault.
    private func secrets() -> DoctorCheck {
        var parts: [DoctorCheck] = []
        func read(_ files: [ConfiguredFile?], _ body: () throws(CommandFailure) -> Void) {
            // The check of the files has said so.
            if let file = files.compactMap({ $0 }).first(where: {
                !FileManager.default.isReadableFile(atPath: $0.path)
            }) {
                parts.append(DoctorCheck(.secrets, nil, "\(file.place) cannot be read"))
                return
            }
            do throws(CommandFailure) {
                try body()
                parts.append(DoctorCheck(.secrets, true, ""))
            } catch {
                let detail = error.message ?? "a secret cannot be used"
                parts.append(DoctorCheck(.secrets, false, detail, fix: "correct that file"))
            }
        }
        var none = configuration
        (none.stripe, none.payments, none.eventReceivers) = ([], [], [])
        for stripe in configuration.stripe {
            read([stripe.signingSecretFile, stripe.apiKeyFile]) { () throws(CommandFailure) in
                var one = none
                one.stripe = [stripe]
                _ = try one.paymentSources(http: http)
            }
        }
        for payment in configuration.payments {
            read([payment.secretFile]) { () throws(CommandFailure) in
                var one = none
                one.payments = [payment]
                _ = try one.paymentSources(http: http)
            }
        }
        if let webhook = configuration.webhook {
            read([webhook.secretFile]) { () throws(CommandFailure) in _ = try AlertWebhook(webhook, http: http) }
        }
        for receiver in configuration.eventReceivers {
            read([receiver.secretFile]) { () throws(CommandFailure) in
                var one = none
                one.eventReceivers = [receiver]
                _ = try one.eventWebhooks()
            }
        }
        if let oidc = configuration.signIn.oidc {
            read([oidc.clientSecretFile]) { () throws(CommandFailure) in
                _ = try configuration.signInSettings(http: http)
            }
        }
        if let file = configuration.ratesFile {
            read([file]) { () throws(CommandFailure) in _ = try configuration.exchangeRates() }
        }
        guard !parts.isEmpty else { return DoctorCheck(.secrets, nil, "no secret is configured") }
        let fine = DoctorCheck(.secrets, true, "the secrets of providers, alerts and the sign-in can be used")
        let isFine = parts.allSatisfy { $0.ok == true }
        return DoctorCheck(.secrets, isFine ? [fine] : parts.filter { $0.ok != true }, otherwise: "")
    }

    private func roots() -> DoctorCheck {
        let download = "download AppleRootCA-G3.cer from Apple PKI"
        var hasApples = false
        var parts: [DoctorCheck] = []
        for file in configuration.notificationRoots {
            do {
                for root in try TrustedRoot.read(try InputFile.read(file.path)) {
                    hasApples = hasApples || root.isApple
                    parts.append(part(root, file))
                }
            } catch {
                let detail = (error as? CommandFailure)?.message ?? "\(file.path): \(error)"
                parts.append(DoctorCheck(.roots, false, detail, fix: "\(download), and name it in notifications.roots"))
            }
        }
        guard !parts.isEmpty else {
            return DoctorCheck(
                .roots,
                false,
                "no roots are configured, so no notification of Apple is taken",
                fix: "\(download) and add notifications: {roots: [AppleRootCA-G3.cer]}"
            )
        }
        if !hasApples, parts.allSatisfy({ $0.ok == true }),
            let app = configuration.apps.first(where: { $0.baseURL.values.contains(where: HTTPAddress.isApple) })
        {
            parts.append(
                DoctorCheck(
                    .roots,
                    false,
                    "\(app.bundleId) reports to Apple, and no root is Apple's, so no notification of Apple is taken",
                    fix: "\(download) and name it in notifications.roots"
                )
            )
        }
        return DoctorCheck(.roots, parts, otherwise: "")
    }

    private func part(_ root: TrustedRoot, _ file: ConfiguredFile) -> DoctorCheck {
        guard root.validUntil > now else {
            return DoctorCheck(
                .roots,
                false,
                "\(file.path): the root's validity ended at \(root.validUntil)",
                fix: "download the root anew from Apple PKI"
            )
        }
        if root.isApple {
            return DoctorCheck(.roots, true, "\(file.path): Apple Root CA - G3, valid until \(root.validUntil)")
        }
        let standIn = configuration.apps.flatMap(\.baseURL.values).first { !HTTPAddress.isApple($0) }
        guard let standIn else {
            return DoctorCheck(
                .roots,
                false,
                "\(file.path): is not Apple's root, and every app reports to Apple: its owner could sign notifications",
                fix: "name AppleRootCA-G3.cer of Apple PKI in its place; the root of an emulator goes with a baseURL"
            )
        }
        return DoctorCheck(
            .roots,
            true,
            "\(file.path): a root that is not Apple's, beside \(HTTPAddress.shown(standIn)), valid until \(root.validUntil)"
        )
    }

    private func certificate() -> DoctorCheck {
        guard let tls else {
            return DoctorCheck(.tlsCertificate, nil, "the server answers plain HTTP, or --tls-certificate is not given")
        }
        let fix = "renew the certificate and restart the server"
        do throws(ServerTLS.Failure) {
            let until = try ServerTLS(certificate: tls.certificate, key: tls.key).validUntil
            let detail = "\(tls.certificate): valid until \(until)"
            return until > now.advanced(by: Self.renewal)
                ? DoctorCheck(.tlsCertificate, true, detail) : DoctorCheck(.tlsCertificate, false, detail, fix: fix)
        } catch {
            let detail = error.message(certificate: tls.certificate, key: tls.key)
            return DoctorCheck(.tlsCertificate, false, detail, fix: "name the certificate and its own key, both in PEM")
        }
    }
}
