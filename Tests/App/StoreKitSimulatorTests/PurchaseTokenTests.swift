import ConfigurationLint
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("Tokens with periods are requested before each purchase (SK-59)")
struct PurchaseTokenTests {
    private typealias Link = ExternalPurchaseCustomLink

    /// An action of an app, one letter for each.
    enum Step: Character {
        case acquisition = "a"
        case services = "s"
        case notice = "n"
        case declinedNotice = "d"
        case open = "o"
        case sale = "$"
    }

    private static let shop = SampleApp.offer

    private static func play(_ steps: String, in session: StoreKitSession) async throws {
        for character in steps {
            switch try #require(Step(rawValue: character)) {
            case .acquisition: _ = try await Link.token(for: "ACQUISITION")
            case .services: _ = try await Link.token(for: "SERVICES")
            case .notice, .declinedNotice:
                session.presenter = ScriptedPresenter(character == "n" ? .continue : .cancel)
                _ = try await Link.showNotice(type: .browser)
            case .open: session.tell(.urlOpened(shop))
            case .sale: session.tell(.saleStarted)
            }
        }
    }

    @Test(
        "Each purchase without its requests records the missing types",
        arguments: [
            // Requests at launch count for the first purchase, before or after the notice.
            ("asno", []), ("anso", []), ("nas$", []),
            ("asno asno asn$", []),
            // Only at launch.
            ("asno no", ["ACQUISITION, SERVICES"]),
            ("asno no no", ["ACQUISITION, SERVICES", "ACQUISITION, SERVICES"]),
            ("asn$ sn$", ["ACQUISITION"]),
            ("asno ano", ["SERVICES"]),
            // A declined notice begins no purchase and does not use up a request.
            ("asd no", []), ("asno d d", []),
            // One purchase, reported twice.
            ("asno$", []),
            // The app did not report the end of the earlier purchases; the end of the session ends the last one.
            ("asn n n", ["ACQUISITION, SERVICES", "ACQUISITION, SERVICES"]),
            ("no", ["ACQUISITION, SERVICES"]),
        ] as [(String, [String])]
    )
    func purchases(_ steps: String, _ missing: [String]) async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU")
        try await session.run { try await Self.play(steps.replacing(" ", with: ""), in: session) }
        await session.finish()
        let pendingDiagnostics = session.diagnostics.filter { $0.id == "tokens-not-requested-before-purchase" }
        #expect(pendingDiagnostics.map(\.hint) == missing.map { "Not requested since the last purchase: \($0)." })
        #expect(pendingDiagnostics.allSatisfy { $0.severity == .note })
        #expect(pendingDiagnostics.allSatisfy { $0.message == "Request ACQUISITION and SERVICES before each purchase" })
    }

    @Test("Tokens per transaction record nothing here", arguments: ["JPN", "BRA"])
    func transactions(_ storefront: String) async throws {
        let session = try StoreKitSession.sample([.A], in: storefront)
        try await session.run {
            for _ in 0..<2 {
                _ = try await Link.showNotice(type: .browser)
                session.tell(.urlOpened(Self.shop))
            }
        }
        await session.finish()
        #expect(!session.diagnosticIds.contains("tokens-not-requested-before-purchase"))
    }
}
