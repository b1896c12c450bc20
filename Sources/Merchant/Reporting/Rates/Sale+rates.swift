import ExternalPurchaseCore
import Ledger

extension Sale {
    /// Returns the sale with a known rate where it needs one and states none (RR-48).
    ///
    /// - Parameters:
    ///   - rates: the known rates; nil for none.
    ///   - foreign: decides the currency into which a rate must lead (RR-51).
    func fillingRates(from rates: ExchangeRates?, foreign: ForeignCurrency) -> Sale {
        guard let rates else { return self }
        return mapPurchases { purchase in
            guard purchase.needsRate, purchase.exchangeRate == nil,
                let to = purchase.knownReportingCurrency(foreign: foreign),
                let rate = rates.rate(from: purchase.currency, to: to, at: occurredAt)
            else { return purchase }
            return purchase.with(rate)
        }
    }

    /// Returns the sale with the rates of a known version of it, where it states none of its own.
    func takingRates(of known: Sale) -> Sale {
        guard known.occurredAt == occurredAt else { return self }
        let old = known.purchase.map { [$0] } ?? known.lines ?? []
        let new = purchase.map { [$0] } ?? lines ?? []
        guard old.count == new.count else { return self }
        var index = 0
        return mapPurchases { purchase in
            defer { index += 1 }
            let its = old[index]
            guard purchase.exchangeRate == nil, its.currency == purchase.currency, its.taxCountry == purchase.taxCountry
            else { return purchase }
            return purchase.with(its.exchangeRate)
        }
    }
}

extension SaleIntake {
    /// Gives held sales the rates that they lack, after new rates became known (RR-48).
    ///
    /// - Returns: the number of sales that got a rate.
    /// - Throws: ``RequestError`` when the ledger stores nothing.
    package func fillRates() async throws(RequestError) -> Int {
        guard let rates = dependencies.rates else { return 0 }
        var filled = 0
        var page = LedgerPage(limit: 500)
        while true {
            let place = page
            var wholes: [StoredSale] = []
            let count: Int
            do {
                (wholes, count, page.after) = try await store.read { ledger throws(LedgerError) in
                    let held = try ledger.heldSales(place)
                    var wholes: [StoredSale] = []
                    for sale in held where sale.attribution.holdCauses.contains(.noExchangeRate) {
                        let whole = try sale.partOf.flatMap { id throws(LedgerError) in
                            try ledger.sale(id, of: sale.sale.bundleId)
                        }
                        let known = whole ?? sale
                        if !wholes.contains(where: { $0.sequence == known.sequence }) { wholes.append(known) }
                    }
                    return (wholes, held.count, held.last?.sequence ?? place.after)
                }
            } catch {
                throw .notStored(error)
            }
            for known in wholes {
                let given = known.sale.asGiven
                let sale = given.fillingRates(from: rates, foreign: settings.foreignCurrency)
                guard sale != given else { continue }
                do throws(RequestError) {
                    if try await receive(SaleCommand(sale)).isChanged { filled += 1 }
                } catch .notStored(let error) {
                    throw .notStored(error)
                } catch {
                    // The sale changed meanwhile, or another change of it waits; the next rates find it again.
                    continue
                }
            }
            if count < place.limit { return filled }
        }
    }
}
