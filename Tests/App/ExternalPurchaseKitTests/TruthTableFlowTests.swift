import ConfigurationLint
import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation
import StoreKitSimulator
import Testing

@Suite("Every row of the truth table, with every answer of the customer, through the kit")
@MainActor
struct TruthTableFlowTests {
    nonisolated static let answers = ["continue", "continueWithoutReminders", "cancel", "fail"]

    private static func presenter(_ answer: String) -> ScriptedPresenter {
        switch answer {
        case "continue": ScriptedPresenter(.continue)
        case "continueWithoutReminders": ScriptedPresenter(.continueWithoutReminders)
        case "cancel": ScriptedPresenter(.cancel)
        default: ScriptedPresenter(.fail(CancellationError()))
        }
    }

    private static func fixture(_ row: TruthTableRow, _ answer: String) throws -> KitFixture {
        let fixture = try KitFixture(row.samples, in: row.storefront, presenter(answer), entitled: row.isEntitled)
        var failure: (any Error)?
        fixture.session.update { inputs in
            do { try row.configure(&inputs) } catch { failure = error }
        }
        if let failure { throw failure }
        fixture.disclosureAnswer = answer.hasPrefix("continue")
        fixture.relaunch()
        return fixture
    }

    @Test("The table was found")
    func count() {
        #expect(TruthTableRow.all.map(\.id) == (1...40).map { "T\($0)" })
        #expect(TruthTableRow.all.allSatisfy { !$0.samples.isEmpty && $0.expected.count == 5 })
    }

    @Test("The model offers what the table says, with the reason of each answer (EK-2)", arguments: TruthTableRow.all)
    func availability(_ row: TruthTableRow) async throws {
        let fixture = try Self.fixture(row, "continue")
        await fixture.model.refresh()
        let availability = try #require(fixture.model.availability)
        guard availability.canMakePayments else {
            // SK-80: nothing is asked and nothing offered.
            #expect(row.differences == ["payments restricted"])
            #expect(availability.offers.isEmpty && availability.answers.isEmpty)
            return
        }
        for (property, expected) in zip(EligibilityProperty.allCases, row.expected) {
            let answer = try #require(availability.answers[property])
            #expect(answer.isAvailable == (expected == "yes"), "\(row.id) \(property)")
            let reason = try #require(answer.reason)
            #expect(expected == "yes" ? reason.contains(": yes") : reason.contains("(\(expected))"), "\(reason)")
        }
        let yes = zip(EligibilityProperty.allCases, row.expected).filter { $0.1 == "yes" }.map(\.0)
        let order: [EligibilityProperty] = [.isEligible, .eligibleURLs, .canOpen, .canPresent]
        let offers: [EligibilityProperty: PurchaseAvailability.Offer] = [
            .isEligible: .customLink(ProgrammeTerms.Flow.allCases), .eligibleURLs: .links(availability.eligibleURLs),
            .canOpen: .link,
            .canPresent: .noticeSheet,
        ]
        let expected = order.filter(yes.contains).compactMap { offers[$0] }
        let isKorean = row.samples.contains(.P) || row.storefront != "KOR"
        let listed = PurchaseAvailability.Offer.listed(expected, in: isKorean ? row.storefront : nil)
        #expect(availability.offers == listed, "\(row.id)")
        await fixture.drain()
        await Self.expectCorrectUse(fixture)
    }

    @Test("The link flow (EK-2, SK-82)", arguments: TruthTableRow.all, answers)
    func link(_ row: TruthTableRow, _ answer: String) async throws {
        let fixture = try Self.fixture(row, answer)
        let result = await fixture.tap { await fixture.model.openLink() }
        await fixture.session.settle()
        let region = try #require(row.storefront.map { StorefrontCode($0)?.region ?? "" } ?? "")
        if row.expected[2] == "yes" {
            #expect(result == .askingCustomer(URL(string: SampleFiles.page(region))), "\(row.id)")
        } else if row.expected[1] == "yes" {
            #expect(result == .askingCustomer(nil), "\(row.id)")
        } else {
            try Self.expectNotOffered(row, column: 2, result) {
                if case .notOffered(let reason) = $0 { reason } else { nil }
            }
        }
        // The token of a link goes with its address (TK-60).
        #expect(await fixture.outbox.currentStatus.pending == 0)
        await Self.expectCorrectUse(fixture)
    }

    @Test("The notice sheet (SK-53, SK-54)", arguments: TruthTableRow.all, answers)
    func noticeSheet(_ row: TruthTableRow, _ answer: String) async throws {
        let fixture = try Self.fixture(row, answer)
        let result = await fixture.tap { await fixture.model.presentNoticeSheet() }
        await fixture.drain()
        if row.expected[0] == "yes" {
            switch result {
            case .continued(let token):
                #expect(answer.hasPrefix("continue"))
                #expect(token.type == nil && token.storefront == row.storefront)
                #expect([token.text] == fixture.issuer.texts)
            case .cancelled: #expect(answer == "cancel")
            case .failed(let failure): #expect(answer == "fail" && failure.kind == .system)
            default: Issue.record("\(row.id) \(answer): \(result)")
            }
        } else {
            try Self.expectNotOffered(row, column: 0, result) {
                if case .notOffered(let reason) = $0 { reason } else { nil }
            }
        }
        try await Self.expectDelivered(fixture)
        await Self.expectCorrectUse(fixture)
    }

    @Test("Custom links (EK-15, EK-16, SK-59, SK-63)", arguments: TruthTableRow.all, answers)
    func customLink(_ row: TruthTableRow, _ answer: String) async throws {
        let fixture = try Self.fixture(row, answer)
        let result = await fixture.tap {
            await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
        }
        await fixture.drain()
        let isTransaction = ["JPN", "BRA"].contains(row.storefront)
        if row.expected[3] != "yes" {
            try Self.expectNotOffered(row, column: 3, result) {
                if case .notOffered(let reason) = $0 { reason } else { nil }
            }
        } else if answer == "cancel" || (answer == "fail" && isTransaction) {
            #expect(result == .cancelled, "\(row.id)")
        } else if answer == "fail" {
            guard case .failed = result else { throw Unexpected(row.id, result) }
        } else {
            guard case .continued(let tokens) = result else { throw Unexpected(row.id, result) }
            let types: [TokenType] = isTransaction ? [.linkOut] : [.acquisition, .services]
            if row.expected[4] == "yes" {
                #expect(tokens.tokens.map(\.type) == types, "\(row.id)")
                #expect(tokens.missing.isEmpty)
            } else {
                #expect(tokens.tokens.isEmpty)
                #expect(tokens.missing == Dictionary(uniqueKeysWithValues: types.map { ($0, .unsupported) }))
            }
            #expect(fixture.opened.all == [KitFixture.shop])
        }
        if case .continued = result {} else { #expect(fixture.opened.all.isEmpty) }
        try await Self.expectDelivered(fixture)
        await Self.expectCorrectUse(fixture)
    }

    private struct Unexpected: Error {
        let text: String

        init(_ row: String, _ result: some Any) { text = "\(row): \(result)" }
    }

    private static func expectNotOffered<Result>(
        _ row: TruthTableRow,
        column: Int,
        _ result: Result,
        _ reason: (Result) -> NotOffered?
    ) throws {
        switch reason(result) {
        case .paymentsNotAllowed: #expect(row.differences == ["payments restricted"], "\(row.id)")
        case .notAvailable(let why):
            #expect(try #require(why).contains("(\(row.expected[column]))"), "\(row.id): \(why ?? "")")
        default: throw Unexpected(row.id, result)
        }
    }

    /// The session has nothing to say about how the kit used StoreKit.
    private static func expectCorrectUse(_ fixture: KitFixture) async {
        let diagnostics = await fixture.session.finish().filter { $0.severity != .note }
        // Of the sample's own entries, and of rows that use a programme's API where the table says that it works.
        let ofTheRow = ["country-not-supported", "api-not-of-programme", "programme-platform"]
        #expect(diagnostics.filter { !ofTheRow.contains($0.id) }.isEmpty, "\(diagnostics)")
    }

    /// Every token that StoreKit made is at the server, once, and nothing waits.
    private static func expectDelivered(_ fixture: KitFixture) async throws {
        #expect(fixture.server.arrivals.map(\.text).sorted() == fixture.issuer.texts.sorted())
        let status = await fixture.outbox.currentStatus
        #expect(status.pending == 0 && status.unstored == 0 && status.interruptedRequests == 0)
    }
}
