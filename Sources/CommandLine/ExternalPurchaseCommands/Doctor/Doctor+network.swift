import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1
import Payments
import Reporting

extension Doctor {
    /// Asks for a report that was never sent, with the key of each app: only an accepted key learns that there is none.
    ///
    /// - Returns: the check, and the time of the first answer by its sender's clock.
    func appleKey() async -> (DoctorCheck, Timestamp?) {
        var parts: [DoctorCheck] = []
        var serverTime: Timestamp?
        for app in configuration.apps {
            guard FileManager.default.isReadableFile(atPath: app.key.file.path) else {
                parts.append(DoctorCheck(.appleKey, nil, "\(app.bundleId): its key cannot be read"))
                continue
            }
            let registered: RegisteredApp
            do throws(CommandFailure) {
                registered = try MerchantApp.make(app, settings: settings, http: http)
            } catch {
                parts.append(
                    DoctorCheck(
                        .appleKey,
                        false,
                        error.message ?? "\(app.key.file.path) holds no key",
                        fix:
                            "download the .p8 of an In-App Purchase key in App Store Connect, and name it under key.file"
                    )
                )
                continue
            }
            for environment in registered.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
                guard let identifier = RequestIdentifier(UUID().uuidString) else { continue }
                let answer = await registered.client.retrieve(identifier, environment: environment)
                serverTime = serverTime ?? answer.serverTime
                parts.append(Self.part(answer.outcome, app, environment))
            }
        }
        let check = DoctorCheck(.appleKey, parts, otherwise: "no app has an address to report to")
        return (check, serverTime)
    }

    private static func part(
        _ outcome: RetrieveOutcome,
        _ app: ServeConfiguration.App,
        _ environment: AppStoreEnvironment
    ) -> DoctorCheck {
        let name = "\(app.bundleId), \(environment.rawValue)"
        switch outcome {
        case .notFound, .found, .refused:
            return DoctorCheck(.appleKey, true, "\(name): the key \(app.key.keyId) is accepted")
        case .unauthorized:
            return DoctorCheck(
                .appleKey,
                false,
                "\(name): 401, the key \(app.key.keyId) is not accepted",
                fix:
                    "compare keyId, issuerId and bundleId with App Store Connect: the .p8 must be that of the keyId, an "
                    + "In-App Purchase key that is not revoked; a wrong clock is refused like a wrong key"
            )
        case .rateLimited:
            return DoctorCheck(.appleKey, nil, "\(name): 429, too many requests", fix: "ask again later")
        case .serverError(let status):
            return DoctorCheck(
                .appleKey,
                nil,
                "\(name): the other side answered \(status)",
                fix: "ask again later; compare baseURL with the address that is meant"
            )
        case .noAnswer(let reason):
            return DoctorCheck(
                .appleKey,
                nil,
                "\(name): no answer: \(reason)",
                fix: "let this machine reach the address, also through the firewall"
            )
        }
    }

    /// Compares the machine's clock with the other side's and with the ledger's newest entry.
    func clock(_ serverTime: Timestamp?, _ facts: LedgerFacts?) -> DoctorCheck {
        let fix = "set the machine's clock right and keep it so, such as by systemd-timesyncd"
        var parts: [DoctorCheck] = []
        if let serverTime {
            let difference = min(now, serverTime).duration(to: max(now, serverTime))
            parts.append(
                difference > Self.clockSkew
                    ? DoctorCheck(
                        .clock,
                        false,
                        "this machine says \(now), the other side \(serverTime)",
                        fix: fix
                    ) : DoctorCheck(.clock, true, "agrees with the other side's clock")
            )
        }
        if let facts {
            let check = MachineClockCheck(
                limits: settings.reporting.clockLimits,
                newest: facts.newestEntry,
                wall: { now },
                monotonic: { .zero }
            )
            if let doubt = check.doubt() { parts.append(DoctorCheck(.clock, false, "\(doubt)", fix: fix)) }
        }
        return DoctorCheck(.clock, parts, otherwise: "nobody answered who could tell the time")
    }

    /// Asks for `/health/live` by the public's address, as a visitor would.
    func reachability() async -> DoctorCheck {
        guard let publicAddress else {
            return DoctorCheck(.publicAddress, nil, "--public-address is not given")
        }
        let address = publicAddress.hasSuffix("/") ? String(publicAddress.dropLast()) : publicAddress
        let fix = "start the server, and let proxy and firewall pass \(address)/health/live to it"
        do {
            let response = try await http.execute(
                HTTPClientRequest(url: address + "/health/live"),
                timeout: .seconds(10)
            )
            guard response.status.code == 200 else {
                let detail = "\(address)/health/live answers \(response.status.code)"
                return DoctorCheck(.publicAddress, false, detail, fix: fix)
            }
            return DoctorCheck(.publicAddress, true, "\(address)/health/live answers 200")
        } catch {
            let words = NetworkFailure.words(error, address: address)
            return DoctorCheck(.publicAddress, false, "\(address)/health/live: \(words)", fix: fix)
        }
    }

    /// Compares the event types of Stripe's endpoints with those that are needed.
    func stripeEvents() async -> DoctorCheck {
        var parts: [DoctorCheck] = []
        for stripe in configuration.stripe {
            let name = "\(stripe.bundleId)\(stripe.account.map { ", account \($0)" } ?? "")"
            guard stripe.apiKeyFile != nil else {
                parts.append(DoctorCheck(.stripeEvents, nil, "\(name): no apiKeyFile to ask Stripe with"))
                continue
            }
            do {
                // The endpoint is the platform's, also for events of a connected account.
                var own = stripe
                own.account = nil
                guard let client = try StripeSource.api(of: own, http: http) else { continue }
                let list = try await client.fetch(
                    PaymentRequest(path: "/v1/webhook_endpoints?limit=100", isList: true, objectId: nil)
                )
                parts.append(Self.part(list, name))
            } catch StripeAPIError.unauthorized {
                parts.append(
                    DoctorCheck(
                        .stripeEvents,
                        nil,
                        "\(name): the API key may not read webhook endpoints",
                        fix:
                            "give the restricted key the right to read Webhook Endpoints, or compare the endpoint's events "
                            + "with docs/stripe.md"
                    )
                )
            } catch let failure as CommandFailure {
                let detail = failure.message ?? "the API key cannot be read"
                parts.append(DoctorCheck(.stripeEvents, false, detail, fix: "correct apiKeyFile"))
            } catch {
                parts.append(DoctorCheck(.stripeEvents, nil, "\(name): Stripe gave no answer: \(error)"))
            }
        }
        return DoctorCheck(.stripeEvents, parts, otherwise: "no account of Stripe is configured")
    }

    private static func part(_ list: [JSONValue], _ name: String) -> DoctorCheck {
        let path = "/v1/webhooks/stripe"
        let endpoints = list.compactMap(\.objectValue).filter { endpoint in
            let url = endpoint["url"]?.stringValue ?? ""
            return endpoint["status"]?.stringValue == "enabled" && url.hasSuffix(path)
        }
        guard !endpoints.isEmpty else {
            return DoctorCheck(
                .stripeEvents,
                false,
                "\(name): Stripe has no enabled endpoint that ends in \(path)",
                fix: "add https://…\(path) in Stripe's dashboard, with the events of docs/stripe.md"
            )
        }
        let events = Set(endpoints.flatMap { $0["enabled_events"]?.arrayValue?.compactMap(\.stringValue) ?? [] })
        let lacking = StripeEventTypes.needed.filter { events.isDisjoint(with: $0) }.compactMap(\.first)
        guard !events.contains("*"), !lacking.isEmpty else {
            return DoctorCheck(.stripeEvents, true, "\(name): Stripe's endpoint delivers every event that is needed")
        }
        return DoctorCheck(
            .stripeEvents,
            false,
            "\(name): Stripe's endpoint lacks \(lacking.joined(separator: ", "))",
            fix: "add these events to the endpoint in Stripe's dashboard; `stripe replay` then fetches what was missed"
        )
    }
}
