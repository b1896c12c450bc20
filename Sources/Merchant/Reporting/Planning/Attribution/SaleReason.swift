import ExternalPurchaseCore
import Ledger

/// The reason for a sale's attribution; its description is text for the operator.
enum SaleReason: Hashable, Sendable, CustomStringConvertible {
    /// The sale is in a report.
    case reported
    case retracted
    /// Submitted by hand (OB-62).
    case handedOver
    /// The sale names the token (RR-63).
    case named(TokenType?)
    /// The token is chosen for the customer's active period (RR-60, RR-61).
    case activePeriod(TokenType, created: Timestamp)
    /// The token of the subscription's start (RR-63, RR-64).
    case tokenOfStart(SaleId)
    /// The token of a later active period (RR-64).
    case renewedPeriod(TokenType, created: Timestamp, start: SaleId)
    /// The token of the refunded buy (RR-65).
    case tokenOfBuy(SaleId)
    /// The reversal retracts the refund (RR-80).
    case retracts(SaleId)

    /// No token is known (RR-66).
    case noToken
    case namedTokenMissing(ExternalPurchaseId)
    /// No token is active at the time of the sale (RR-66, E36).
    case noActiveToken
    case tokenNotActive
    /// No token is active after the start's token expired (RR-64).
    case noActiveTokenAfterStart(SaleId)
    /// Apple does not know the token (TK-74).
    case tokenUnknownToApple
    case tokenNotReportable
    /// Price data are missing (RR-45, RR-47, RR-52).
    case missingMoney([HoldCause])
    case startHeld(SaleId)
    case laterStartReported
    /// The caller states an event of a later charge, and no start is known.
    case startUnknown
    /// Apple knows the start as another event (E14).
    case startReportedAs(SubscriptionEvent, SaleId)
    case subscriptionUnknown(SubscriptionId)
    /// Apple or the pre-flight refused the sale (SA-73).
    case reportRefused
    /// The start belongs to another environment (SA-90).
    case otherEnvironment(start: SaleId)
    /// The sale is stated for another environment than the token that it or its checkout names (SA-90).
    case statedEnvironment(AppStoreEnvironment, token: ExternalPurchaseId)
    /// Several tokens that nobody vouches for claim the sale's checkout (TK-78).
    case checkoutContested
    /// Only a public arrival links the checkout to its token, and the customer has another token (TK-78).
    case checkoutAgainstCustomer(ExternalPurchaseId)
    case buyUnknown(SaleId)
    case wrongReference(SaleId)
    /// The reversal names an imported refund that nobody has called a chargeback yet (SA-43).
    case importedRefund(SaleId)
    /// The imported refund, which nobody has sent again yet, may be a total that contains this one (RR-46).
    case mayBeContained(in: SaleId)
    case refundCurrencyDiffers(SaleId)
    /// The refund has too many decimal places (RR-41).
    case refundTooPrecise(SaleId)
    /// The stated tax of the refund is wrong (RR-46); the deviation is nil for a tax of a whole order.
    case refundTaxDiffers(SaleId, RefundTax.Deviation?)
    case reversalBeforeChargeback(SaleId)
    case orderHeld(SaleId)
    case buyHeld(SaleId)
    case buyRetracted(SaleId)
    /// A person closed the sale that this one refers to.
    case referenceClosed(SaleId)
    /// Apple says that it has the sale (E1, E30).
    case reportedAlready
    /// Apple has, or may have, another sale of the same purchase that is settled first.
    case waitsBehind(SaleId)
    case buyVoided(SaleId)
    /// The refund gives back more than is left of its buy, or of a complete order; the remainder is in units of the
    /// currency.
    case refundAboveBuy(SaleId, left: Decimal, currency: String)
    case refundBeforeBuy(SaleId)
    /// The time limit has passed (RR-82).
    case tooLate(days: Int64)
    case inFuture

    /// The sale ends a subscription and is not reported.
    case endsSubscription
    case undone(by: SaleId)
    case undoes(SaleId)
    case alreadyRetracted(SaleId)
    /// A refund total, reported or still to be reported, contains this refund.
    case contained(SaleId)

    var description: String {
        switch self {
        case .reported: "a report holds it on this token, and what is reported is never moved"
        case .handedOver: "it was submitted by hand, and a sale submitted by hand is in no report (OB-62)"
        case .retracted: "its line item was retracted; a new one needs a new id"
        case .named(let type): "the sale or its checkout names this \(type.map { "\($0) " } ?? "")token (RR-63)"
        case .activePeriod(let type, let created):
            "the customer's \(type) token of the newest period active at the sale, created \(created) (RR-60)"
        case .tokenOfStart(let start): "the subscription's start, sale \(start), is on this token (RR-63)"
        case .renewedPeriod(let type, let created, let start):
            "the token of the start, sale \(start), has expired; the customer's active \(type) token created "
                + "\(created) takes the event (RR-64)"
        case .tokenOfBuy(let buy): "a refund goes on the token of its buy, sale \(buy) (RR-65)"
        case .retracts(let chargeback): "the money was won back: the refund, sale \(chargeback), is retracted (RR-80)"
        case .noToken: "neither the sale nor its checkout nor its customer leads to a token; it waits for one (RR-66)"
        case .namedTokenMissing(let token): "the token \(token) that the sale names has not arrived (RR-66)"
        case .noActiveToken: "none of the customer's tokens was active at the sale (RR-66)"
        case .tokenNotActive: "the token was not active at the sale, and Apple would refuse it (E36)"
        case .noActiveTokenAfterStart(let start):
            "the token of the start, sale \(start), has expired and the customer has no active one: Apple would refuse "
                + "it (RR-64)"
        case .tokenUnknownToApple: "Apple does not know the token; a person decides (TK-74)"
        case .tokenNotReportable: "the token is of a kind that is not known here"
        case .missingMoney(let causes): Self.missing(causes)
        case .startHeld(let start): "the subscription's start, sale \(start), is held, so that nothing can refer to it"
        case .laterStartReported:
            "a later charge of the subscription is reported as its start and stays it (its restatement was declined, or "
                + "Apple takes none after a year). To report this charge, send it under another subscriptionId; to leave "
                + "it out, keep it held"
        case .startUnknown:
            "it is stated to be a later charge of a subscription of which no start is known here; it waits for the start. "
                + "If none will come, send the sale again without event"
        case .startReportedAs(let event, let start):
            "the subscription's start, sale \(start), is reported as \(event.rawValue); it waits for the correction of "
                + "that item (E14)"
        case .subscriptionUnknown(let subscription):
            "the subscription \(subscription) is not known here; it waits for the first charge of it"
        case .reportRefused: "its report was refused because of it; retry its review item, or amend it (SA-73)"
        case .reportedAlready:
            "Apple refused it as one that it has already: accepted in the review item of its report, if so (RR-85)"
        case .waitsBehind(let sale):
            "Apple has or may have sale \(sale) of the same purchase, which is settled first (RR-85)"
        case .otherEnvironment(let start):
            "the token that it names is of another environment than the subscription's start, sale \(start), and the "
                + "two never meet (SA-90)"
        case .statedEnvironment(let environment, let token):
            "it is a sale in \(environment.rawValue), and the token \(token), which it, its checkout or its subscription "
                + "names, is of the other environment; the two never meet (SA-90)"
        case .checkoutAgainstCustomer(let token):
            "only a public arrival named the token \(token) for its checkout, and its customer has another token; it waits "
                + "until Apple has answered about the former, or until the sale names its token (TK-78)"
        case .checkoutContested:
            "several tokens claim its checkout, and nobody vouches for one of them; it waits until Apple confirms one or "
                + "your server sends one, or until the sale names its token (TK-78)"
        case .buyUnknown(let buy): "the sale \(buy) that it refers to has not arrived; it waits for it"
        case .wrongReference(let sale):
            "the sale \(sale) that it refers to is of another type: a refund names a purchase, a reversal a chargeback"
        case .importedRefund(let sale):
            "the sale \(sale) that it refers to was imported, and Apple's reports do not tell chargebacks from refunds: "
                + "send \(sale) again as the chargeback that it was"
        case .mayBeContained(let refund):
            "the later refund \(refund) of its purchase was imported, and its total may contain this one: send \(refund) "
                + "again (RR-46)"
        case .refundCurrencyDiffers(let buy): "its currency is not that of its buy, sale \(buy) (RR-46)"
        case .refundTooPrecise(let buy):
            "it has more digits after the point than the currency of its buy, sale \(buy) (RR-41)"
        case .refundTaxDiffers(let buy, let deviation?): "its tax \(deviation); its buy is sale \(buy) (RR-46)"
        case .refundTaxDiffers(let buy, nil):
            "it states a tax for several lines of sale \(buy), each of which has its own (RR-46)"
        case .reversalBeforeChargeback(let chargeback): "it is dated before the chargeback, sale \(chargeback)"
        case .orderHeld(let order): "another line of its order, sale \(order), is held, and an order is reported whole"
        case .buyHeld(let buy): "the buy, sale \(buy), is held"
        case .referenceClosed(let sale):
            "a person closed sale \(sale), to which it refers: accepted, if Apple has that sale; retry, to send it after "
                + "all; resolve, to leave this one out too"
        case .buyRetracted(let buy): "the buy, sale \(buy), was retracted"
        case .buyVoided(let buy): "the sale \(buy) that it takes back was voided; void this one too, or amend it"
        case .refundAboveBuy(let buy, let left, let currency):
            "more would be given back than the \(Currency.text(of: left, in: currency)) \(currency) left of sale \(buy) (RR-23); it goes out once a "
                + "reversal, an amendment or a void makes room"
        case .refundBeforeBuy(let buy): "it is dated before its buy, sale \(buy) (E31)"
        case .tooLate(let days): "Apple takes it for \(days) days only; a person decides (RR-82)"
        case .inFuture: "it is dated ahead of the clock; Apple takes it from that moment (E6)"
        case .endsSubscription: "nothing is reported of it; it ends the count of paid days (RR-31)"
        case .undone(let reversal): "the money was won back, sale \(reversal), before it was reported"
        case .undoes(let chargeback): "the chargeback, sale \(chargeback), was not reported: nothing is to be retracted"
        case .contained(let buy): "the total refunded of its buy, sale \(buy), contains it already"
        case .alreadyRetracted(let chargeback): "the refund, sale \(chargeback), is retracted already"
        }
    }

    private static func missing(_ causes: [HoldCause]) -> String {
        let parts = causes.map { cause in
            switch cause {
            case .noTax: "its tax is not known (RR-47)"
            case .noTaxCountry: "its tax country is not known (RR-47)"
            case .noExchangeRate:
                "its currency is not reportable, and no rate into the reporting currency within 48 hours was given (RR-45)"
            default: "its money does not fit into a report (RR-52)"
            }
        }
        return parts.joined(separator: "; ")
    }
}
