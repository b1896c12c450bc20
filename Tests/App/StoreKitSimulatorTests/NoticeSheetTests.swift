import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("The notice of ExternalPurchase")
struct NoticeSheetTests {
    @Test("Continue gives a plain token, a new one at every call (SK-53, SK-54, TK-30)")
    func continued() async throws {
        let session = try StoreKitSession.sample([.P], in: "DEU")
        try await session.run {
            #expect(await ExternalPurchase.canPresent)
            var texts: Set<String> = []
            for _ in 0..<3 {
                guard
                    case .continuedWithExternalPurchaseToken(let text) = try await ExternalPurchase.presentNoticeSheet()
                else {
                    Issue.record("cancelled")
                    return
                }
                let token = try ExternalPurchaseToken.decode(text, mode: .strict).token
                #expect(token.family == .plain)
                #expect(token.bundleId == "com.acme.app")
                texts.insert(text)
            }
            #expect(texts.count == 3)
        }
    }

    @Test("Cancel is a result and mints nothing (SK-51, SK-54)")
    func cancelled() async throws {
        let issuer = CountingIssuer()
        let presenter = ScriptedPresenter(.cancel)
        let session = try StoreKitSession.sample([.P], in: "KOR", presenter) { $0.tokenIssuer = issuer }
        let result = try await session.run { try await ExternalPurchase.presentNoticeSheet() }
        #expect(result == .cancelled)
        #expect(await issuer.issued.isEmpty)
        #expect(presenter.requests.map(\.kind) == [.notice])
        #expect(presenter.requests.map(\.family) == ["ExternalPurchase"])
        #expect(presenter.requests.map(\.storefront) == ["KOR"])
    }

    @Test("A token that cannot be made is thrown, not swallowed (SK-54)")
    func mintingFails() async throws {
        let session = try StoreKitSession.sample([.P], in: "DEU") {
            $0.tokenIssuer = RegisteringTokenIssuer { _ in throw SampleFault() }
        }
        let error = try await session.run {
            try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
        }
        #expect(error?.failure?.reason == .tokenNotMinted)
        session.tokenIssuer = InProcessTokenIssuer()
        session.configuration = try SampleFiles.configuration([.P], bundleId: nil)
        let other = try await session.run {
            try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
        }
        #expect(other?.failure?.reason == .tokenNotMinted)
    }

    @Test(
        "Before 17.4 and for apps built before it there is no result with a token (SK-42, SK-43, TK-31)",
        arguments: [("15.4", "27.0"), ("17.3", "27.0"), ("26.5", "17.2")]
    )
    func noToken(_ version: String, _ sdk: String) async throws {
        let session = try StoreKitSession.sample([.P], in: "DEU", os: try #require(OSVersion(version))) {
            $0.device.linkedSDK = OSVersion(sdk)
        }
        let (canPresent, error) = try await session.run {
            let canPresent = await ExternalPurchase.canPresent
            return (canPresent, try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() })
        }
        // The property agrees with the method (SK-23).
        #expect(!canPresent)
        #expect(error?.name == "unsupported")
        #expect(session.diagnosticIds.contains("no-token-before-17-4"))
        // The read of the property, which was introduced in 17.4, is recorded; the method exists earlier.
        let newer = session.diagnostics.filter { $0.id == "api-newer-than-os" }
        #expect(newer.map(\.member) == (version == "26.5" ? [] : ["ExternalPurchase.canPresent"]))
    }

    @Test("On 15.3 the method itself is missing")
    func beforeTheMethod() async throws {
        let session = try StoreKitSession.sample([.P], in: "DEU", os: OSVersion(15, 3))
        let error = try await session.run {
            try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
        }
        #expect(error?.name == "unsupported")
        #expect(session.diagnosticIds.contains("api-newer-than-os"))
        #expect(!session.diagnosticIds.contains("no-token-before-17-4"))
    }

    @Test(
        "Apps built before 17.4 fail in Catalyst and compatible modes (SK-40)",
        arguments: [AppMode.catalyst, .compatibleMacOS, .compatibleVisionOS]
    )
    func oldSDKElsewhere(_ mode: AppMode) async throws {
        let session = try StoreKitSession.sample([.P], in: "DEU") {
            $0.device.mode = mode
            $0.device.linkedSDK = OSVersion(17, 2)
        }
        try await session.run {
            #expect(await !ExternalPurchase.canPresent)
            let error = try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
            #expect(error?.name == "unsupported")
            session.device.linkedSDK = OSVersion(17, 4)
            #expect(await ExternalPurchase.canPresent)
            #expect(try await ExternalPurchase.presentNoticeSheet() != .cancelled)
        }
    }

    @Test("While a sheet is up calls of every family fail and the first is undisturbed (SK-52)")
    func singleFlight() async throws {
        let gate = Gate()
        let presenter = ScriptedPresenter(
            .decide { _ in
                await gate.wait()
                return .continue
            }
        )
        let session = try StoreKitSession.sample([.P, .L, .C], in: "DEU", presenter)
        try await session.run {
            async let first = ExternalPurchase.presentNoticeSheet()
            while presenter.requests.isEmpty { await Task.yield() }
            let errors = [
                try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() },
                try await storeKitError { try await ExternalPurchaseLink.open() },
                try await storeKitError { _ = try await ExternalPurchaseCustomLink.showNotice(type: .browser) },
            ]
            #expect(errors.map { $0?.failure?.reason } == Array(repeating: .sheetCannotBePresented, count: 3))
            // A token needs no sheet (SK-58).
            #expect(try await ExternalPurchaseCustomLink.token(for: "SERVICES") != nil)
            await gate.open()
            #expect(try await first != .cancelled)
        }
        #expect(session.diagnosticIds.filter { $0 == "sheet-already-up" }.count == 3)
    }

    @Test("A presenter that throws or never answers ends the call and frees the screen (SK-52)")
    func presenterFails() async throws {
        let presenter = ScriptedPresenter(.fail(SampleFault()), .never, .continue)
        let session = try StoreKitSession.sample([.P], in: "DEU", presenter) {
            $0.presenterTimeout = .milliseconds(50)
        }
        try await session.run {
            let thrown = try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
            #expect(thrown?.failure?.underlying is SampleFault)
            let silent = try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
            #expect(silent?.failure?.message.contains("no answer within") == true)
            session.presenterTimeout = .seconds(30)
            #expect(try await ExternalPurchase.presentNoticeSheet() != .cancelled)
        }
    }

    @Test(
        "In Japan and Brazil it works by the widened list and records a diagnostic (SK-24, SK-28)",
        arguments: ["JPN", "BRA"]
    )
    func widened(_ storefront: String) async throws {
        let session = try StoreKitSession.sample([.A], in: storefront)
        try await session.run { () async throws in
            #expect(await ExternalPurchase.canPresent)
            #expect(try await ExternalPurchase.presentNoticeSheet() != .cancelled)
        }
        let pendingDiagnostic = try #require(session.diagnostics.first { $0.id == "api-not-of-programme" })
        #expect(
            pendingDiagnostic.message == "\(storefront == "JPN" ? "Japan" : "Brazil") uses ExternalPurchaseCustomLink"
        )
        session.widenedEntitlement = .off
        let error = try await session.run {
            try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
        }
        #expect(error?.name == "notEntitled")
    }
}
