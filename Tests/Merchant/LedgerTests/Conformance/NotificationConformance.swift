import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let notifications: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A notification is stored once by its UUID, as received, and done once (NT-60)",
            over: { store in
                let notification = LedgerRows.notification()
                try await store.step { ledger throws in
                    let first = try ledger.insert(notification)
                    #expect(first.isNew)
                    #expect(try ledger.notification(notification.uuid) == first.notification)
                    #expect(try ledger.insert(notification).isNew == false)
                    #expect(try ledger.notifications(LedgerPage()).count == 1)
                    #expect(try ledger.notificationsToDo(LedgerPage()) == [first.notification])
                    let effect = NotificationEffect(doneAt: LedgerRows.now, detail: "the token is confirmed")
                    try ledger.finish(notification.uuid, effect)
                    #expect(try ledger.notificationsToDo(LedgerPage()).isEmpty)
                    #expect(try ledger.notification(notification.uuid)?.effect == effect)
                    let token = LedgerRows.token().token.externalPurchaseId
                    #expect(try ledger.notifications(about: token, app: LedgerRows.shop).count == 1)
                    #expect(try ledger.notifications(about: token, app: "com.example.other").isEmpty)
                }
                for uuid in [notification.uuid, "unknown"] {
                    let refusal = await store.refusal { ledger throws in
                        try ledger.finish(uuid, NotificationEffect(doneAt: LedgerRows.now, detail: "again"))
                    }
                    #expect(refusal?.isConflict == true)
                }
            }
        ),
        LedgerConformanceCase(
            "The newest test is found; what is meant for others is kept aside without an effect (NT-69)",
            over: { store in
                try await store.step { ledger throws in
                    let times: [Int64] = [20, 30, 10]
                    for (number, time) in times.enumerated() {
                        let signed = LedgerRows.now + .milliseconds(time)
                        let uuid = NotificationUUID("test-\(number)")
                        _ = try ledger.insert(LedgerRows.notification(uuid, type: .test, signed: signed))
                    }
                    #expect(try ledger.newestNotification(ofType: .test, app: LedgerRows.shop)?.uuid == "test-1")
                    #expect(try ledger.newestNotification(ofType: "OTHER", app: LedgerRows.shop) == nil)
                    let foreign = QuarantinedNotification(
                        uuid: "foreign",
                        reason: "wrong-app",
                        payload: "e30.e30.c2ln",
                        receivedAt: LedgerRows.now
                    )
                    try ledger.quarantine(foreign)
                    try ledger.quarantine(foreign)
                    #expect(try ledger.quarantinedNotifications(LedgerPage()).map(\.uuid) == ["foreign"])
                    #expect(try ledger.notification("foreign") == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "Refusals are counted by name and cannot make the audit log grow",
            over: { store in
                try await store.step { ledger throws in
                    let later = LedgerRows.now + .milliseconds(1)
                    try ledger.countRefusal(of: "signature-invalid", at: LedgerRows.now)
                    try ledger.countRefusal(of: "signature-invalid", at: later)
                    try ledger.countRefusal(of: "body-unreadable", at: LedgerRows.now)
                    #expect(
                        try ledger.notificationRefusals() == [
                            NotificationRefusals(failure: "body-unreadable", count: 1, lastAt: LedgerRows.now),
                            NotificationRefusals(failure: "signature-invalid", count: 2, lastAt: later),
                        ]
                    )
                    #expect(try ledger.lastAuditEntry() == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "The position in the history goes on and never back (NT-68)",
            over: { store in
                try await store.step { ledger throws in
                    let later = LedgerRows.now + .milliseconds(1)
                    let production = ReportingScope(bundleId: LedgerRows.shop, environment: .production)
                    #expect(try ledger.notificationHistoryPosition(of: LedgerRows.scope) == nil)
                    try ledger.moveHistoryPosition(of: LedgerRows.scope, to: later)
                    try ledger.moveHistoryPosition(of: LedgerRows.scope, to: LedgerRows.now)
                    #expect(try ledger.notificationHistoryPosition(of: LedgerRows.scope) == later)
                    #expect(try ledger.notificationHistoryPosition(of: production) == nil)
                }
            }
        ),
    ]
}
