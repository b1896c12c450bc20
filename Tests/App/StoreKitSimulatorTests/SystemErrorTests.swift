import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("A system that fails although everything else is right")
struct SystemErrorTests {
    private typealias Link = ExternalPurchaseCustomLink

    /// Each call with a configuration and a system on which it succeeds.
    private static let calls: [(name: String, sample: SampleFiles, call: @Sendable () async throws -> Void)] = [
        ("presentNoticeSheet()", .P, { _ = try await ExternalPurchase.presentNoticeSheet() }),
        ("open()", .L, { try await ExternalPurchaseLink.open() }),
        (
            "open(url:)", .M,
            { try await ExternalPurchaseLink.open(url: #require(URL(string: "https://shop.acme.example/de"))) }
        ),
        ("showNotice(type:)", .C, { _ = try await Link.showNotice(type: .browser) }),
        ("showNotice(for:)", .C, { _ = try await Link.showNotice(for: .withinApp) }),
        ("token(for:)", .C, { _ = try await Link.token(for: "SERVICES") }),
        ("token(for: TokenType)", .C, { _ = try await Link.token(for: Link.TokenType(rawValue: "SERVICES")) }),
    ]

    @Test("Every call throws it as systemError, no property changes, and afterwards the call succeeds")
    func calls() async throws {
        for (name, sample, call) in Self.calls {
            let presenter = ScriptedPresenter(.continue)
            let issuer = CountingIssuer()
            let session = try StoreKitSession.sample([sample], in: "DEU", os: OSVersion(27, 2), presenter) {
                $0.systemError = SampleFault()
                $0.tokenIssuer = issuer
            }
            let answers = { () async -> [Bool] in
                await [
                    ExternalPurchase.canPresent, ExternalPurchaseLink.canOpen,
                    ExternalPurchaseLink.eligibleURLs != nil, Link.isEligible,
                ]
            }
            try await session.run {
                let before = await answers()
                #expect(before.contains(true), "\(name)")
                guard case .systemError(let error) = try await storeKitError(call) else {
                    Issue.record("\(name) throws no systemError")
                    return
                }
                #expect(error is SampleFault, "\(name)")
                #expect(await answers() == before, "\(name)")
            }
            #expect(session.outcomes.isEmpty && presenter.requests.isEmpty, "\(name)")
            #expect(await issuer.issued.isEmpty, "\(name)")
            session.systemError = nil
            #expect(try await session.run { try await storeKitError(call) } == nil, "\(name)")
        }
    }

    @Test("A condition that fails decides before it (SK-20)")
    func order() async throws {
        let session = try StoreKitSession.sample([.L], in: "USA") { $0.systemError = SampleFault() }
        let error = try await session.run { try await storeKitError { try await ExternalPurchaseLink.open() } }
        #expect(error?.name == "notAvailableInStorefront")
        session.update {
            $0.storefront = "DEU"
            $0.network = URLError(.timedOut)
        }
        let offline = try await session.run { try await storeKitError { try await ExternalPurchaseLink.open() } }
        #expect(offline?.name == "networkError")
    }
}
