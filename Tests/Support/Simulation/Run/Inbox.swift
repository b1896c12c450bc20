import AppStoreNotifications
import AppStoreServerClient
import ExternalPurchaseCore
import Ledger
import Reporting

/// Receives Apple's notifications, records them in the reference model, and forwards them to the running process.
final class Inbox: Sendable {
    /// Nil while no process is running.
    let merchant = Shared<ReportingSystem?>(nil)
    /// The time until which no notification is delivered, by app.
    let unheardUntil = Shared<[Int: Timestamp]>([:])
    private let ledger: any LedgerStore
    private let clock: SimulatedClock
    private let referenceModel: Shared<ReferenceModel>
    private let seededDefect: SeededDefect?

    init(
        ledger: any LedgerStore,
        clock: SimulatedClock,
        referenceModel: Shared<ReferenceModel>,
        seededDefect: SeededDefect?
    ) {
        self.ledger = ledger
        self.clock = clock
        self.referenceModel = referenceModel
        self.seededDefect = seededDefect
    }

    /// Receives one delivery attempt; returns nil for no response.
    func deliver(_ body: [UInt8], app: Int) async -> Int? {
        let now = clock.now
        guard var notice = Notice(body: body, app: app) else { return 400 }
        if seededDefect == .criesWolf { notice.isUnreported = true }
        referenceModel.with { [notice] in $0.told(notice, at: now) }
        if let until = unheardUntil.with({ $0[app] }), now < until { return nil }
        guard let merchant = merchant.with({ $0 }) else { return nil }
        if seededDefect == .forgetsNotifications {
            heard(notice)
            await checkStored(notice)
            return 200
        }
        do {
            switch try await merchant.notifications.receive(body: body) {
            case .stored, .known:
                heard(notice)
                await checkStored(notice)
                return 200
            case .refused(let refusal):
                referenceModel.with {
                    $0.report(.truthIsTaken, now, "a notification was refused: \(refusal.failure.rawValue)")
                }
                return 400
            }
        } catch {
            await lookForHeard()
            return 503
        }
    }

    /// Records notifications that the ledger has without a response, from the history or from before a crash.
    func lookForHeard() async {
        let unheard = referenceModel.with { referenceModel in
            referenceModel.tokenOrder.compactMap { referenceModel.tokens[$0] }.filter { $0.isTold && $0.heard == nil }
        }
        for token in unheard where await isNotified(token) {
            let (moment, now) = (clock.merchantNow, clock.now)
            referenceModel.with { $0.heard(token.id, isUnreported: false, at: moment, now) }
        }
    }

    private func isNotified(_ token: ReferenceModel.Token) async -> Bool {
        let bundleId = SimulatedWorld.bundleId(token.app)
        let stored = try? await ledger.read { ledger throws(LedgerError) in
            try !ledger.notifications(about: token.id, app: bundleId).isEmpty
        }
        return stored ?? false
    }

    private func heard(_ notice: Notice) {
        let (moment, now) = (clock.merchantNow, clock.now)
        referenceModel.with { $0.heard(notice.id, isUnreported: notice.isUnreported, at: moment, now) }
    }

    private func checkStored(_ notice: Notice) async {
        let (bundleId, now) = (SimulatedWorld.bundleId(notice.app), clock.now)
        let stored = try? await ledger.read { ledger throws(LedgerError) in try ledger.token(notice.id, of: bundleId) }
        guard let token = stored?.token, token.tokenCreationDate == notice.created, token.tokenType == notice.type,
            token.tokenExpirationDate == notice.expires
        else {
            referenceModel.with { referenceModel in
                referenceModel.report(
                    .acknowledgedIsStored,
                    now,
                    "a notification about \(notice.id) was acknowledged and the token is not in the ledger as it says"
                )
            }
            return
        }
    }
}

/// Accepts every notification: most worlds use unsigned ones, because signing would take most of the time.
struct TrustingVerifier: NotificationVerifying {
    func payload(of signedPayload: String) async throws(NotificationRefusal) -> NotificationPayload {
        guard let bytes = Notice.payload(of: signedPayload) else { throw NotificationRefusal(.payloadUnreadable) }
        do {
            return try NotificationPayload.read(bytes)
        } catch {
            throw NotificationRefusal(.payloadIncomplete)
        }
    }

    /// The unsigned text that the emulator sends instead of a signed one.
    static func sealed(_ payload: [UInt8]) -> String { ".\(Base64URL.encode(payload))." }
}

/// The notification history client of one process.
final class CrashingHistory: NotificationHistoryClient {
    private let transport: Transport
    private let life: ProcessLife

    init(_ transport: Transport, life: ProcessLife) {
        self.transport = transport
        self.life = life
    }

    func notificationHistory(
        from start: Timestamp,
        until end: Timestamp,
        page: String?,
        environment: AppStoreEnvironment
    ) async -> NotificationHistoryOutcome {
        guard !life.isDead, life.passes() else { return .noAnswer(reason: "dead") }
        let answer = await transport.history(from: start, until: end, page: page, environment: environment)
        return life.passes() ? answer : .noAnswer(reason: "dead")
    }
}
