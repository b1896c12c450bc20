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
    /// The refusals of the named files that cannot be read.
    let missing: [String]
    let settings: ServeSettings
    let database: DatabaseAddress
    /// The address on which the server listens.
    let host: String
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
            DoctorCheck(.configuration, true, "\(path) can be read"), files(), fileModes(), secrets(), key,
            clock(serverTime, facts), roots(),
        ]
        checks += state
        checks += [await reachability(), certificate(), await stripeEvents()]
        checks += findings(of: facts)
        return checks
    }

    // MARK: Files

    private func files() -> DoctorCheck {
        DoctorCheck(
            .files,
            missing.map {
                DoctorCheck(
                    .files,
                    false,
                    $0,
                    fix: "put the file there or correct its name; the user that runs serve must be able to read it"
                )
            } + (missing.isEmpty ? [DoctorCheck(.files, true, "\(configuration.files.count) files can be read")] : []),
            otherwise: ""
        )
    }

    private func fileModes() -> DoctorCheck {
        let secrets = configuration.files.filter(\.isSecret)
        let open = secrets.compactMap { file in
            NamedFile.permissionsIfReadableByOthers(path: file.file.path).map { mode in
                DoctorCheck(
                    .fileModes,
                    false,
                    "\(file.file.path), \(file.what), may be read by others than its owner (mode \(mode))",
                    fix: "chmod 600 \(file.file.path)"
                )
            }
        }
        let fine = DoctorCheck(.fileModes, true, "\(secrets.count) keys and secrets are for their owner only")
        return DoctorCheck(.fileModes, open.isEmpty ? [fine] : open, otherwise: "")
    }

    /// Reads every secret as `serve` does at its start.
    private func secrets() -> DoctorCheck {
        guard missing.isEmpty else { return DoctorCheck(.secrets, nil, "a file is missing") }
        do throws(CommandFailure) {
            _ = try configuration.paymentSources(http: http)
            if let webhook = configuration.webhook { _ = try AlertWebhook(webhook, http: http) }
            _ = try configuration.signInSettings(http: http)
            _ = try configuration.exchangeRates()
        } catch {
            return DoctorCheck(.secrets, false, error.message ?? "a secret cannot be used", fix: "correct that file")
        }
        return DoctorCheck(.secrets, true, "the secrets of providers, alerts and the sign-in can be used")
    }

    private func roots() -> DoctorCheck {
        let parts = configuration.notificationRoots.flatMap { file -> [DoctorCheck] in
            do {
                return try TrustedRoot.read(try InputFile.read(file.path)).map { root in
                    guard root.validUntil > now else {
                        return DoctorCheck(
                            .roots,
                            false,
                            "\(file.path): the root's validity ended at \(root.validUntil)",
                            fix: "download the root anew from Apple PKI"
                        )
                    }
                    let whose = root.isApple ? "Apple Root CA - G3" : "a root that is not Apple's"
                    return DoctorCheck(.roots, true, "\(file.path): \(whose), valid until \(root.validUntil)")
                }
            } catch {
                let detail = (error as? CommandFailure)?.message ?? "\(file.path): \(error)"
                return [DoctorCheck(.roots, false, detail, fix: "download AppleRootCA-G3.cer from Apple PKI")]
            }
        }
        guard !parts.isEmpty else {
            return DoctorCheck(
                .roots,
                false,
                "no roots are configured, so no notification of Apple is taken",
                fix: "download AppleRootCA-G3.cer from Apple PKI and add notifications: {roots: [AppleRootCA-G3.cer]}"
            )
        }
        return DoctorCheck(.roots, parts, otherwise: "")
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
