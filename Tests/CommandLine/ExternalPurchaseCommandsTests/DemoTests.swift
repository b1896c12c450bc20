import CommandSupport
import ExternalPurchaseCore
import Foundation
import Logging
import Synchronization
import Testing

@testable import ExternalPurchaseCommands

@Suite("The demo plays the whole story, and can fail")
struct DemoTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var text: String { lines.withLock { $0.joined(separator: "\n") } }
    }

    private func play(_ change: (inout Demo) -> Void) async throws -> (isAccepted: Bool, text: String) {
        let lines = Lines()
        var demo = Demo()
        demo.style = TerminalStyle(isTerminal: false, environment: [:])
        demo.print = { lines.add($0) }
        demo.logger.logLevel = .critical
        change(&demo)
        return (try await demo.run(), lines.text)
    }

    @Test("Every step is accepted, and the refund's net is what is left of the buy (RR-20, RR-44, RR-46)")
    func wholeStory() async throws {
        let (isAccepted, text) = try await play { _ in }
        #expect(isAccepted, "\(text)")
        #expect(text.components(separatedBy: "✓ accepted").count - 1 == 16, "\(text)")
        // 9.99 with 21 %: tax 1.734; the refund's tax is 1.734 × 3.00 ÷ 9.99 = 0.521.
        #expect(text.contains("EUR 8.256 + tax 1.734 = 9.99; net left 8.256"), "\(text)")
        #expect(text.contains("EUR 2.479 + tax 0.521 = 3.00; net left 5.777"), "\(text)")
        #expect(!text.contains("\u{1B}"))
    }

    @Test("Without the entitlement it ends at the question, with the failed condition")
    func withoutEntitlement() async throws {
        let (isAccepted, text) = try await play { demo in
            demo.entitlements = demo.entitlements.replacing("external-purchase-link", with: "something-else")
        }
        #expect(!isAccepted)
        #expect(text.contains("✗ failed"))
        #expect(text.contains("eligibleURLs"))
        #expect(text.contains("C3"), "\(text)")
    }

    @Test("An injected 400 of Apple's side ends it at the report, with the answer")
    func refusedReport() async throws {
        let (isAccepted, text) = try await play { demo in
            demo.afterStart = { addresses in
                let fault: [String: Any] = [
                    "match": ["method": "PUT", "path": "/externalPurchase/v1/reports"],
                    "behaviour": ["status": 400], "times": 100,
                ]
                let answer = try await HTTP.send("POST", addresses.emulator + "/emulator/v1/faults", fault)
                #expect(answer.status < 300, "\(answer.json)")
            }
        }
        #expect(!isAccepted)
        #expect(text.contains("✗ failed    Apple's side accepts the report of the purchase"), "\(text)")
        #expect(text.contains("400"), "\(text)")
    }

    @Test("In another storefront it ends at the question with the reason")
    func otherStorefront() async throws {
        let (isAccepted, text) = try await play { $0.storefront = StorefrontCode("USA") ?? .netherlands }
        #expect(!isAccepted)
        #expect(text.contains("C5"), "\(text)")
    }

    @Test("The built binary ends with 0 after the story, with 1 when a step fails")
    func exitCodes() async throws {
        let story = try await BuiltBinary.run(["demo", "--headless", "--exit"])
        #expect(story.exitCode == 0, "\(story.output) \(story.error)")
        let failed = try await BuiltBinary.run(["demo", "--headless", "--exit", "--storefront", "USA"])
        #expect(failed.exitCode == 1, "\(failed.output)")
        #expect(failed.output.contains("✗ failed"))
    }
}
