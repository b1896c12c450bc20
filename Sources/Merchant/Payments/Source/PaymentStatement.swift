package import ExternalPurchaseCore
package import Ledger

/// What a customer paid and got back in one payment, as the payment's own objects say it.
///
/// It is what must be reported of the payment, however many events told it and in whichever order: the sales of the payment are
/// compared with it before they are stored.
///
///     // 10.00 and 5.00 shipping, of which 5.00 were given back.
///     let statement = PaymentStatement(
///         id: "pi_1", currency: "EUR", saleIds: ["pi_1"], given: 15, givenBack: 5, beside: 5, reportedBack: 3.33)
///     statement.reportable  // 6.67
package struct PaymentStatement: Hashable, Sendable {
    /// The invoice, else the payment intent, else the charge.
    package let id: String
    /// The code of the currency in which the customer was charged, ISO 4217.
    package let currency: String
    /// The sales of the payment, without what was given back.
    package let saleIds: [SaleId]
    /// What the customer gave, in units of the currency, tax and shipping included.
    package let given: Decimal
    /// What the customer got back; at most ``given``.
    package let givenBack: Decimal
    /// The part of ``given`` that is not reported: shipping, and products that the configuration leaves out.
    package let beside: Decimal
    /// The part of ``givenBack`` that is reported.
    package let reportedBack: Decimal

    /// What is to be reported, less what was given back of it, in units of the currency.
    package var reportable: Decimal { given - beside - reportedBack }
}
