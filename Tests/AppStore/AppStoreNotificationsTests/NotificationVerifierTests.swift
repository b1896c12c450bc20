import ExternalPurchaseCore
import Foundation
import Synchronization
import Testing
import X509

@testable import AppStoreNotifications

@Suite("A notification is verified step by step")
struct NotificationVerifierTests {
    static func verdict(_ draft: MessageDraft) async throws -> NotificationFailure? {
        do {
            _ = try await draft.verifier().verify(signedPayload: draft.signedPayload())
            return nil
        } catch let refusal as NotificationRefusal {
            return refusal.failure
        }
    }

    @Test("A genuine message yields its payload and the root that vouches for it")
    func genuine() async throws {
        let draft = MessageDraft()
        let notification = try await draft.verifier().verify(signedPayload: draft.signedPayload())
        #expect(notification.payload.subtype == .created)
        #expect(notification.payload.externalPurchaseToken?.externalPurchaseId.rawValue == draft.tokenId)
        #expect(notification.payload.signedDate == CertificatePlan.signedDate)
        #expect(notification.root.certificate.serialNumber == .init(1))
        #expect(!notification.root.isApple)
    }

    @Test("A tampered message is refused by its step", arguments: TamperedMessage.oneEach + TamperedMessage.more)
    func tampered(_ message: TamperedMessage) async throws {
        var draft = MessageDraft()
        message.tamper(&draft)
        #expect(try await Self.verdict(draft) == message.failure)
    }

    @Test("Every failure of section 2.1 has a tampered message")
    func everyFailure() {
        let noticed = Set((TamperedMessage.oneEach + TamperedMessage.more).map(\.failure))
        #expect(Set(NotificationFailure.allCases).subtracting(noticed) == [.bodyUnreadable])
    }

    @Test("Of two defects the one with the lower number is reported", arguments: TamperedMessage.oneEach.indices)
    func order(_ first: Int) async throws {
        for second in TamperedMessage.oneEach.indices.dropFirst(first + 1) {
            var draft = MessageDraft()
            TamperedMessage.oneEach[second].tamper(&draft)
            TamperedMessage.oneEach[first].tamper(&draft)
            let verdict = try await Self.verdict(draft)
            #expect(
                verdict == TamperedMessage.oneEach[first].failure,
                "\(TamperedMessage.oneEach[first].rule) and \(TamperedMessage.oneEach[second].rule)"
            )
        }
    }

    @Test(
        "Differences that the rules allow are accepted",
        arguments: [
            TamperedMessage("NT-21", "padding", .bodyUnreadable) { $0.pads = true },
            TamperedMessage("NT-38", "a third element that is no certificate", .bodyUnreadable) {
                $0.thirdElement = .string("*")
            },
            TamperedMessage("NT-95", "a root of the same name and key but other bytes", .bodyUnreadable) {
                $0.plan.rootSerial = 77
            },
            TamperedMessage("NT-13", "critical markers", .bodyUnreadable) { $0.plan.markersAreCritical = true },
            TamperedMessage("NT-27", "an authority without key usage", .bodyUnreadable) {
                $0.plan.intermediateUsage = nil
            },
            TamperedMessage("NT-27", "a root without limit of path length", .bodyUnreadable) {
                $0.trusted.rootConstraint = .isCertificateAuthority(maxPathLength: nil)
            },
            TamperedMessage("NT-31", "not revoked", .bodyUnreadable) { $0.revocation = ScriptedRevocation(nil) },
            TamperedMessage("NT-35", "another app id in the sandbox", .bodyUnreadable) {
                $0.tokenId = "SANDBOX_4d3f"
                $0.appAppleId = 99
                $0.environments = [.sandbox]
            },
            TamperedMessage("NT-37", "certificates that end between signing and now", .bodyUnreadable) {
                $0.now = CertificatePlan.signedDate + .days(2_000)
            },
        ]
    )
    func accepted(_ message: TamperedMessage) async throws {
        var draft = MessageDraft()
        message.tamper(&draft)
        #expect(try await Self.verdict(draft) == nil)
    }

    @Test("With online checks the certificates count now, else when signed, else now (NT-37)")
    func time() async throws {
        var late = MessageDraft()
        late.now = CertificatePlan.signedDate + .days(200)
        #expect(try await Self.verdict(late) == nil)
        late.revocation = ScriptedRevocation(nil)
        #expect(try await Self.verdict(late) == .certificateExpired)
        late.revocation = nil
        late.signedDate = nil
        #expect(try await Self.verdict(late) == .certificateExpired)
        late.now = CertificatePlan.signedDate
        #expect(try await Self.verdict(late) == .payloadIncomplete)
    }

    @Test("The first and the last second of a certificate count as valid")
    func bounds() async throws {
        var draft = MessageDraft()
        draft.plan.leafEnd = CertificatePlan.signedDate
        draft.plan.leafBeginning = CertificatePlan.signedDate
        #expect(try await Self.verdict(draft) == nil)
        draft.signedDate = CertificatePlan.signedDate + .milliseconds(999)
        #expect(try await Self.verdict(draft) == nil)
        draft.signedDate = CertificatePlan.signedDate + .seconds(1)
        #expect(try await Self.verdict(draft) == .certificateExpired)
        draft.signedDate = CertificatePlan.signedDate - .milliseconds(1)
        #expect(try await Self.verdict(draft) == .certificateNotYetValid)
    }

    @Test("Dates at the limits of 64 bits are checked without a crash", arguments: [Int64.min, 0, .max])
    func extremeDates(_ milliseconds: Int64) async throws {
        var draft = MessageDraft()
        draft.signedDate = Timestamp(milliseconds: milliseconds)
        #expect(try await Self.verdict(draft) == (milliseconds > 0 ? .certificateExpired : .certificateNotYetValid))
    }

    @Test("Without a configured root nothing is trusted (NT-12)")
    func noRoots() async throws {
        let draft = MessageDraft()
        let verifier = NotificationVerifier(roots: [], recipient: NotificationRecipient(apps: nil), now: { draft.now })
        let refusal = await #expect(throws: NotificationRefusal.self) {
            try await verifier.verify(signedPayload: draft.signedPayload())
        }
        #expect(refusal?.failure == .chainUntrusted)
    }

    @Test("Among roots of one name and key a valid one serves, whatever their order", arguments: [false, true])
    func severalRoots(_ isReversed: Bool) async throws {
        let draft = MessageDraft()
        var ended = CertificatePlan()
        ended.rootSerial = 9
        ended.rootEnd = CertificatePlan.signedDate - .days(1)
        var roots = try [TrustedRoot(der: ended.root.der), TrustedRoot(der: draft.plan.root.der)]
        if isReversed { roots.reverse() }
        let verifier = NotificationVerifier(
            roots: roots,
            recipient: NotificationRecipient(apps: nil),
            now: { draft.now }
        )
        let notification = try await verifier.verify(signedPayload: draft.signedPayload())
        #expect(notification.root.certificate.serialNumber == .init(1))
    }

    @Test("A refusal contains the payload only after its signature was verified (NT-39)")
    func payloadOfRefusals() async throws {
        for message in TamperedMessage.oneEach + TamperedMessage.more {
            var draft = MessageDraft()
            message.tamper(&draft)
            let refusal = await #expect(throws: NotificationRefusal.self) {
                try await draft.verifier().verify(signedPayload: draft.signedPayload())
            }
            let isGenuine = message.failure == .wrongApp || message.failure == .wrongEnvironment
            #expect((refusal?.payload != nil) == isGenuine, "\(message.testDescription)")
            #expect((refusal?.payloadError != nil) == (message.failure == .payloadIncomplete))
        }
    }

    @Test("Only an unanswered online check may pass later (NT-37)")
    func retry() {
        #expect(NotificationFailure.allCases.filter(\.mayPassLater) == [.revocationUnavailable])
    }
}

@Suite("Verified chains are remembered for 15 minutes (NT-39)")
struct VerifiedChainsTests {
    final class Clock: Sendable {
        private let time = Mutex(CertificatePlan.signedDate)

        var now: Timestamp {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }

    static func verifier(_ draft: MessageDraft, _ clock: Clock) throws -> NotificationVerifier {
        try NotificationVerifier(
            roots: [TrustedRoot(der: draft.trusted.root.der)],
            recipient: NotificationRecipient(apps: nil),
            revocation: draft.revocation,
            now: { clock.now }
        )
    }

    @Test("The online check is asked again after 15 minutes, not before")
    func duration() async throws {
        let revocation = ScriptedRevocation(nil)
        var draft = MessageDraft()
        draft.revocation = revocation
        let clock = Clock()
        let verifier = try Self.verifier(draft, clock)
        let message = try draft.signedPayload()
        for (minutes, asked) in [(0, 1), (1, 1), (15, 1), (16, 2), (20, 2)] as [(Int64, Int)] {
            clock.now = CertificatePlan.signedDate + .minutes(minutes)
            _ = try await verifier.verify(signedPayload: message)
            #expect(await revocation.count == asked, "minute \(minutes)")
        }
    }

    @Test("A remembered chain does not outlive its leaf")
    func end() async throws {
        var draft = MessageDraft()
        draft.revocation = ScriptedRevocation(nil)
        draft.plan.leafEnd = CertificatePlan.signedDate + .minutes(1)
        let clock = Clock()
        let verifier = try Self.verifier(draft, clock)
        let message = try draft.signedPayload()
        _ = try await verifier.verify(signedPayload: message)
        clock.now = CertificatePlan.signedDate + .minutes(2)
        let refusal = await #expect(throws: NotificationRefusal.self) {
            try await verifier.verify(signedPayload: message)
        }
        #expect(refusal?.failure == .certificateExpired)
    }

    @Test("A remembered chain vouches neither for another date nor for another signature")
    func notEverything() async throws {
        let clock = Clock()
        let verifier = try Self.verifier(MessageDraft(), clock)
        // All messages have the same leaf, because two certificates with the same content have different signatures.
        let header = try #require(MessageDraft().signedPayload().split(separator: ".").first.map(String.init))
        func message(_ change: (inout MessageDraft) -> Void) throws -> String {
            var draft = MessageDraft()
            draft.headerText = header
            change(&draft)
            return try draft.signedPayload()
        }
        func verdict(_ text: String) async -> NotificationFailure? {
            do {
                _ = try await verifier.verify(signedPayload: text)
                return nil
            } catch {
                return error.failure
            }
        }
        #expect(await verdict(try message { _ in }) == nil)
        #expect(verifier.verifiedChains.count == 1)
        #expect(await verdict(try message { $0.signature = .flippedBit }) == .signatureWrong)
        let late = CertificatePlan.signedDate + .days(200)
        #expect(await verdict(try message { $0.signedDate = late }) == .certificateExpired)
        #expect(await verdict(try message { _ in }) == nil)
        #expect(verifier.verifiedChains.count == 1)
    }

    @Test("No more than 32 chains are remembered, and no failed one")
    func bounded() async throws {
        let clock = Clock()
        let verifier = try Self.verifier(MessageDraft(), clock)
        for _ in 0..<40 {
            // Each draft creates certificates with new signatures, and therefore other bytes.
            _ = try await verifier.verify(signedPayload: MessageDraft().signedPayload())
        }
        #expect(verifier.verifiedChains.count == VerifiedChains.capacity)

        let fresh = try Self.verifier(MessageDraft(), clock)
        var draft = MessageDraft()
        draft.plan.leafMarker = nil
        _ = try? await fresh.verify(signedPayload: draft.signedPayload())
        #expect(fresh.verifiedChains.count == 0)
    }
}
