import ExternalPurchaseCore
package import Ledger

/// What became of an event.
package enum PaymentOutcome: Hashable, Sendable {
    /// The sales that the event gives, or to which it adds something.
    case used([SaleId])
    /// The event concerns no sale of ours, or tells nothing new.
    case notUsed(PaymentReason)
    /// Something that the sale needs is not known yet; an alert means that no further event can bring it.
    case waiting(PaymentReason, isAlert: Bool)
    /// The event is unusable until a person decides.
    case held(PaymentReason)
}

/// Why an event gives no sale.
package struct PaymentReason: Hashable, Sendable, CustomStringConvertible {
    let code: Code
    /// The largest size of ``detail`` in bytes.
    private static let longestDetail = 1_000

    /// A sentence for a person, which names objects and members of the event; what it repeats is bounded.
    let detail: String

    /// The kinds of reasons; the texts are stored, so they stay as they are.
    enum Code: String, Hashable, Sendable, CaseIterable {
        // Not used.
        /// No event of this type gives a sale.
        case type
        /// The event is of another account.
        case account
        /// A Checkout mode that sells nothing.
        case mode
        /// No metadata says that the payment belongs to an external purchase.
        case notOurs = "not-ours"
        /// Nothing says that the payment belongs to an external purchase.
        case unreferenced
        /// The payment is older than the configuration's `from`.
        case beforeFrom = "before-from"
        case nothingPaid = "nothing-paid"
        case paymentFailed = "payment-failed"
        /// An inquiry moves no money.
        case inquiry
        /// The dispute ended without returning money.
        case disputeLost = "dispute-lost"
        case refundFailed = "refund-failed"
        case creditNoteVoided = "credit-note-voided"
        /// The rest of an authorisation that was captured in part.
        case released
        /// Only shipping and excluded products were concerned.
        case unreported
        /// The payment intent of an invoice: the invoice is the sale.
        case madeByInvoice = "made-by-invoice"
        /// Another event says the same.
        case known
        /// The failed payment does not renew a subscription.
        case noRenewal = "no-renewal"

        // Waiting.
        /// No token has named the payment's checkout.
        case token
        /// The event of the Checkout session has not arrived.
        case session
        /// The payment method takes days to pay.
        case unpaid
        case refundPending = "refund-pending"
        /// It is not known what the charge paid for.
        case purchase
        /// The event of the chargeback has not arrived.
        case chargeback
        /// The event of the paid invoice has not arrived.
        case invoice
        /// What the ledger holds of the payment is withdrawn, or corrected by a person, first.
        case correction
        case lineItems = "line-items"
        case invoiceLines = "invoice-lines"
        case price
        /// No event has said the country of the payment's address.
        case address

        // Held.
        /// A member is missing or of another type.
        case member
        case amount
        case currency
        case product
        case quantity
        /// Lines do not add up to the total.
        case total
        case lines
        /// Events of test and live mode name the same objects, or a token of the other environment.
        case environment
        /// Several apps share the account, and no metadata says which one sold.
        case bundle
        case metadata
        case severalInvoices = "several-invoices"
        /// Callers sent several sales of one payment, before events connected the ids that they name.
        case severalSales = "several-sales"
        /// The sales are not what the customer gave and got back.
        case statement
        case saleId = "sale-id"
    }

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail.clipped(to: Self.longestDetail)
    }

    package var description: String { "\(code.rawValue): \(detail)" }
}

/// Ends the reading of an object that gives no sale.
struct NoSale: Error, Hashable {
    let outcome: PaymentOutcome

    static func held(_ code: PaymentReason.Code, _ detail: String) -> NoSale {
        NoSale(outcome: .held(PaymentReason(code, detail)))
    }

    static func waiting(_ code: PaymentReason.Code, _ detail: String, isAlert: Bool = false) -> NoSale {
        NoSale(outcome: .waiting(PaymentReason(code, detail), isAlert: isAlert))
    }

    static func notUsed(_ code: PaymentReason.Code, _ detail: String) -> NoSale {
        NoSale(outcome: .notUsed(PaymentReason(code, detail)))
    }
}
