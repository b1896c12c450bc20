import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func sale(_ id: SaleId, of bundleId: BundleId) -> StoredSale? {
        ledger.salePlaces[AppKey(bundleId, id)].map { sale(at: $0) }
    }

    func sale(ofLineItem id: LineItemId, of bundleId: BundleId) -> SaleId? {
        ledger.saleOfLineItem[AppKey(bundleId, id)]
    }

    func sales(_ page: LedgerPage) -> [StoredSale] { slice(ledger.sales, page).map(withReport) }

    func sales(_ query: SaleQuery, _ page: LedgerPage) -> [StoredSale] {
        let isIncluded: (StoredSale) -> Bool =
            switch query {
            case .subscription(let id, let app): { self.said(of: $0).subscriptionName == id && $0.sale.bundleId == app }
            case .customer(let id, let app): { self.said(of: $0).customerId == id && $0.sale.bundleId == app }
            case .token(let id, let app): { $0.attribution.externalPurchaseId == id && $0.sale.bundleId == app }
            case .pendingOnToken(let id, let app):
                { $0.attribution.externalPurchaseId == id && $0.isPending && $0.sale.bundleId == app }
            case .pendingOfCustomer(let id, let app):
                { self.said(of: $0).customerId == id && $0.isPending && $0.sale.bundleId == app }
            case .heldOfCustomer(let id, let app):
                { sale in
                    self.said(of: sale).customerId == id && sale.isOpen && sale.attribution.state == .held
                        && sale.sale.bundleId == app
                }
            case .pendingOfCheckout(let id, let app):
                { self.said(of: $0).checkoutId == id && $0.isPending && $0.sale.bundleId == app }
            case .naming(let id, let app): { $0.sale.bundleId == app && self.isNaming(id, $0) }
            case .changing(let id, let app): isChanging(with: id, of: app)
            case .takingBackSubscription(let id, let app): isTakingBack(subscription: id, of: app)
            case .state(let state, let app):
                { $0.attribution.state == state && $0.isOpen && $0.sale.bundleId == app }
            case .given: { $0.partOf == nil }
            case .lines(let id, let app): { $0.partOf == id && $0.sale.bundleId == app }
            case .replaced(let app):
                { sale in
                    let versions = self.ledger.saleVersions[AppKey(app, sale.sale.saleId)] ?? []
                    return sale.sale.bundleId == app
                        && versions.contains { $0.lineItemId.rawValue != sale.sale.saleId.rawValue }
                }
            }
        return slice(ledger.sales, page, where: isIncluded).map(withReport)
    }

    private func isNaming(_ token: ExternalPurchaseId, _ sale: StoredSale) -> Bool {
        let said = said(of: sale)
        let checkout = said.checkoutId.flatMap { ledger.checkouts[AppKey(sale.sale.bundleId, $0)] }
        return said.externalPurchaseId == token || checkout?.externalPurchaseId == token
    }

    private func isChanging(with token: ExternalPurchaseId, of app: BundleId) -> (StoredSale) -> Bool {
        let naming = ledger.sales.filter { $0.sale.bundleId == app && isNaming(token, $0) }
        let ids = Set(naming.map(\.sale.saleId))
        let subscriptions = Set(naming.compactMap { said(of: $0).subscriptionName })
        return { sale in
            let said = self.said(of: sale)
            guard sale.sale.bundleId == app,
                ids.contains(sale.sale.saleId) || said.subscriptionName.map(subscriptions.contains) ?? false
            else { return false }
            let checkout = said.checkoutId.flatMap { self.ledger.checkouts[AppKey(app, $0)] }
            return sale.isPending || checkout.map { $0.isCustomerFromSale || $0.isTokenFromSale } ?? false
        }
    }

    private func isTakingBack(subscription id: String, of app: BundleId) -> (StoredSale) -> Bool {
        let charges = ledger.sales.filter { said(of: $0).subscriptionName == id && $0.sale.bundleId == app }
        var taken = Set(charges.map(\.sale.saleId))
        for charge in charges { taken.formUnion(refunds(of: charge.sale.saleId, app: app).map(\.sale.saleId)) }
        return { sale in
            sale.sale.bundleId == app && self.said(of: sale).takenBack.map(taken.contains) ?? false
        }
    }

    func sales(matching filter: SaleFilter, _ page: LedgerPage) -> [StoredSale] {
        let wholes = Set(ledger.sales.lazy.filter { $0.sale.bundleId == filter.bundleId }.compactMap(\.partOf))
        return slice(ledger.sales.map(withReport), page) { filter.matches($0) && !wholes.contains($0.sale.saleId) }
    }

    func sales(
        of bundleId: BundleId,
        occurredFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) -> [StoredSale] {
        let arrivals = ledger.sales.filter { sale in
            sale.sale.bundleId == bundleId
        }
        return slice(arrivals, page, by: { TimePage.Position(time: moment(of: $0), sequence: $0.sequence) }) {
            moment(of: $0) >= occurredFrom && moment(of: $0) < until
        }.map(withReport)
    }

    private func moment(of sale: StoredSale) -> Timestamp { said(of: sale).occurredAt }

    /// The newest version, whose values lists search by.
    private func said(of sale: StoredSale) -> Sale {
        ledger.saleVersions[AppKey(sale.sale.bundleId, sale.sale.saleId)]?.last?.sale ?? sale.sale
    }

    func refunds(of buy: SaleId, app bundleId: BundleId) -> [StoredSale] {
        // A version may reference another buy than the arrival.
        Set(ledger.salePlacesByBuy[AppKey(bundleId, buy)] ?? []).sorted().map { sale(at: $0) }
            .filter { $0.sale.takenBack == buy }
    }

    func versions(of sale: SaleId, app bundleId: BundleId) -> [SaleVersion] {
        ledger.saleVersions[AppKey(bundleId, sale)] ?? []
    }

    func heldSales(_ page: LedgerPage) -> [StoredSale] {
        let held = ledger.openSales.keys.sorted().lazy.map { self.ledger.sales[$0] }
            .filter { $0.attribution.state == .held && $0.sequence > page.after }
        return Array(held.prefix(max(0, page.limit)))
    }

    func eachOpenSale(
        of bundleId: BundleId?,
        _ body: (OpenSale) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        for place in ledger.sales.indices where bundleId == nil || ledger.sales[place].sale.bundleId == bundleId {
            if let sale = openSale(at: place) { try body(sale) }
        }
    }

    /// The sale at an index if it must still be reported; otherwise nil.
    func openSale(at place: Int) -> OpenSale? {
        let sale = sale(at: place)
        guard sale.attribution.state != .recorded, sale.reportState != .accepted, sale.exportId == nil else {
            return nil
        }
        let id = sale.attribution.externalPurchaseId
        return OpenSale(sale, on: id.flatMap { token($0, of: sale.sale.bundleId) })
    }

    func plannedSales(on token: ExternalPurchaseId, of bundleId: BundleId, limit: Int) -> [StoredSale] {
        let planned = ledger.openSales.keys.sorted().lazy.map { self.ledger.sales[$0] }.filter {
            $0.attribution.state == .planned && $0.attribution.externalPurchaseId == token
                && $0.sale.bundleId == bundleId
        }
        return Array(planned.prefix(max(0, limit)))
    }

    func tokensToReport(
        in scope: ReportingScope,
        madeUntil: Timestamp,
        sold: ClosedRange<Timestamp>,
        limit: Int
    ) -> [ExternalPurchaseId] {
        let blocked = Set(
            ledger.openReports.keys.lazy.map { self.ledger.reports[$0] }
                .filter { $0.scope == scope && $0.state.isOpen }
                .map(\.externalPurchaseId)
        )
        var found: [ExternalPurchaseId] = []
        var seen: Set<ExternalPurchaseId> = []
        let waiting = ledger.openSales.keys.lazy.map { self.ledger.sales[$0] }
            .filter { $0.attribution.state == .planned && $0.sale.bundleId == scope.bundleId }
        for sale in waiting.sorted(by: { ($0.receivedAt, $0.sequence) < ($1.receivedAt, $1.sequence) }) {
            if found.count >= limit { break }
            guard let id = sale.attribution.externalPurchaseId, id.environment == scope.environment,
                !blocked.contains(id), !seen.contains(id),
                let token = token(id, of: scope.bundleId), token.token.tokenCreationDate <= madeUntil,
                sold.contains(sale.receivedAt)
            else { continue }
            seen.insert(id)
            found.append(id)
        }
        return found
    }

    func sale(at place: Int) -> StoredSale { withReport(ledger.sales[place]) }

    private func withReport(_ sale: StoredSale) -> StoredSale {
        guard let identifier = sale.requestIdentifier, let token = sale.attribution.externalPurchaseId else {
            return sale
        }
        var sale = sale
        let scope = ReportingScope(bundleId: sale.sale.bundleId, environment: token.environment)
        sale.reportState = report(identifier, in: scope)?.state
        return sale
    }

    func add(_ sale: StoredSale) throws(LedgerError) -> Int64 {
        let bundleId = sale.sale.bundleId
        let key = AppKey(bundleId, sale.sale.saleId)
        guard ledger.salePlaces[key] == nil else { throw .conflict("the app has a sale of that id") }
        let item = AppKey(bundleId, sale.lineItemId)
        guard ledger.saleOfLineItem[item] == nil else { throw .conflict("the line item is another sale's") }
        try check(sale.attribution, bundleId)
        if let whole = sale.partOf, ledger.salePlaces[AppKey(bundleId, whole)] == nil {
            throw .conflict("the sale that the line belongs to is not stored")
        }
        let place = ledger.sales.count
        if let buy = sale.sale.takenBack {
            add(place, to: \.salePlacesByBuy, under: AppKey(bundleId, buy))
        }
        if let token = sale.attribution.externalPurchaseId {
            add(place, to: \.salePlacesByToken, under: AppKey(bundleId, token))
        }
        set(\.salePlaces, key, place)
        set(\.saleOfLineItem, item, sale.sale.saleId)
        set(\.openSales, place, true)
        let arrival = SaleVersion(
            version: 1,
            sale: sale.sale,
            lineItemId: sale.lineItemId,
            change: .arrived,
            saidAt: sale.receivedAt
        )
        add(arrival, to: \.saleVersions, under: key)
        var sale = sale
        sale.sequence = Int64(place + 1)
        return append(sale, to: \.sales)
    }

    func change(_ attribution: Attribution, of sale: SaleId, _ bundleId: BundleId) throws(LedgerError) {
        try check(attribution, bundleId)
        let place = try place(ofOpen: sale, bundleId)
        var changed = ledger.sales[place]
        if changed.attribution.externalPurchaseId != attribution.externalPurchaseId {
            if let old = changed.attribution.externalPurchaseId.map({ AppKey(bundleId, $0) }) {
                set(\.salePlacesByToken, old, ledger.salePlacesByToken[old]?.filter { $0 != place })
            }
            if let new = attribution.externalPurchaseId {
                add(place, to: \.salePlacesByToken, under: AppKey(bundleId, new))
            }
        }
        changed.attribution = attribution
        replace(place, in: \.sales, by: changed)
    }

    func add(_ version: SaleVersion) throws(LedgerError) {
        let bundleId = version.sale.bundleId
        let key = AppKey(bundleId, version.sale.saleId)
        guard let place = ledger.salePlaces[key], ledger.sales[place].version + 1 == version.version,
            version.change != .arrived
        else { throw .conflict("the version does not follow the newest one") }
        let item = AppKey(bundleId, version.lineItemId)
        if let owner = ledger.saleOfLineItem[item], owner != version.sale.saleId {
            throw .conflict("the line item is another sale's")
        }
        if let correction = version.correctionId, self.correction(correction, of: bundleId) == nil {
            throw .conflict("the correction is not stored")
        }
        if let buy = version.sale.takenBack {
            add(place, to: \.salePlacesByBuy, under: AppKey(bundleId, buy))
        }
        set(\.saleOfLineItem, item, version.sale.saleId)
        add(version, to: \.saleVersions, under: key)
        replace(place, in: \.sales, by: ledger.sales[place].newer(version))
    }

    func waitingSaleChanges(_ page: LedgerPage) -> [SaleChange] {
        slice(ledger.saleChanges, page) { $0.closing == nil }
    }

    func changes(of sale: SaleId, app bundleId: BundleId) -> [SaleChange] {
        ledger.saleChanges.filter { $0.saleId == sale && $0.bundleId == bundleId }
    }

    func add(_ change: SaleChange) throws(LedgerError) -> Int64 {
        guard ledger.salePlaces[AppKey(change.bundleId, change.saleId)] != nil else {
            throw .conflict("the sale of the change is not stored")
        }
        guard !changes(of: change.saleId, app: change.bundleId).contains(where: { $0.closing == nil }) else {
            throw .conflict("a change of the sale waits already")
        }
        var change = change
        change.sequence = Int64(ledger.saleChanges.count + 1)
        return append(change, to: \.saleChanges)
    }

    func closeSaleChange(_ sequence: Int64, _ closing: SaleChange.Closing) throws(LedgerError) {
        let place = Int(clamping: sequence) - 1
        guard ledger.saleChanges.indices.contains(place), ledger.saleChanges[place].closing == nil else {
            throw .conflict("no such change waits")
        }
        var closed = ledger.saleChanges[place]
        closed.closing = closing
        replace(place, in: \.saleChanges, by: closed)
    }

    private func check(_ attribution: Attribution, _ bundleId: BundleId) throws(LedgerError) {
        if attribution.state == .planned, attribution.externalPurchaseId == nil {
            throw .conflict("a planned sale needs a token")
        }
        if let id = attribution.externalPurchaseId, token(id, of: bundleId) == nil {
            throw .conflict("the token of the sale is not stored")
        }
    }

    /// The index of a sale that is in no report and no export.
    func place(ofOpen sale: SaleId, _ bundleId: BundleId) throws(LedgerError) -> Int {
        guard let place = ledger.salePlaces[AppKey(bundleId, sale)], ledger.sales[place].isOpen else {
            throw .conflict("no such sale without a report or an export")
        }
        return place
    }
}

extension StoredSale {
    fileprivate var isOpen: Bool { requestIdentifier == nil && exportId == nil }

    fileprivate var isPending: Bool { isOpen && attribution.state != .recorded }

    /// Returns the row with another newest version.
    func newer(_ version: SaleVersion) -> StoredSale {
        StoredSale(
            sequence: sequence,
            sale: version.sale,
            lineItemId: version.lineItemId,
            receivedAt: receivedAt,
            attribution: attribution,
            requestIdentifier: requestIdentifier,
            reportState: reportState,
            exportId: exportId,
            version: version.version,
            isRetracted: version.change == .retracted,
            partOf: partOf
        )
    }
}
