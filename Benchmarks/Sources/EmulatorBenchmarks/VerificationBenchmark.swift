import AppStoreNotifications
import BenchmarkSupport
import ExternalPurchaseCore
import Foundation

/// Verifies the notifications of a folder that `verification.py` writes, on one thread.
enum VerificationBenchmark {
    private static let rounds = 20

    /// - Parameter folder: a folder with the files `root.cer` and `payloads`, of one signed payload a line.
    static func run(in folder: String) async throws {
        let folder = URL(filePath: folder)
        let root = try TrustedRoot.read([UInt8](try Data(contentsOf: folder.appending(path: "root.cer"))))
        let payloads = try String(contentsOf: folder.appending(path: "payloads"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        // The emulator's virtual time, in which its certificates are valid.
        let now = Timestamp(milliseconds: 1_790_812_900_000)
        let app = NotificationRecipient.App(bundleId: "com.example.shop", appAppleId: 1_234_567_890)
        let verifier = NotificationVerifier(roots: root, recipient: NotificationRecipient(apps: [app]), now: { now })
        let elapsed = try await seconds {
            for _ in 0..<rounds {
                for payload in payloads { _ = try await verifier.verify(signedPayload: payload) }
            }
        }
        print("VERIFIED \(Double(rounds * payloads.count) / elapsed)")
    }
}
