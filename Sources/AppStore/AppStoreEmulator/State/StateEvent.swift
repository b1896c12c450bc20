import Crypto
import ExternalPurchaseCore
import SwiftASN1
import TokenLifecycle
import X509

/// A change of the emulator's state.
///
/// The state file contains these in their order; a snapshot is the shortest list that leads to the current state. The
/// journal and injected faults are in neither, because they belong to the process.
enum StateEvent: Codable, Sendable {
    case ownIssuer(String)
    case key(StoredKey)
    case app(StoredApp)
    case settings([String: String])
    case clock(StoredClock)
    case chain(ChainRecord)
    case token(String)
    case report(StoredReport)
    case lifecycle(StoredLifecycleInput)
    case notification(StoredNotification)
    /// Events were added to the queue.
    case due([StoredEvent])
    /// An event happened.
    case done(StoredEvent)
}

/// A snapshot or state file cannot be used.
struct StoredStateError: Error, Hashable, Sendable {
    let message: String
}

struct StoredKey: Codable, Sendable {
    var issuerId: String
    var privateKey: String

    init(_ key: SigningKey) {
        issuerId = key.issuerId
        privateKey = key.privateKey.pemRepresentation
    }

    func key(_ dependencies: EmulatorDependencies) throws(StoredStateError) -> SigningKey {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: privateKey) else {
            throw StoredStateError(message: "a key is not a P-256 private key in PEM")
        }
        return SigningKey(issuerId: issuerId, privateKey: key, dependencies: dependencies)
    }
}

struct StoredApp: Codable, Sendable {
    var bundleId: String
    var appAppleId: Int64
    var keyId: String
    var productionURL: String?
    var sandboxURL: String?
    var isReleased: Bool

    init(_ app: AppRegistry.App) {
        bundleId = app.bundleId.rawValue
        appAppleId = app.appAppleId
        keyId = app.key.id
        productionURL = app.notificationURLs?.production
        sandboxURL = app.notificationURLs?.sandbox
        isReleased = app.isReleased
    }

    var notificationURLs: NotificationURLs? {
        productionURL == nil && sandboxURL == nil
            ? nil : NotificationURLs(production: productionURL, sandbox: sandboxURL)
    }
}

struct StoredClock: Codable, Sendable {
    /// The virtual time in UNIX ms; nil follows the machine's clock.
    var virtual: Int64?
    var newestEvent: Int64?
}

/// The certificate chain with its keys.
///
/// Each certificate is stored as DER.
struct ChainRecord: Codable, Sendable {
    struct Link: Codable, Sendable {
        var certificate: Data
        var key: Data
    }

    var root: Link
    var intermediate: Link
    var leaf: Link

    init(_ chain: SigningChain) {
        root = Link(certificate: Data(chain.root.der), key: chain.root.key.rawRepresentation)
        intermediate = Link(certificate: Data(chain.intermediate.der), key: chain.intermediate.key.rawRepresentation)
        leaf = Link(certificate: Data(chain.leaf.der), key: chain.leaf.key.rawRepresentation)
    }

    func chain() throws(StoredStateError) -> SigningChain {
        do {
            return SigningChain(
                root: try Self.link(root) { try P384.Signing.PrivateKey(rawRepresentation: $0) },
                intermediate: try Self.link(intermediate) { try P384.Signing.PrivateKey(rawRepresentation: $0) },
                leaf: try Self.link(leaf) { try P256.Signing.PrivateKey(rawRepresentation: $0) }
            )
        } catch {
            throw StoredStateError(message: "the certificates of notifications cannot be read: \(error)")
        }
    }

    private static func link<Key: Sendable>(
        _ link: Link,
        key: (Data) throws -> Key
    ) throws -> SigningChain.Link<Key> {
        let der = Array(link.certificate)
        return SigningChain.Link(
            certificate: try Certificate(derEncoded: der),
            der: der,
            key: try key(link.key)
        )
    }
}

struct StoredReport: Codable, Sendable {
    var bundleId: String
    var environment: String
    /// The report in the format of the response to GET.
    var body: String

    init(_ report: ReceivedReport, in scope: ReportingScope) {
        bundleId = scope.bundleId.rawValue
        environment = scope.environment.rawValue
        body = String(decoding: report.json.encoded(), as: UTF8.self)
    }

    func report() throws(StoredStateError) -> (ReceivedReport, ReportingScope) {
        guard let environment = AppStoreEnvironment(rawValue: environment),
            // The report was within the limits when it was accepted; the current limits do not apply.
            let report = try? ReceivedReport.read(
                Array(body.utf8),
                limits: ReportLimits(bodyBytes: .max, lineItems: .max)
            )
        else { throw StoredStateError(message: "a report cannot be read") }
        return (report, ReportingScope(bundleId: BundleId(rawValue: bundleId), environment: environment))
    }
}

struct StoredLifecycleInput: Codable, Sendable {
    struct Event: Codable, Sendable {
        var device: Int
        var event: AppEvent
        var app: String
        var environment: String
        var isConfigured: Bool
        var draws: [UUID]
    }

    struct Call: Codable, Sendable {
        var device: Int
        var type: String?
        var app: String
        var environment: String
        var draw: UUID
    }

    var at: Int64
    var servicesLifetime: Int64
    var acquisitionLifetime: Int64
    var sandboxLifetime: Int64
    var transactionTokenLifetime: Int64?
    var refreshPolicy: String
    var deviceOf: Int?
    var event: Event?
    var call: Call?

    init(_ input: LifecycleInput) {
        at = input.at.milliseconds
        servicesLifetime = input.settings.servicesLifetime.wholeMilliseconds
        acquisitionLifetime = input.settings.acquisitionLifetime.wholeMilliseconds
        sandboxLifetime = input.settings.sandboxLifetime.wholeMilliseconds
        transactionTokenLifetime = input.settings.transactionTokenLifetime?.wholeMilliseconds
        refreshPolicy =
            switch input.settings.refreshPolicy {
            case .identical: "identical"
            case .refreshed: "refreshed"
            case .random(let seed): String(seed)
            }
        switch input.kind {
        case .account: break
        case .device(let account): deviceOf = account
        case .event(let event):
            self.event = Event(
                device: event.device,
                event: event.event,
                app: event.app.bundleId.rawValue,
                environment: event.environment.rawValue,
                isConfigured: event.isConfigured,
                draws: [event.draws.0, event.draws.1]
            )
        case .call(let call):
            self.call = Call(
                device: call.device,
                type: call.type?.rawValue,
                app: call.app.bundleId.rawValue,
                environment: call.environment.rawValue,
                draw: call.draw
            )
        }
    }

    func input(apps: AppRegistry) throws(StoredStateError) -> LifecycleInput {
        var settings = LifecycleSettings()
        settings.servicesLifetime = .milliseconds(servicesLifetime)
        settings.acquisitionLifetime = .milliseconds(acquisitionLifetime)
        settings.sandboxLifetime = .milliseconds(sandboxLifetime)
        settings.transactionTokenLifetime = transactionTokenLifetime.map { .milliseconds($0) }
        settings.refreshPolicy =
            switch refreshPolicy {
            case "identical": .identical
            case "refreshed": .refreshed
            default: .random(seed: UInt64(refreshPolicy) ?? 0)
            }
        return LifecycleInput(kind: try kind(apps), at: Timestamp(milliseconds: at), settings: settings)
    }

    private func kind(_ apps: AppRegistry) throws(StoredStateError) -> LifecycleInput.Kind {
        func app(_ id: String) throws(StoredStateError) -> TokenLifecycle.App {
            guard let app = apps[BundleId(rawValue: id)] else {
                throw StoredStateError(message: "a customer uses the app \(id), which is not registered")
            }
            return TokenLifecycle.App(appAppleId: app.appAppleId, bundleId: app.bundleId)
        }
        if let deviceOf { return .device(account: deviceOf) }
        if let event {
            guard event.draws.count == 2 else { throw StoredStateError(message: "an event lacks its random numbers") }
            return .event(
                LifecycleInput.Event(
                    device: event.device,
                    event: event.event,
                    app: try app(event.app),
                    environment: AppStoreEnvironment(rawValue: event.environment) ?? .sandbox,
                    isConfigured: event.isConfigured,
                    draws: (event.draws[0], event.draws[1])
                )
            )
        }
        if let call {
            return .call(
                LifecycleInput.Call(
                    device: call.device,
                    type: call.type.map(TokenType.init(rawValue:)),
                    app: try app(call.app),
                    environment: AppStoreEnvironment(rawValue: call.environment) ?? .sandbox,
                    draw: call.draw
                )
            )
        }
        return .account
    }
}

struct StoredNotification: Codable, Sendable {
    struct Attempt: Codable, Sendable {
        var date: Int64
        var result: String
    }

    var id: String
    var bundleId: String
    var environment: String
    var type: String
    var subtype: String?
    var externalPurchaseId: String?
    var madeAt: Int64
    var signedPayload: String?
    var testNotificationToken: String?
    var tampering: String?
    var attempts: [Attempt]
    var nextAttempt: Int64?

    /// The names of the members in a state file or snapshot.
    enum CodingKeys: String, CodingKey {
        case id, bundleId, environment, type, subtype, externalPurchaseId, madeAt, signedPayload
        case testNotificationToken, attempts, nextAttempt
        case tampering = "damage"
    }

    init(_ record: NotificationRecord) {
        id = record.id
        bundleId = record.bundleId.rawValue
        environment = record.environment.rawValue
        type = record.type.rawValue
        subtype = record.subtype?.rawValue
        externalPurchaseId = record.externalPurchaseId?.rawValue
        madeAt = record.madeAt.milliseconds
        signedPayload = record.signedPayload
        testNotificationToken = record.testNotificationToken
        tampering = record.tampering?.rawValue
        attempts = record.attempts.map { Attempt(date: $0.date.milliseconds, result: $0.result.rawValue) }
        nextAttempt = record.nextAttempt?.milliseconds
    }

    var record: NotificationRecord {
        NotificationRecord(
            id: id,
            bundleId: BundleId(rawValue: bundleId),
            environment: AppStoreEnvironment(rawValue: environment) ?? .sandbox,
            type: NotificationType(rawValue: type),
            subtype: subtype.map(NotificationSubtype.init(rawValue:)),
            externalPurchaseId: externalPurchaseId.map(ExternalPurchaseId.init(rawValue:)),
            madeAt: Timestamp(milliseconds: madeAt),
            signedPayload: signedPayload,
            testNotificationToken: testNotificationToken,
            tampering: tampering.flatMap(NotificationTampering.init(rawValue:)),
            attempts: attempts.map {
                DeliveryAttempt(
                    date: Timestamp(milliseconds: $0.date),
                    result: DeliveryResult(rawValue: $0.result) ?? .other
                )
            },
            nextAttempt: nextAttempt.map(Timestamp.init(milliseconds:))
        )
    }
}

struct StoredEvent: Codable, Sendable {
    var moment: Int64
    var kind: String
    var id: String
    var number: Int64?

    init(_ event: DueEvent) {
        moment = event.moment.milliseconds
        switch event.kind {
        case .created(let token): (kind, id) = ("created", token.rawValue)
        case .reminder(let token, let count): (kind, id, number) = ("reminder", token.rawValue, count)
        case .unreported(let token, let count): (kind, id, number) = ("unreported", token.rawValue, count)
        case .attempt(let notification): (kind, id) = ("attempt", notification)
        }
    }

    func event() throws(StoredStateError) -> DueEvent {
        let token = ExternalPurchaseId(rawValue: id)
        let kind: DueEvent.Kind =
            switch self.kind {
            case "created": .created(token)
            case "reminder": .reminder(token, number ?? 1)
            case "unreported": .unreported(token, number ?? 0)
            case "attempt": .attempt(id)
            default: throw StoredStateError(message: "there is no event \(self.kind)")
            }
        return DueEvent(moment: Timestamp(milliseconds: moment), kind: kind)
    }
}
