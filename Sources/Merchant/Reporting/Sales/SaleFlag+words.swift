import Ledger

extension SaleFlag {
    /// The meaning of the flag and the possible action, in one sentence.
    package var words: String { Self.texts[self] ?? "the sale has the flag \(rawValue)" }

    private static let texts: [SaleFlag: String] = [
        .noToken: "no token leads to the sale yet: name a token, a checkout or a customer whose token arrives (RR-66)",
        .noActiveToken: "none of the customer's tokens was active at the moment of the sale (RR-66)",
        .noExchangeRate:
            "Apple does not take the currency: send amount.exchangeRate, into EUR for a tax country in the EEA and USD "
            + "elsewhere, quoted within 48 hours (RR-45)",
        .noTax: "the tax is missing: send the sale again with amount.tax or amount.taxRate (RR-47)",
        .noTaxCountry: "the tax country is missing: send the sale again with amount.taxCountry (RR-47)",
        .buyUnknown: "what it refers to has not arrived: it is held until then",
        .importedRefund:
            "a later refund of the purchase was imported and may contain it: send that refund again (RR-46)",
        .wrongReference:
            "what it refers to is of another type: a refund names a purchase, a reversal names a chargeback",
        .orderHeld: "another line of the same sale is held, and the lines go into one report",
        .refundCurrencyDiffers: "its currency is not that of the purchase (RR-46)",
        .refundTooPrecise: "it has more digits after the point than the purchase's currency (RR-41)",
        .refundTaxDiffers: "its tax is not the purchase's share within the tolerance (RR-46)",
        .reversalBeforeChargeback: "it is dated before the chargeback that it reverses",
        .buyHeld: "the purchase that it refunds is held: it goes out after that",
        .buyVoided: "the purchase that it refers to was voided",
        .voided: "it was withdrawn, and nothing of it is reported",
        .startHeld: "the start of its subscription is held: it goes out after that",
        .laterStartReported: "a later charge was reported as the start of the subscription before this one arrived",
        .environmentContradiction:
            "its token is of another environment than the sale or its subscription's start (SA-90)",
        .refundAboveBuy: "it gives back more than is left of the purchase (RR-23)",
        .refundBeforeBuy: "it is dated before its purchase, which Apple refuses (E31)",
        .noLineItem: "nothing is reported of it",
        .inFuture: "it is dated ahead of the server's clock, and goes out at its moment (E6)",
        .tooLateToReport: "Apple does not take it any more: refunds for a year, sales for three (RR-82)",
        .tokenUnknownToApple: "Apple does not know the token: check app and environment (TK-74)",
        .tokenNotReportable: "the token is of a kind that sales are not reported on",
        .customerContradiction: "the sale and what it names tell different customers; the first link counts",
        .checkoutContradiction:
            "several tokens claim the checkout: the one that the sale names counts, otherwise the sale waits until one is "
            + "confirmed (TK-78)",
        .notConvertible: "its money does not fit into a report",
        .reportRefused: "Apple or the pre-flight refused its report: amend the sale, or retry the review item",
        .reportedAlready:
            "Apple says that it has the sale already (E1, E30): decide accepted in the review item of its report, or retry",
        .withdrawnCurrency: "its currency is withdrawn from the standard (RR-52)",
        .waitsForStart: "the start of its subscription is on another token and not accepted yet",
        .waitsForCorrection: "what it refers to is being corrected",
        .referenceClosed:
            "a person closed what it refers to: decide in its review item what becomes of both",
        .sentApart: "a person released it after a refusal: it goes into a report of its own",
    ]
}
