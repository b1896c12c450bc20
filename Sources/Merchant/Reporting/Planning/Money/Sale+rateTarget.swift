import ExternalPurchaseCore
import Ledger

// The currency into which a rate leads (RR-45, RR-51).
extension Purchase {
    /// The reporting currency; nil for a currency that needs a rate while the tax country, which decides, is not known.
    func knownReportingCurrency(foreign: ForeignCurrency) -> String? {
        needsRate && foreign == .automatic && taxCountry == nil ? nil : wantedReportingCurrency(foreign: foreign)
    }

    /// Whether the rate is stated to lead into another currency than the sale is reported in.
    func hasRateIntoOtherCurrency(foreign: ForeignCurrency) -> Bool {
        guard needsRate, let to = exchangeRate?.to, let wanted = knownReportingCurrency(foreign: foreign) else {
            return false
        }
        return to != wanted
    }

    /// The error of a rate that leads into another currency, for the member `to`.
    func rateTargetFault(foreign: ForeignCurrency) -> String? {
        guard hasRateIntoOtherCurrency(foreign: foreign) else { return nil }
        let wanted = wantedReportingCurrency(foreign: foreign)
        let reason =
            foreign == .automatic
            ? "a sale in \(currency) with the tax country \(taxCountry ?? "") is reported in \(wanted)"
            : "the setting reporting.foreignCurrency is \(wanted)"
        return "is not \(wanted): \(reason), so that the rate must lead from \(currency) to \(wanted) (RR-51)"
    }

    /// Returns the purchase with the reporting currency as the currency of its rate, where the rate states none.
    ///
    /// A rate that is known to lead into one currency is never applied to another one, whatever changes afterwards.
    fileprivate func statingRateTarget(foreign: ForeignCurrency) -> Purchase {
        guard needsRate, let rate = exchangeRate, rate.to == nil, let to = knownReportingCurrency(foreign: foreign)
        else { return self }
        return with(rate.into(to))
    }

    func with(_ exchangeRate: QuotedRate?) -> Purchase {
        Purchase(
            productId: productId,
            quantity: quantity,
            currency: currency,
            inclusive: inclusive,
            tax: tax,
            taxCountry: taxCountry,
            exchangeRate: exchangeRate
        )
    }
}

extension Sale {
    /// Returns the sale with a currency for every rate that states none, as far as it is known.
    func statingRateTargets(foreign: ForeignCurrency) -> Sale {
        mapPurchases { $0.statingRateTarget(foreign: foreign) }
    }

    /// The sale as a caller sends it who states no currency of a rate.
    var withoutRateTargets: Sale {
        mapPurchases { $0.with($0.exchangeRate?.into(nil)) }
    }

    func mapPurchases(_ change: (Purchase) -> Purchase) -> Sale {
        switch kind {
        case .purchase(let purchase): return with(.purchase(change(purchase)))
        case .order(let lines): return with(.order(lines.map(change)))
        case .subscription(let charge):
            return with(
                .subscription(
                    SubscriptionCharge(
                        subscriptionId: charge.subscriptionId,
                        period: charge.period,
                        event: charge.event,
                        purchase: change(charge.purchase)
                    )
                )
            )
        case .cancellation, .lapse, .refund, .chargebackReversal: return self
        }
    }
}
