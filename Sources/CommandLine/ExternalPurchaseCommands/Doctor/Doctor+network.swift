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
        var questions:
            [(app: ServeConfiguration.App, environment: AppStoreEnvironment, client: any ReportEndpointClient)] =
                []
        for app in configuration.apps {
            guard FileManager.default.isReadableFile(atPath: app.key.file.path) else {
                parts.append(DoctorCheck(.appleKey, nil, "\(app.bundleId): its key cannot be read"))
                continue
            }
            do throws(CommandFailure) {
                let registered = try MerchantApp.make(app, settings: settings, http: http)
                let environments = registered.environments.sorted { $0.rawValue < $1.rawValue }
                questions += environments.map { (app, $0, registered.client) }
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
            }
        }
        // All at once: an address that does not answer is waited for half a minute.
        let answers = await withTaskGroup(of: (Int, AppStoreResponse<RetrieveOutcome>?).self) { group in
            for (index, question) in questions.enumerated() {
                let (environment, client) = (question.environment, question.client)
                group.addTask {
                    guard let identifier = RequestIdentifier(UUID().uuidString) else { return (index, nil) }
                    return (index, await client.retrieve(identifier, environment: environment))
                }
            }
            return await group.reduce(into: [Int: AppStoreResponse<RetrieveOutcome>]()) { $0[$1.0] = $1.1 }
        }
        for (index, question) in questions.enumerated() {
            guard let answer = answers[index] else { continue }
            parts.append(Self.part(answer.outcome, question.app, question.environment))
        }
        let check = DoctorCheck(.appleKey, parts, otherwise: "no app has an address to report to")
        return (check, questions.indices.lazy.compactMap { answers[$0]?.serverTime }.first)
    }

    private static func part(
        _ outcome: RetrieveOutcome,
        _ app: ServeConfiguration.App,
        _ environment: AppStoreEnvironment
    ) -> DoctorCheck {
        let name = "\(app.bundleId), \(environment.rawValue)"
        let address = app.baseURL[environment].map(HTTPAddress.shown) ?? "its address"
        func stranger(_ answer: String) -> DoctorCheck {
            DoctorCheck(
                .appleKey,
                false,
                "\(name): \(address) answered \(answer), as Apple's report endpoint does not",
                fix:
                    "compare apps[].baseURL with the address that is meant, also http with https; without it reports go to Apple"
            )
        }
        switch outcome {
        case .refused(let errors) where errors.isEmpty: return stranger("400 without Apple's errors")
        case .serverError(let status) where status < 500: return stranger("\(status)")
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
                "\(name): \(address) answered \(status)",
                fix: "ask again later"
            )
        case .noAnswer(let reason):
            return DoctorCheck(
                .appleKey,
                nil,
                "\(name): \(address) gave no answer: \(reason)",
                fix: "let this machine reach \(address), also through the firewall"
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
        let address = Self.withoutSlash(publicAddress)
        let fix = "start the server, and let proxy and firewall pass \(address)/health/live to it"
        if let fault = await faultOfServer(at: address + "/health/live") {
            return DoctorCheck(.publicAddress, false, fault, fix: fix)
        }
        return DoctorCheck(.publicAddress, true, "\(address)/health/live answers as a server of this program")
    }

    /// Asks an address of `/health/live`.
    ///
    /// - Returns: why a server of this program does not answer there; nil if one does.
    func faultOfServer(at address: String) async -> String? {
        do {
            let request = HTTPClientRequest(url: address)
            let (response, body) = try await http.exchange(request, within: .seconds(10), upTo: 1 << 20)
            guard response.status.code == 200 else { return "\(address) answers \(response.status.code)" }
            let json = try? JSONReader().read(Array(body.readableBytesView)).objectValue
            return json?["status"]?.stringValue == "ok"
                ? nil : "\(address) answers 200, and not as this server does: something else is there"
        } catch {
            return "\(address): \(NetworkFailure.words(error, address: address))"
        }
    }

    private static func withoutSlash(_ address: String) -> String {
        address.hasSuffix("/") ? String(address.dropLast()) : address
    }

    /// Compares Stripe's endpoint for this server, and its event types, with what is needed.
    func stripeEvents(_ facts: LedgerFacts?) async -> DoctorCheck {
        var parts: [DoctorCheck] = []
        for stripe in configuration.stripe {
            let name = "\(stripe.bundleId)\(stripe.account.map { ", account \($0)" } ?? "")"
            guard let file = stripe.apiKeyFile else {
                let held = facts?.withoutLineItems ?? 0
                parts.append(
                    DoctorCheck(
                        .stripeEvents,
                        held > 0 ? false : nil,
                        "\(name): no apiKeyFile: events without their line items, such as every real one of Checkout, are held"
                            + (held > 0 ? ", \(held) so far" : "") + ", and Stripe is not asked for its endpoint",
                        fix:
                            "add apiKeyFile to the entry under stripe, with a restricted key of the rights in docs/stripe.md"
                    )
                )
                continue
            }
            guard FileManager.default.isReadableFile(atPath: file.path) else {
                parts.append(DoctorCheck(.stripeEvents, nil, "\(name): its API key cannot be read"))
                continue
            }
            parts.append(await part(stripe, name))
        }
        return DoctorCheck(.stripeEvents, parts, otherwise: "no account of Stripe is configured")
    }

    private func part(_ stripe: ServeConfiguration.Stripe, _ name: String) async -> DoctorCheck {
        let address = HTTPAddress.shown(stripe.baseURL)
        do {
            // The endpoint is the platform's, also for events of a connected account.
            var own = stripe
            own.account = nil
            guard let list = try await StripeSource.api(of: own, http: http)?.webhookEndpoints() else {
                return DoctorCheck(
                    .stripeEvents,
                    false,
                    "\(name): what answers at \(address) is not Stripe's API",
                    fix: "leave stripe[].baseURL out, or correct it"
                )
            }
            return part(list, name)
        } catch StripeAPIError.unauthorized {
            return DoctorCheck(
                .stripeEvents,
                false,
                "\(name): 401, Stripe does not know the API key",
                fix:
                    "make a restricted key in Stripe's dashboard with the rights in docs/stripe.md, and put it into apiKeyFile"
            )
        } catch StripeAPIError.forbidden {
            return DoctorCheck(
                .stripeEvents,
                nil,
                "\(name): the API key may not read webhook endpoints",
                fix:
                    "give the restricted key the right to read Webhook Endpoints, or compare the endpoint's events "
                    + "with docs/stripe.md"
            )
        } catch let failure as CommandFailure {
            let detail = failure.message ?? "the API key cannot be read"
            return DoctorCheck(.stripeEvents, false, detail, fix: "correct apiKeyFile")
        } catch {
            return DoctorCheck(
                .stripeEvents,
                nil,
                "\(name): \(address) gave no usable answer: \(error)",
                fix: "ask again later, and let this machine reach \(address)"
            )
        }
    }

    private func part(_ list: [JSONValue], _ name: String) -> DoctorCheck {
        let path = "/v1/webhooks/stripe"
        let all = list.compactMap(\.objectValue).map(StripeEndpoint.init).filter { $0.url.hasSuffix(path) }
        let wanted = publicAddress.map { Self.withoutSlash($0).lowercased() + path }
        let own = all.filter { wanted == nil || $0.url.lowercased() == wanted }
        func failed(_ detail: String, fix: String) -> DoctorCheck {
            DoctorCheck(.stripeEvents, false, "\(name): \(detail)", fix: fix)
        }
        guard !own.isEmpty else {
            let others = all.isEmpty ? "" : ", only \(all.map { HTTPAddress.shown($0.url) }.joined(separator: ", "))"
            return failed(
                "Stripe has no endpoint \(wanted ?? "that ends in \(path)")\(others)",
                fix: "add \(wanted ?? "https://…\(path)") in Stripe's dashboard, with the events of docs/stripe.md"
            )
        }
        let enabled = own.filter(\.isEnabled)
        guard let first = enabled.first else {
            return failed(
                "Stripe's endpoint \(HTTPAddress.shown(own[0].url)) is disabled",
                fix: "enable the endpoint in Stripe's dashboard; `stripe replay` then fetches what was missed"
            )
        }
        // Several endpoints of one address are one; of several addresses each is judged by itself.
        let addresses = Set(enabled.map(\.url)).sorted()
        let lacking = addresses.map { url in
            StripeEndpoint.lacking(enabled.filter { $0.url == url })
        }
        guard let best = lacking.min(by: { $0.count < $1.count }), best.isEmpty else {
            return failed(
                "Stripe's endpoint lacks \((lacking.min { $0.count < $1.count } ?? []).joined(separator: ", "))",
                fix:
                    "add these events to the endpoint in Stripe's dashboard; `stripe replay` then fetches what was missed"
            )
        }
        guard wanted != nil else {
            let url = zip(addresses, lacking).first { $0.1.isEmpty }?.0 ?? first.url
            return DoctorCheck(
                .stripeEvents,
                nil,
                "\(name): Stripe delivers every event that is needed to \(HTTPAddress.shown(url)), which may be another server",
                fix: "give --public-address, with which it is compared"
            )
        }
        return DoctorCheck(.stripeEvents, true, "\(name): Stripe's endpoint delivers every event that is needed")
    }
}

/// A webhook's endpoint as Stripe lists it.
private struct StripeEndpoint {
    let url: String
    let isEnabled: Bool
    let events: Set<String>

    init(_ object: JSONObject) {
        url = object["url"]?.stringValue ?? ""
        isEnabled = object["status"]?.stringValue == "enabled"
        events = Set(object["enabled_events"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// The types of events that none of the endpoints delivers.
    static func lacking(_ endpoints: [StripeEndpoint]) -> [String] {
        let events = endpoints.reduce(into: Set<String>()) { $0.formUnion($1.events) }
        guard !events.contains("*") else { return [] }
        return StripeEventTypes.needed.filter { events.isDisjoint(with: $0) }.compactMap(\.first)
    }
}
