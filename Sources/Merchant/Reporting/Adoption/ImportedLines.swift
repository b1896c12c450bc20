import ExternalPurchaseCore
import Ledger

/// The line items of a file that together are an order, or the refund of one.
///
/// A report does not contain the order. Its line items are named `order-1/1`, `order-1/2` and so on, those of a refund
/// of it `refund-1/1` and so on, where the number is that of the refunded line (``SaleId/line(_:attempt:)``).
struct ImportedLines {
    /// The lines of one sale of several lines.
    struct Group {
        let whole: SaleId
        /// The first version of each line, by its number from 1.
        fileprivate(set) var items: [Int: ReceivedLineItem] = [:]

        /// The items in their order.
        var ordered: [ReceivedLineItem] { items.sorted { $0.key < $1.key }.map(\.value) }

        fileprivate var isOfOneMoment: Bool { Set(items.values.map(\.creationDate)).count == 1 }

        /// True for all lines of an order, from the first on: one-time purchases of one moment.
        var isOrder: Bool {
            items.count > 1 && items.keys.max() == items.count && isOfOneMoment
                && items.values.allSatisfy { $0.eventType == .buy && $0.subscriptionEvent == nil }
        }

        /// True for refunds of one moment.
        var isRefund: Bool { isOfOneMoment && items.values.allSatisfy { $0.eventType == .refund } }
    }

    private struct Key: Hashable {
        let token: ExternalPurchaseId
        let whole: SaleId
    }

    private var groups: [Key: Group] = [:]

    /// Finds the groups among the line items of accepted reports.
    init(_ reports: [ReceivedReport]) {
        var ids: Set<LineItemId> = []
        for report in reports {
            guard let token = report.externalPurchaseId else { continue }
            for item in report.lineItems ?? [] {
                guard let id = item.lineItemId, ids.insert(id).inserted, let place = Self.place(of: id) else {
                    continue
                }
                let key = Key(token: token, whole: place.whole)
                groups[key, default: Group(whole: place.whole)].items[place.number] = item
            }
        }
        // An item of that name is a sale of its own.
        groups = groups.filter { !ids.contains(LineItemId($0.key.whole.rawValue)) }
    }

    /// Returns the group of a line item, with the item's number in it.
    func group(of id: LineItemId, on token: ExternalPurchaseId) -> (group: Group, number: Int)? {
        guard let place = Self.place(of: id), let group = groups[Key(token: token, whole: place.whole)] else {
            return nil
        }
        return (group, place.number)
    }

    /// The number of a line item in its group; 0 for other items.
    static func number(of item: ReceivedLineItem) -> Int { item.lineItemId.flatMap { place(of: $0)?.number } ?? 0 }

    /// Reads `order-1/2`; the number has no leading zero.
    private static func place(of id: LineItemId) -> (whole: SaleId, number: Int)? {
        let scalars = id.rawValue.unicodeScalars
        guard scalars.count <= SaleId.maximumLength, let slash = scalars.lastIndex(of: "/"), slash > scalars.startIndex
        else { return nil }
        let digits = String(scalars[scalars.index(after: slash)...])
        guard digits.utf8.count <= 4, let number = Int(digits), number > 0, String(number) == digits else { return nil }
        return (SaleId(String(scalars[..<slash])), number)
    }
}
