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

    func isDisjoint(with other: LineItemFieldSet) -> Bool { bits & other.bits == 0 }

    func union(_ other: LineItemFieldSet) -> LineItemFieldSet {
        var union = self
        union.bits |= other.bits
        return union
    }

    mutating func formUnion(_ fields: some Sequence<LineItemField>) {
        for field in fields { bits |= Self.bit(field) }
    }
}
