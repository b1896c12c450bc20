import ConfigurationLint
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKit

@Suite("The flows when something is in the way")
@MainActor
struct FlowTests {
    @Test("One token for each purchase in Japan and Brazil, of the type of the destination (EK-15, SK-59, SK-61)")
    func transactionTokens() async throws {
        for (storefront, version) in [("JPN", OSVersion(26, 4)), ("BRA", OSVersion(26, 5)), ("JPN", OSVersion(27, 2))] {
            let fixture = try KitFixture([.A], in: storefront, os: version)
            fixture.model.customerId = "c-1"
            await fixture.model.refresh()
            #expect(fixture.issuer.issued.isEmpty, "no token before a purchase (TK-46)")
            let inside = await fixture.tap { await fixture.model.purchaseWithCustomLink(.withinApp) }
            fixture.clock.advance(.seconds(1))
            let outside = await fixture.tap {
                await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
            }
            await fixture.drain()
            #expect(fixture.server.arrivals.map(\.type) == [.inApp, .linkOut])
            #expect(fixture.server.arrivals.map(\.customerId) == ["c-1", "c-1"])
            guard case .continued(let first) = inside, case .continued(let second) = outside else {
                Issue.record("\(inside) \(outside)")
                continue
            }
            #expect(first.tokens + second.tokens == fixture.server.arrivals)
            #expect(first.tokens.first?.externalPurchaseId == fixture.issuer.issued.first?.token.externalPurchaseId)
            #expect(fixture.opened.all == [KitFixture.shop])
            // EK-17: the app's own disclosure below 27.2, the system's from then on.
            #expect(fixture.disclosures.all.count == (version < OSVersion(27, 2) ? 2 : 0))
            let diagnostics = await fixture.session.finish().filter { $0.severity != .note }
            #expect(diagnostics.isEmpty, "\(diagnostics)")
        }
    }

    @Test("Without a disclosure of its own the app offers nothing in Japan and Brazil below 27.2 (EK-17, SK-66)")
    func disclosureMissing() async throws {
        for version in [OSVersion(26, 5), OSVersion(27, 2)] {
            let fixture = try KitFixture([.A], in: "JPN", os: version)
            fixture.hasDisclosure = false
            fixture.relaunch()
            let result = await fixture.tap { await fixture.model.purchaseWithCustomLink(.withinApp) }
            if version < OSVersion(27, 2) {
                #expect(result == .notOffered(.disclosureMissing))
                #expect(fixture.issuer.issued.isEmpty)
            } else {
                guard case .continued = result else { throw StoreFailure(.other, message: "\(result)") }
            }
        }
    }

    @Test("Two taps make one purchase (EK-14, TK-46)")
    func doubleTap() async throws {
        let fixture = try KitFixture([.A, .P], in: "JPN", ScriptedPresenter(.delay(.milliseconds(50), .continue)))
        let model = fixture.model
        async let first = fixture.tap { await model.presentNoticeSheet() }
        async let second = fixture.tap { await model.presentNoticeSheet() }
        async let third = fixture.tap { await model.openLink() }
        let results = await [first, second]
        #expect(results.contains(.notOffered(.purchaseInProgress)))
        #expect(await third == .notOffered(.purchaseInProgress))
        #expect(fixture.issuer.issued.count == 1)
        #expect(!model.isPurchasing)
    }

    @Test("A storefront whose tokens nobody knows gets no purchase; the app can add it (EK-18)")
    func unknownScheme() async throws {
        let fixture = try KitFixture([.C], in: "DEU")
        var configuration = ExternalPurchaseModel.Configuration()
        configuration.tokenScheme = { _ in nil }
        let model = ExternalPurchaseModel(
            store: fixture.model.store,
            outbox: fixture.outbox,
            configuration: configuration
        )
        await model.refresh()
        let result = await fixture.tap { await model.purchaseWithCustomLink(.withinApp) }
        #expect(result == .notOffered(.unknownTokenScheme(storefront: "DEU")))
        #expect(fixture.issuer.issued.isEmpty)
        configuration.tokenScheme = { $0 == "DEU" ? .periods([.services]) : nil }
        let later = ExternalPurchaseModel(
            store: fixture.model.store,
            outbox: fixture.outbox,
            configuration: configuration
        )
        guard case .continued(let tokens) = await fixture.tap({ await later.purchaseWithCustomLink(.withinApp) }) else {
            Issue.record("the purchase did not go on")
            return
        }
        #expect(tokens.tokens.map(\.type) == [.services])
    }

    @Test("With a full disk no flow that makes a token begins; a customer sees no sheet (EK-27)")
    func fullDisk() async throws {
        let fixture = try KitFixture([.A], in: "JPN")
        fixture.files.isFull = true
        let sheet = await fixture.tap { await fixture.model.presentNoticeSheet() }
        guard case .notOffered(.storageFailed(let failure)) = sheet else {
            Issue.record("\(sheet)")
            return
        }
        #expect(failure.code == ENOSPC)
        let link = await fixture.tap { await fixture.model.purchaseWithCustomLink(.withinApp) }
        #expect(link == .notOffered(.storageFailed(failure)))
        #expect(fixture.disclosures.all.isEmpty)
        #expect(fixture.issuer.issued.isEmpty)
    }

    @Test("A disk that fills while the customer decides: the token goes to the server, else the app is told (EK-27)")
    func diskFillsUp() async throws {
        for isReachable in [true, false] {
            let files = Recorder<MemoryFileSystem>()
            let presenter = ScriptedPresenter(
                .decide { _ in
                    files.all.last?.isFull = true
                    return .continue
                }
            )
            let fixture = try KitFixture([.P], in: "KOR", presenter)
            files.record(fixture.files)
            if !isReachable { fixture.server.answer { _ in .retry(reason: "network error", after: nil) } }
            let result = await fixture.tap { await fixture.model.presentNoticeSheet() }
            let text = try #require(fixture.issuer.texts.first)
            if isReachable {
                #expect(result == .continued(PurchaseToken(text: text, type: nil, storefront: "KOR")))
                #expect(fixture.server.texts == [text])
            } else {
                #expect(result == .tokenNotKept(PurchaseToken(text: text, type: nil, storefront: "KOR")))
                #expect(await fixture.outbox.currentStatus.unstored == 1)
                // The app ends: the token is gone, and the next launch says so.
                fixture.relaunch()
                await fixture.outbox.deliverDue()
                #expect(await fixture.outbox.currentStatus.interruptedRequests == 1)
            }
        }
    }

    @Test("Tokens with a period that are in memory only stop the purchase; the next one finds them again (EK-27)")
    func periodTokensNotKept() async throws {
        let fixture = try KitFixture([.C], in: "DEU")
        fixture.files.isFull = true
        fixture.server.answer { _ in .retry(reason: "network error", after: nil) }
        let destination = ExternalPurchaseDestination.outOfApp(destinationURL: KitFixture.shop)
        let result = await fixture.tap { await fixture.model.purchaseWithCustomLink(destination) }
        guard case .tokensNotKept(let tokens) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(tokens.tokens.map(\.text) == fixture.issuer.texts)
        #expect(fixture.opened.all.isEmpty)
        fixture.files.isFull = false
        fixture.relaunch()
        fixture.server.answer { _ in nil }
        await fixture.model.refresh()
        await fixture.drain()
        #expect(fixture.server.texts == Set(fixture.issuer.texts))
    }

    @Test("A full outbox stops flows that make tokens and keeps what waits (EK-26)")
    func fullOutbox() async throws {
        let fixture = try KitFixture([.A, .L], in: "DEU")
        fixture.settings.largestCount = 2
        fixture.relaunch()
        fixture.server.answer { _ in .retry(reason: "status 503", after: nil) }
        await fixture.model.refresh()
        #expect(await fixture.outbox.currentStatus.pending == 2)
        // The launch makes the outbox no fuller either: for another customer both tokens are due.
        fixture.model.customerId = "c-1"
        await fixture.model.refresh()
        #expect(await fixture.outbox.currentStatus.pending == 2)
        #expect(await fixture.model.presentNoticeSheet() == .notOffered(.outboxFull))
        #expect(await fixture.model.purchaseWithCustomLink(.withinApp) == .notOffered(.outboxFull))
        // Links bring their token to the website themselves.
        #expect(await fixture.tap { await fixture.model.openLink() } == .askingCustomer(nil))
        await fixture.session.settle()
        fixture.server.answer { _ in nil }
        await fixture.drain()
        guard case .continued = await fixture.tap({ await fixture.model.presentNoticeSheet() }) else {
            Issue.record("the outbox is still full")
            return
        }
    }

    @Test("Where StoreKit fails after the customer continued, EU purchases go on, those of Japan do not (EK-16, SK-84)")
    func tokenFails() async throws {
        let disconnect = Recorder<StoreKitSession>()
        let presenter = ScriptedPresenter(
            .decide { _ in
                disconnect.all.last?.network = URLError(.notConnectedToInternet)
                return .continue
            }
        )
        for storefront in ["DEU", "JPN"] {
            let fixture = try KitFixture([.A], in: storefront, os: OSVersion(27, 2), presenter)
            disconnect.record(fixture.session)
            let result = await fixture.tap {
                await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
            }
            if storefront == "DEU" {
                guard case .continued(let tokens) = result else { throw StoreFailure(.other, message: "\(result)") }
                #expect(tokens.tokens.isEmpty && tokens.missing.count == 2)
                #expect(fixture.opened.all == [KitFixture.shop])
                fixture.session.network = nil
                await fixture.model.refresh()
                await fixture.drain()
                #expect(fixture.server.arrivals.count == 2)
            } else {
                guard case .tokenFailed(let failure) = result else { throw StoreFailure(.other, message: "\(result)") }
                #expect(failure.kind == .network)
                #expect(fixture.opened.all.isEmpty)
            }
            #expect(await fixture.outbox.currentStatus.interruptedRequests == 0)
        }
    }

    @Test(
        "A choice of no link and a link that StoreKit refuses are results, and what may be offered is read anew (EK-12)"
    )
    func links() async throws {
        let fixture = try KitFixture([.M], in: "DEU")
        #expect(await fixture.model.openLink(choosing: { _ in nil }) == .notOffered(.noLinkChosen))
        let session = fixture.session
        let result = await fixture.tap {
            await fixture.model.openLink { urls in
                session.storefront = "USA"
                return urls.first
            }
        }
        guard case .failed(let failure) = result else { throw StoreFailure(.other, message: "\(result)") }
        #expect(failure.kind == .notAvailableInStorefront)
        #expect(fixture.model.availability?.offers == [.inAppPurchase])
    }

    @Test("Errors of StoreKit keep their meaning (SK-20, SK-70)")
    func meanings() throws {
        let store = try KitFixture([], in: "DEU").model.store
        let errors: [(any Error, StoreFailure.Kind)] = [
            (StoreKitError.unsupported, .unsupported), (StoreKitError.notEntitled, .notEntitled),
            (StoreKitError.notAvailableInStorefront, .notAvailableInStorefront),
            (StoreKitError.networkError(URLError(.timedOut)), .network),
            (StoreKitError.invalidPresentationContext, .cannotPresent),
            (StoreKitError.systemError(CancellationError()), .system), (StoreKitError.unknown, .other),
            (ExternalPurchaseUnavailable(member: "x"), .unsupported), (CancellationError(), .other),
        ]
        for (error, kind) in errors {
            #expect(store.failure(error).kind == kind, "\(error)")
            #if !canImport(Darwin)
            #expect(SystemExternalPurchaseStore().failure(error).kind == kind, "\(error)")
            #endif
        }
    }
}
