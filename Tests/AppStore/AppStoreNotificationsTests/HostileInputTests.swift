import ExternalPurchaseCore
import Foundation
import Testing

@testable import AppStoreNotifications

@Suite("No input crashes the verifier or passes changed")
struct HostileInputTests {
    static func failure(_ verifier: NotificationVerifier, _ text: String) async -> NotificationFailure? {
        do {
            _ = try await verifier.verify(signedPayload: text)
            return nil
        } catch {
            return error.failure
        }
    }

    @Test("A change of any byte of a message makes it fail")
    func changedBytes() async throws {
        let draft = MessageDraft()
        let verifier = try draft.verifier()
        let message = try Array(draft.signedPayload().utf8)
        #expect(await Self.failure(verifier, String(decoding: message, as: UTF8.self)) == nil)
        let signature = try #require(message.lastIndex(of: UInt8(ascii: ".")))
        for index in message.indices {
            // All bits in the signature, where some could be unused; otherwise one bit for each byte.
            for bit in index >= signature ? 0..<8 : index % 8..<index % 8 + 1 {
                var changed = message
                changed[index] ^= 1 << bit
                let failure = await Self.failure(verifier, String(decoding: changed, as: UTF8.self))
                #expect(failure != nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("Every truncation fails")
    func truncations() async throws {
        let draft = MessageDraft()
        let verifier = try draft.verifier()
        let message = try Array(draft.signedPayload().utf8)
        for length in message.indices {
            let failure = await Self.failure(verifier, String(decoding: message[..<length], as: UTF8.self))
            #expect(failure != nil, "length \(length)")
        }
    }

    @Test("A changed byte of the leaf certificate under a fresh signature makes it unreadable or untrusted")
    func flippedCertificates() async throws {
        let plan = CertificatePlan()
        let leaf = try plan.leaf.der
        let others = try [plan.intermediate, plan.root].map { JSONValue.string(Data(try $0.der).base64EncodedString()) }
        let verifier = try MessageDraft().verifier()
        for index in leaf.indices {
            var changed = leaf
            changed[index] ^= UInt8(1 << (index % 8))
            var draft = MessageDraft()
            draft.chainMember = .array([.string(Data(changed).base64EncodedString())] + others)
            let failure = await Self.failure(verifier, try draft.signedPayload())
            #expect(failure == .certificateUnreadable || failure == .chainUntrusted, "byte \(index)")
        }
    }

    @Test("Random texts fail")
    func randomTexts() async throws {
        let verifier = try MessageDraft().verifier()
        var random = SplitMix64(seed: 20_261_121)
        let alphabet = Array("abcXYZ019-_=.+/{}\"\u{00}".utf8)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<200, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let failure = await Self.failure(verifier, String(decoding: bytes, as: UTF8.self))
            #expect(failure != nil)
            #expect(throws: NotificationRefusal.self) { try NotificationBody.signedPayload(in: bytes) }
        }
    }

    @Test(
        "Large texts of any shape are refused in good time",
        .timeLimit(.minutes(10)),
        arguments: [
            String(repeating: ".", count: 262_144), String(repeating: "e", count: 262_144),
            String(repeating: "W", count: 262_140) + ".e.e", String(repeating: "a", count: 5_000_000),
            Base64URL.encode(Array(String(repeating: "[", count: 190_000).utf8)) + ".e30.e30",
            Base64URL.encode(
                Array(
                    (#"{"alg":"ES256","x5c":[""# + String(repeating: "MIIB", count: 40_000)
                        + #"","","*"]}"#).utf8
                )
            ) + ".e30.e30",
        ]
    )
    func large(_ text: String) async throws {
        #expect(await Self.failure(try MessageDraft().verifier(), text) != nil)
    }

    @Test(
        "A body that is not an object with a string signedPayload is unreadable (NT-3)",
        arguments: [
            "", "null", "[]", "{}", #"{"signedPayload":1}"#, #"{"signedPayload":null}"#, #"{"signedPayload":"a""#,
            #"{"signedPayload":"a","signedPayload":"b"}"#, #"{"signedpayload":"a.b.c"}"#, "\u{FEFF}{}",
        ]
    )
    func body(_ text: String) {
        let refusal = #expect(throws: NotificationRefusal.self) {
            try NotificationBody.signedPayload(in: Array(text.utf8))
        }
        #expect(refusal?.failure == .bodyUnreadable)
    }

    @Test("A body may hold other members and 256 KiB, not a byte more (NT-3)")
    func bodySize() async throws {
        let draft = MessageDraft()
        let message = try draft.signedPayload()
        let start = #"{"later":{"a":[1]},"signedPayload":"\#(message)","fill":""#
        let fits = start + String(repeating: "x", count: 262_144 - start.utf8.count - 2) + "\"}"
        #expect(fits.utf8.count == 262_144)
        _ = try await draft.verifier().verify(body: Array(fits.utf8))
        let refusal = await #expect(throws: NotificationRefusal.self) {
            try await draft.verifier().verify(body: Array((fits + " ").utf8))
        }
        #expect(refusal?.failure == .bodyUnreadable)
    }
}
