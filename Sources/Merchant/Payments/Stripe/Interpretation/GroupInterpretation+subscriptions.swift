import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// Reads failed renewals: the subscription lapses with the period that was not paid, once per period.
    mutating func readFailedInvoices() {
        for (id, events) in objects(.failedInvoice) {
            do throws(NoSale) {
                guard let event = events.first, let invoice = StripeObject(event.object) else { continue }
                let sale = try emit(try lapse(invoice, id))
                set(.used([sale.saleId]), for: events)
            } catch {
                set(error.outcome, for: events)
            }
        }
    }

    private func lapse(_ invoice: StripeObject, _ id: StripeObjectId) throws(NoSale) -> Sale {
        guard try invoice.text("billing_reason") == "subscription_cycle" else {
            throw .notUsed(.noRenewal, "only a failed payment of a renewal (subscription_cycle) ends a paid period")
        }
        guard let subscription = invoice.invoiceSubscription else {
            throw .held(.member, "\(id) names no subscription")
        }
        let metadata = try metadata(of: invoice, id)
        let account = try seller(metadata)
        let currency = try StripeCurrency(of: invoice)
        var start: Timestamp?
        for element in invoice.data(of: "lines") {
            let line = try StripeInvoiceLine(element, currency: currency)
            guard !line.isProration, !line.isInvoiceItem, let period = line.period else { continue }
            // A metered line is about the period before.
            start = max(start ?? period.start, period.start)
        }
        guard let start else { throw .held(.lines, "\(id) has no line with the period that was not paid") }
        return Sale(
            saleId: SaleId("\(subscription.rawValue)/lapse/\(start.milliseconds / 1_000)"),
            bundleId: account.bundleId,
            occurredAt: start,
            customerId: metadata.customerId,
            checkoutId: metadata.checkoutId,
            externalPurchaseId: metadata.externalPurchaseId,
            kind: .lapse(SubscriptionId(subscription.rawValue))
        )
    }

    /// Reads the subscriptions that ended.
    mutating func readSubscriptions() {
        for (id, events) in objects(.endedSubscription) {
            do throws(NoSale) {
                guard let event = events.first, let object = StripeObject(event.object) else { continue }
                let sale = try emit(try cancellation(object, id, at: event.created))
                set(.used([sale.saleId]), for: events)
            } catch {
                set(error.outcome, for: events)
            }
        }
        for (id, events) in objects(.subscription) {
            for event in events {
                let metadata: StripeMetadata
                do throws(NoSale) {
                    metadata = try StripeMetadata(StripeObject(event.object)?.object("metadata"))
                } catch {
                    set(error.outcome, for: [event])
                    continue
                }
                let saleIds = saleIds(invoice: nil, id)
                let reason = PaymentReason(.known, "only the metadata of the event is used")
                set(metadata.isOurs && !saleIds.isEmpty ? .used(saleIds) : .notUsed(reason), for: [event])
            }
        }
    }

    private func cancellation(
        _ object: StripeObject,
        _ id: StripeObjectId,
        at moment: Timestamp
    ) throws(NoSale) -> Sale {
        let metadata = try metadata(ofSubscription: object, id)
        let account = try seller(metadata)
        let end = try object.time("ended_at") ?? moment
        let cancellation = SubscriptionCancellation(subscriptionId: SubscriptionId(id.rawValue), effectiveAt: end)
        return Sale(
            saleId: SaleId("\(id.rawValue)/cancellation"),
            bundleId: account.bundleId,
            occurredAt: end,
            customerId: metadata.customerId,
            checkoutId: metadata.checkoutId,
            externalPurchaseId: metadata.externalPurchaseId,
            kind: .cancellation(cancellation)
        )
    }
}
