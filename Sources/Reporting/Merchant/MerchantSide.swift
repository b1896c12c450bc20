package import ExternalPurchaseCore
package import Ledger
package import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The merchant's side without HTTP: what a server, a test or a program of one's own calls.
///
/// Every method that stores returns after the commit; a report goes out afterwards, through ``sender``.
package struct MerchantSide: Sendable {
    package let apps: [BundleId: RegisteredApp]
    /// Sends what is due; run it as a service beside the server.
    package let sender: ReportSender

    private let store: any LedgerStore
    private let intake: TokenIntake
    private let sales: SaleIntake
    private let spool: LandingSpool?
    private let surroundings: Surroundings

    /// The merchant's side over a store.
    ///
    /// - Parameters:
    ///   - store: where everything is kept.
    ///   - apps: the merchant's apps, each bundle id once.
    ///   - settings: the settings.
    ///   - spool: takes the visits that the store cannot take; nil carries them on in the redirect.
    ///   - surroundings: time, randomness and waiting.
    ///   - logger: for the operator.
    package init(
        store: any LedgerStore,
        apps: [RegisteredApp],
        settings: ReportingSettings = ReportingSettings(),
        spool: LandingSpool? = nil,
        surroundings: Surroundings = .live,
        logger: Logger
    ) {
        self.store = store
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }) { first, _ in first }
        self.spool = spool
        self.surroundings = surroundings
        intake = TokenIntake(store: store, apps: self.apps, settings: settings, surroundings: surroundings)
        sales = SaleIntake(store: store, apps: self.apps, settings: settings, surroundings: surroundings)
        sender = ReportSender(
            pipeline: ReportPipeline(
                store: store,
                apps: self.apps,
                settings: settings,
                surroundings: surroundings,
                logger: logger
            ),
            intake: intake,
            spool: spool,
            surroundings: surroundings,
            logger: logger
        )
    }

    /// Takes the body of `POST /v1/tokens`.
    ///
    /// - Parameters:
    ///   - body: the parsed body.
    ///   - source: how it came; the authenticated channel of an app unless said otherwise.
    /// - Throws: ``RequestRefusal/invalid(_:)`` for a wrong field, and at `/token` for a text that is kept aside.
    package func takeToken(
        body: JSONValue,
        source: TokenSource = .app
    ) async throws(RequestRefusal) -> TokenReceipt {
        try await takeToken(try TokenArrival.read(body, source: source))
    }

    /// Takes a token.
    ///
    /// - Throws: ``RequestRefusal/invalid(_:)`` at `/token` for a text that is kept aside.
    package func takeToken(_ arrival: TokenArrival) async throws(RequestRefusal) -> TokenReceipt {
        let taken: TokenIntake.Taken
        do {
            taken = try await intake.take(arrival)
        } catch {
            throw .notStored(error)
        }
        switch taken {
        case .stored(let receipt):
            sender.wake(afterToken: true)
            return receipt
        case .setAside(let aside):
            throw .invalid([FieldFault("/token", aside.detail)])
        }
    }

    /// Takes a visit to a landing address, TK-64 to TK-68; never fails, because the customer comes first.
    ///
    /// - Parameter query: the raw query of the request.
    package func takeVisit(query: String) async -> LandingOutcome {
        let visit = LandingVisit(query: query, checkoutId: newCheckoutId(), at: surroundings.now())
        guard let arrival = visit.arrival else { return .withoutToken }
        do {
            switch try await intake.take(arrival, at: visit.at) {
            case .stored(let receipt):
                sender.wake(afterToken: true)
                return .recorded(receipt)
            case .setAside:
                return .setAside
            }
        } catch {
            if let spool, await spool.append(visit) { return .spooled(visit.checkoutId) }
            return .carriedOn(token: arrival.text, bundleId: WebsiteURL.arrival(query: query).bundleId)
        }
    }

    /// Takes the body of `POST /v1/sales`.
    ///
    /// - Throws: ``RequestRefusal``.
    package func takeSale(body: JSONValue) async throws(RequestRefusal) -> SaleReceipt {
        let receipt = try await sales.take(body)
        if receipt.isNew { sender.wake() }
        return receipt
    }

    /// The tokens of that id; more than one only when several apps have it.
    package func tokens(withId id: ExternalPurchaseId) async throws(RequestRefusal) -> [StoredToken] {
        try await read { ledger throws(LedgerError) in try ledger.tokens(withId: id) }
    }

    /// A page of tokens in the order of arrival.
    package func tokens(_ page: LedgerPage) async throws(RequestRefusal) -> [StoredToken] {
        try await read { ledger throws(LedgerError) in try ledger.tokens(page) }
    }

    /// A page of what is kept aside.
    package func tokensSetAside(_ page: LedgerPage) async throws(RequestRefusal) -> [TokenSetAside] {
        try await read { ledger throws(LedgerError) in try ledger.tokensSetAside(page) }
    }

    /// A page of sales in the order of arrival.
    package func sales(_ page: LedgerPage) async throws(RequestRefusal) -> [StoredSale] {
        try await read { ledger throws(LedgerError) in try ledger.sales(page) }
    }

    /// A page of reports in the order of writing.
    package func reports(_ page: LedgerPage) async throws(RequestRefusal) -> [StoredReport] {
        try await read { ledger throws(LedgerError) in try ledger.reports(page) }
    }

    /// Whether the store answers.
    package func checkReady() async throws(RequestRefusal) {
        _ = try await tokens(LedgerPage(limit: 1))
    }

    private func newCheckoutId() -> CheckoutId {
        CheckoutId(surroundings.uuid().uuidString.lowercased())
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerReading) throws(LedgerError) -> Value
    ) async throws(RequestRefusal) -> Value {
        do {
            return try await store.read(body)
        } catch {
            throw .notStored(error)
        }
    }
}
