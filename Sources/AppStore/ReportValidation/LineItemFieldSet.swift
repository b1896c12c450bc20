/// A set of members of a line item, in one word.
///
/// Every rule is preceded by a question to such a set for every item, so it must cost nothing.
struct LineItemFieldSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt32 = 0

    init(_ fields: some Sequence<LineItemField>) {
        formUnion(fields)
    }

    init(arrayLiteral fields: LineItemField...) {
        self.init(fields)
    }

    /// The bit of a member: its position in the declaration.
    private static func bit(_ field: LineItemField) -> UInt32 { 1 << field.position }

    func contains(_ field: LineItemField) -> Bool { bits & Self.bit(field) != 0 }

    var isEmpty: Bool { bits == 0 }

    mutating func insert(_ field: LineItemField) { bits |= Self.bit(field) }

    func intersection(_ other: LineItemFieldSet) -> LineItemFieldSet {
        var intersection = self
        intersection.bits &= other.bits
        return intersection
    }

    func subtracting(_ other: LineItemFieldSet) -> LineItemFieldSet {
        var difference = self
        difference.bits &= ~other.bits
        return difference
    }

    func isDisjoint(with other: LineItemFieldSet) -> Bool { bits & other.bits == 0 }

    func union(_ other: LineItemFieldSet) -> LineItemFieldSet {
        var union = self
        union.formUnion(other)
        return union
    }

    mutating func formUnion(_ other: LineItemFieldSet) { bits |= other.bits }

    mutating func formUnion(_ fields: some Sequence<LineItemField>) {
        for field in fields { bits |= Self.bit(field) }
    }
}
