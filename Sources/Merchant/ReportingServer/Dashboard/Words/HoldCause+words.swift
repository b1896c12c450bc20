import Ledger

/// A hold in words for people who know the sales and not the interface.
struct HoldWords {
    /// The cause in a few words, for lists.
    let label: String
    /// What is wrong, as a sentence.
    let problem: String
    /// What ends the hold, as a sentence.
    let wayOut: String
}

extension HoldCause {
    /// The hold in words without commands, paths, rules and the interface's names.
    var words: HoldWords {
        switch self {
        case .noToken:
            HoldWords(
                label: "token missing",
                problem: "No token from Apple leads to this sale.",
                wayOut: "Ask the shop to send the customer's token, or the sale again with its checkout. If there "
                    + "never was a token, submit the sale by hand with the month's file where the programme allows "
                    + "it."
            )
        case .noActiveToken:
            HoldWords(
                label: "no valid token",
                problem: "None of the customer's tokens was valid when the sale was made.",
                wayOut: "Check the date of the sale. If it is right, ask the shop for the token of that time, or "
                    + "close the item with a reason."
            )
        case .noExchangeRate:
            HoldWords(
                label: "exchange rate missing",
                problem: "Apple does not take the currency of the sale, and no exchange rate came with it.",
                wayOut: "Ask the shop to send the sale again with the rate of its day."
            )
        case .noTax:
            HoldWords(
                label: "tax missing",
                problem: "The tax of the sale is not known.",
                wayOut: "Ask the shop to send the sale again with its tax or tax rate."
            )
        case .noTaxCountry:
            HoldWords(
                label: "tax country missing",
                problem: "The country whose tax the sale carries is not known.",
                wayOut: "Ask the shop to send the sale again with its tax country."
            )
        case .buyUnknown:
            HoldWords(
                label: "purchase missing",
                problem: "The sale refers to another one that has not arrived, such as the purchase of a refund.",
                wayOut: "Ask the shop to send that purchase; this one then goes out by itself."
            )
        case .wrongReference:
            HoldWords(
                label: "wrong reference",
                problem: "The sale refers to another one of the wrong kind: a refund needs a purchase, a reversal "
                    + "needs a chargeback.",
                wayOut: "Withdraw it on its page, and ask the shop to send it with the right reference. A reversal of "
                    + "an imported chargeback goes out by itself when the shop sends that chargeback again."
            )
        case .orderHeld:
            HoldWords(
                label: "another line waits",
                problem: "Another line of the same order is held, and all lines are reported together.",
                wayOut: "Settle the other line; this one then goes out with it."
            )
        case .refundCurrencyDiffers:
            HoldWords(
                label: "other currency than the purchase",
                problem: "The refund is in another currency than its purchase.",
                wayOut: "Ask the shop to correct the refund's amount into the currency of the purchase."
            )
        case .refundTooPrecise:
            HoldWords(
                label: "too many decimal places",
                problem: "The refund has more decimal places than the currency of its purchase.",
                wayOut: "Ask the shop to correct the amount of the refund."
            )
        case .refundTaxDiffers:
            HoldWords(
                label: "tax does not fit the purchase",
                problem: "The tax of the refund is not the share of the tax of its purchase.",
                wayOut: "Compare both in your books, and ask the shop to correct the tax that is wrong."
            )
        case .reversalBeforeChargeback:
            HoldWords(
                label: "dated before the chargeback",
                problem: "The reversal is dated before the chargeback that it takes back.",
                wayOut: "Ask the shop to correct the date that is wrong."
            )
        case .waitsForStart:
            HoldWords(
                label: "waits for the first charge",
                problem: "The first charge of the subscription is not accepted by Apple yet.",
                wayOut: "Nothing: it goes out after the first charge."
            )
        case .waitsForCorrection:
            HoldWords(
                label: "waits for a correction",
                problem: "The sale refers to one that is being corrected.",
                wayOut: "Confirm or close the correction; this sale then goes out by itself."
            )
        case .buyHeld:
            HoldWords(
                label: "purchase is held",
                problem: "The purchase that it refunds is held itself.",
                wayOut: "Settle the purchase; the refund goes out after it."
            )
        case .startHeld:
            HoldWords(
                label: "first charge is held",
                problem: "The first charge of the subscription is held itself.",
                wayOut: "Settle the first charge; this one goes out after it."
            )
        case .laterStartReported:
            HoldWords(
                label: "arrived after a later charge",
                problem: "A later charge was reported as the beginning of the subscription before this one arrived.",
                wayOut: "Decide with whoever runs the shop whether it is reported as a subscription of its own or "
                    + "left out. To leave it out, close the item with a reason."
            )
        case .environmentContradiction:
            HoldWords(
                label: "test and real mixed",
                problem: "A real sale is tied to a token of the test environment, or the other way round.",
                wayOut: "Find out which of the two is a test. Withdraw the sale if it is one; otherwise ask the shop "
                    + "to send it with the right token."
            )
        case .checkoutContradiction:
            HoldWords(
                label: "checkout claimed twice",
                problem:
                    "Several tokens claim the checkout of this sale, and neither Apple nor the shop's server vouches "
                    + "for one.",
                wayOut: "Ask the shop to send the token of this purchase from its server, or the sale again with its "
                    + "token. Once Apple confirms one of the tokens, the sale goes out by itself."
            )
        case .referenceClosed:
            HoldWords(
                label: "closed before",
                problem: "The sale that this one refers to was closed without being reported.",
                wayOut: "If Apple has that sale, say so here. If it was closed by mistake, release this one: both are "
                    + "planned anew. Otherwise close this one too."
            )
        case .buyVoided:
            HoldWords(
                label: "purchase was withdrawn",
                problem: "The purchase that it takes back was withdrawn.",
                wayOut: "Withdraw this one too on its page, or ask the shop to correct what it refers to."
            )
        case .refundAboveBuy:
            HoldWords(
                label: "refund exceeds the purchase",
                problem: "More would be given back than is left of the purchase.",
                wayOut: "Compare the refunds with your books. Withdraw the one that was entered twice, or ask the "
                    + "shop to correct its amount."
            )
        case .refundBeforeBuy:
            HoldWords(
                label: "dated before the purchase",
                problem: "The refund is dated before its purchase.",
                wayOut: "Ask the shop to correct the date that is wrong."
            )
        case .inFuture:
            HoldWords(
                label: "dated in the future",
                problem: "The sale is dated in the future.",
                wayOut: "Nothing if the date is right: it goes out at its date. Otherwise ask the shop to correct "
                    + "the date."
            )
        case .tooLateToReport:
            HoldWords(
                label: "too late to report",
                problem: "Apple does not take the sale any more: refunds for a year, sales for three years.",
                wayOut: "Check the year of the sale. If it is right, settle the amount with Apple directly, and "
                    + "close the item with the reason."
            )
        case .tokenUnknownToApple:
            HoldWords(
                label: "token unknown to Apple",
                problem: "Apple does not know the token of the sale.",
                wayOut: "Let whoever runs the server check that app and environment are right; then try it once more."
            )
        case .tokenNotReportable:
            HoldWords(
                label: "token of another kind",
                problem: "The token of the sale is of a kind on which sales are not reported.",
                wayOut: "Ask the shop to send the sale with the token of the purchase, or close the item with a reason."
            )
        case .notConvertible:
            HoldWords(
                label: "amount cannot be reported",
                problem: "The amount of the sale does not fit into a report.",
                wayOut: "Check amount, currency and rate in your books, and ask the shop to correct what is wrong."
            )
        case .reportRefused:
            HoldWords(
                label: "report was refused",
                problem: "The report with the sale was refused.",
                wayOut: "The item of the refused report says why, and takes the decision."
            )
        case .reportedAlready:
            HoldWords(
                label: "Apple has it already",
                problem: "Apple refused the sale because it has it already, in a report that is not known here.",
                wayOut: "The item of the refused report takes the decision. Until then the sale cannot be changed."
            )
        case .importedRefund:
            HoldWords(
                label: "waits for another refund",
                problem: "A later refund of the same purchase came from the records of another system, and may contain "
                    + "this one.",
                wayOut: "Ask the shop to send the later refund again. This one then goes out, or is left out as a "
                    + "part of it."
            )
        case .importedSubscription:
            HoldWords(
                label: "subscription from another system",
                problem: "The sale looks like the next charge of a subscription that came from another system, whose "
                    + "number is not known.",
                wayOut: "If it belongs to that subscription, ask the shop to send it with the subscription's number. "
                    + "If it is a new subscription, release it."
            )
        case .buyRetracted:
            HoldWords(
                label: "purchase was retracted",
                problem: "The purchase that it refunds was retracted at Apple.",
                wayOut: "If the purchase did not happen, withdraw the refund on its page; otherwise undo the "
                    + "retraction on the page of the purchase."
            )
        }
    }
}

extension SaleFlag {
    /// The flag in a few words, for lists and filters.
    var label: String {
        if let cause = HoldCause(rawValue: rawValue) { return cause.words.label }
        return Self.labels[self] ?? Shown.words(rawValue)
    }

    static let labels: [SaleFlag: String] = [
        .voided: "withdrawn", .noLineItem: "nothing to report", .customerContradiction: "several customers",
        .checkoutContradiction: "several tokens of one checkout", .withdrawnCurrency: "currency was withdrawn",
        .reviewClosed: "closed by a person", .sentApart: "sent by itself after a refusal",
        .imported: "from another system", .newSubscription: "new subscription, a person decided",
    ]

    /// The flag as a sentence for the page of its sale; nil for one that says nothing of its own.
    var sentence: String? {
        if let cause = HoldCause(rawValue: rawValue) { return cause.words.problem }
        return Self.labels[self].map { $0.capitalizedFirst + "." }
    }
}
