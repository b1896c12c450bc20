import ExternalPurchaseCore
import Foundation

/// The rows of orders that have several payments in a file, each order until its last row.
///
/// The first payment of an order by time has the order's id, so that a refund in another file finds it. A further one has
/// its own id behind that, or its place. Money that is given back is taken from the payments by what is left of them.
struct OrderPayments: Sendable {
    /// A sale of such an order.
    struct Sale: Sendable {
        let draft: ProfileLayout.Draft
        let place: Place
    }

    /// The place of a sale in its order.
    struct Place: Hashable, Sendable {
        let order: String
        /// The line of the order's first payment; that of another sale depends on it.
        let firstLine: Int
        let isFirst: Bool
        /// The id of a refund that several payments share.
        var sharedRefund: String?
    }

    /// What the file has of an order.
    struct Count: Sendable {
        var payments: Int32 = 0
        var rows: Int32 = 0
    }

    /// The rows of orders with several payments, or with one and what is given back, by the hash of the id.
    ///
    /// Two orders with one hash wait for the end of the file.
    private let counts: [Int: Count]
    private var pending: [String: [ProfileLayout.Draft]] = [:]

    /// Creates the orders of a file.
    ///
    /// - Parameter counts: what the file has of every order, by the hash of its id.
    init(_ counts: [Int: Count]) {
        self.counts = counts.filter { $0.value.payments > 0 && $0.value.rows > 1 }
    }

    /// The id of the order to which a row belongs; nil for a row of none.
    static func order(of draft: ProfileLayout.Draft) -> String? {
        draft.paymentOfOrder == nil ? draft.values["refundOf"] : draft.values["saleId"]
    }

    /// Takes a row of an order that has several.
    ///
    /// - Returns: the order's sales once the row was its last one; nil for a row of no such order.
    mutating func take(_ draft: ProfileLayout.Draft) -> [Sale]? {
        guard let order = Self.order(of: draft), let count = counts[order.hashValue] else { return nil }
        pending[order, default: []].append(draft)
        guard pending[order]?.count == Int(count.rows) else { return [] }
        return pending.removeValue(forKey: order).map { Self.sales(of: $0, order) } ?? []
    }

    /// The sales of the orders whose last row did not come.
    mutating func rest() -> [Sale] {
        defer { pending.removeAll() }
        let orders = pending.sorted { ($0.value.first?.line ?? 0) < ($1.value.first?.line ?? 0) }
        return orders.flatMap { Self.sales(of: $0.value, $0.key) }
    }

    /// What is left of a payment.
    private struct Left {
        let id: String
        let time: Timestamp
        var amount: Decimal
    }

    private static func sales(of rows: [ProfileLayout.Draft], _ order: String) -> [Sale] {
        var payments = sorted(rows.filter { $0.paymentOfOrder != nil })
        let firstLine = payments.first?.line ?? 0
        var ids: [String: String] = [:]
        var left: [Left] = []
        for index in payments.indices {
            let own = payments[index].paymentOfOrder ?? ""
            // Rows with the provider's id of a payment are that payment; without one, each row is a payment.
            if let known = ids[own], !own.isEmpty {
                payments[index].values["saleId"] = known
                continue
            }
            let id = left.isEmpty ? order : "\(order)/\(own.isEmpty ? String(left.count + 1) : own)"
            ids[own] = id
            payments[index].values["saleId"] = id
            left.append(Left(id: id, time: time(of: payments[index]), amount: amount(of: payments[index]) ?? 0))
        }
        var returns: [(ProfileLayout.Draft, sharedRefund: String?)] = []
        // A row that stands twice takes once; equal refunds without an id of the provider are numbered before.
        var known: [[String: String]: [ProfileLayout.Draft]] = [:]
        for draft in sorted(rows.filter { $0.paymentOfOrder == nil }) {
            let own = known[draft.values] ?? divided(draft, among: &left)
            known[draft.values] = own
            returns += own.map { ($0, own.count > 1 ? draft.values["saleId"] : nil) }
        }
        return (payments.map { ($0, nil) } + returns).enumerated().map { index, own in
            let place = Place(order: order, firstLine: firstLine, isFirst: index == 0, sharedRefund: own.1)
            return Sale(draft: own.0, place: place)
        }
    }

    /// The drafts by time; those of one moment in an order that does not depend on the file's.
    private static func sorted(_ drafts: [ProfileLayout.Draft]) -> [ProfileLayout.Draft] {
        func key(_ draft: ProfileLayout.Draft) -> (Timestamp, String, String) {
            (time(of: draft), draft.paymentOfOrder ?? "", draft.values.sorted { $0.key < $1.key }.description)
        }
        return drafts.map { (key($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func time(of draft: ProfileLayout.Draft) -> Timestamp {
        draft.values["occurredAt"].flatMap(Timestamp.init(rfc3339:)) ?? Timestamp(milliseconds: 0)
    }

    private static func amount(of draft: ProfileLayout.Draft) -> Decimal? {
        (draft.values["inclusive"] ?? draft.values["inclusiveMinor"]).flatMap(DecimalText.decimal)
    }

    /// Takes what is given back from the payments before it.
    ///
    /// The first payment with enough left counts, else a refund is divided. What does not fit stays with the order's id, and
    /// the ledger holds it.
    private static func divided(_ draft: ProfileLayout.Draft, among left: inout [Left]) -> [ProfileLayout.Draft] {
        guard let sum = amount(of: draft), sum > 0 else { return [draft] }
        let time = time(of: draft)
        let before = left.indices.filter { left[$0].time <= time && left[$0].amount > 0 }
        func part(_ index: Int, _ amount: Decimal) -> ProfileLayout.Draft {
            left[index].amount -= amount
            var part = draft
            part.values["refundOf"] = left[index].id
            for name in ["inclusive", "inclusiveMinor"] where draft.values[name] != nil && amount != sum {
                part.values[name] = "\(amount)"
            }
            return part
        }
        if let index = before.first(where: { left[$0].amount >= sum }) { return [part(index, sum)] }
        let isDivisible = draft.type == "refund" && draft.values["tax"] == nil && draft.values["taxMinor"] == nil
        guard isDivisible, before.reduce(0, { $0 + left[$1].amount }) >= sum else { return [draft] }
        var (parts, rest): ([ProfileLayout.Draft], Decimal) = ([], sum)
        for index in before where rest > 0 {
            let amount = min(rest, left[index].amount)
            var own = part(index, amount)
            if !parts.isEmpty { own.values["saleId"] = "\(draft.values["saleId"] ?? "")/part-\(parts.count + 1)" }
            parts.append(own)
            rest -= amount
        }
        return parts
    }
}

/// The refunds of a file whose ids are put together from columns: equal rows are several refunds.
struct EqualRefunds: Sendable {
    /// The hash of texts.
    struct Key: Hashable, Sendable {
        let first: Int
        let second: Int

        init(_ values: [String: String]) {
            // Two hashes, because a clash would be a wrong id.
            func hash(_ salt: Int) -> Int {
                var hasher = Hasher()
                hasher.combine(salt)
                hasher.combine(values)
                return hasher.finalize()
            }
            (first, second) = (hash(1), hash(2))
        }
    }

    private var counts: [Key: Int32] = [:]

    /// Gives the second and every further equal refund an id with its number.
    mutating func number(_ draft: inout ProfileLayout.Draft) {
        guard draft.type == "refund", draft.hasComposedId, let id = draft.values["saleId"] else { return }
        // 5 and 5.00 are equal.
        var values = draft.values
        for field in SalesProfile.amounts {
            values[field] = values[field].map { NumberForm.Number(isNegative: false, text: $0).shortest }
        }
        let count = counts[Key(values), default: 0] + 1
        counts[Key(values)] = count
        if count > 1 { draft.values["saleId"] = "\(id)/\(count)" }
    }
}
