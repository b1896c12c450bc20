import ExternalPurchaseCore

/// The amounts of a buy's refunds after a correction of the buy's amounts (RR-46).
///
/// Each refund keeps its share of the amount with tax, rounded half up. If the refunds used up the buy before, they use
/// it up again, and the last one receives the remainder. A share never exceeds what is left.
struct RefundShares {
    struct Refund {
        let old: LineItemAmounts
        /// The amounts that the caller stated; nil for a share.
        let stated: LineItemAmounts?
    }
    struct Share: Hashable {
        var taxExclusive: MilliUnits
        var tax: MilliUnits
    }

    /// The shares in the order of the refunds.
    let refunds: [Share]

    /// Computes the shares.
    ///
    /// - Parameters:
    ///   - old: the buy's previous amounts.
    ///   - new: the buy's corrected amounts.
    ///   - refunds: the buy's live refunds in order.
    init(of old: LineItemAmounts, becoming new: LineItemAmounts, refunds: [Refund]) {
        var leftExclusive = Int128(new.taxExclusive.value)
        var leftTax = Int128(new.tax.value)
        for stated in refunds.compactMap(\.stated) {
            leftExclusive -= Int128(stated.taxExclusive.value)
            leftTax -= Int128(stated.tax.value)
        }
        let oldInclusive = old.wideInclusive
        let usesUp = refunds.reduce(0) { $0 + $1.old.wideInclusive } >= oldInclusive
        let last = refunds.lastIndex { $0.stated == nil }
        var shares: [Share] = []
        for (position, refund) in refunds.enumerated() {
            if let stated = refund.stated {
                shares.append(Share(taxExclusive: stated.taxExclusive, tax: stated.tax))
                continue
            }
            var exclusive = max(0, leftExclusive)
            var tax = max(0, leftTax)
            if !usesUp || position != last {
                let part = refund.old.wideInclusive
                let inclusive = min(Self.share(part, of: oldInclusive, in: new.wideInclusive), exclusive + tax)
                let wanted = Self.share(part, of: oldInclusive, in: Int128(new.tax.value))
                tax = min(max(wanted, inclusive - exclusive), min(tax, inclusive))
                exclusive = inclusive - tax
            }
            leftExclusive -= exclusive
            leftTax -= tax
            shares.append(
                Share(
                    taxExclusive: MilliUnits(Int64(clamping: exclusive)),
                    tax: MilliUnits(Int64(clamping: tax))
                )
            )
        }
        self.refunds = shares
    }

    /// Returns `total` × `part` ÷ `whole`, rounded half up; the product of two 64-bit amounts fits into 128 bits.
    private static func share(_ part: Int128, of whole: Int128, in total: Int128) -> Int128 {
        guard whole > 0, part > 0, total > 0 else { return 0 }
        let (quotient, remainder) = (total * min(part, whole)).quotientAndRemainder(dividingBy: whole)
        return remainder >= whole - remainder ? quotient + 1 : quotient
    }
}

extension LineItemAmounts {
    /// The amount with tax, without overflow.
    fileprivate var wideInclusive: Int128 { Int128(taxExclusive.value) + Int128(tax.value) }
}
