package import ExternalPurchaseCore

/// The conditions of a list; all conditions that are set must hold.
package struct ListFilter: Hashable, Sendable {
    /// The query parameters of lists, in documentation order.
    package enum Parameter: String, Hashable, Sendable, CaseIterable {
        case bundleId
        case environment
        case state
        case standing
        case kind
        case subtype
        case externalPurchaseId
        case saleId
        case customerId
        case checkoutId
        case productId
        case flag
        case programme
        case month
    }

    package var values: [Parameter: String]
    /// Includes rows from this time on.
    package var from: Timestamp?
    /// Includes rows before this time.
    package var until: Timestamp?

    package init(_ values: [Parameter: String] = [:], from: Timestamp? = nil, until: Timestamp? = nil) {
        self.values = values
        self.from = from
        self.until = until
    }

    package subscript(parameter: Parameter) -> String? {
        get { values[parameter] }
        set { values[parameter] = newValue }
    }

    package var isEmpty: Bool { self == ListFilter() }
}

/// A query parameter that a list accepts.
package struct ListParameter: Hashable, Sendable {
    package let name: ListFilter.Parameter
    /// The valid values; nil where any text is valid.
    package let known: [String]?

    package init(_ name: ListFilter.Parameter, known: [String]? = nil) {
        self.name = name
        self.known = known
    }

    package init<Value: RawRepresentable & CaseIterable>(_ name: ListFilter.Parameter, _ type: Value.Type)
    where Value.RawValue == String {
        self.init(name, known: type.allCases.map(\.rawValue))
    }
}

/// The fields of a row that the parameters of a list filter by.
package struct ListFields<Row>: Sendable {
    struct Field: Sendable {
        let parameter: ListParameter
        let values: @Sendable (Row) -> [String?]

        init(_ parameter: ListParameter, _ values: @escaping @Sendable (Row) -> [String?]) {
            (self.parameter, self.values) = (parameter, values)
        }
    }

    private let fields: [Field]
    /// The time of a row that `from` and `until` compare with.
    private let moment: @Sendable (Row) -> Timestamp

    init(_ fields: [Field], at moment: @escaping @Sendable (Row) -> Timestamp) {
        self.fields = fields
        self.moment = moment
    }

    package var parameters: [ListParameter] { fields.map(\.parameter) }

    /// Whether a row matches a filter.
    package func matches(_ row: Row, _ filter: ListFilter) -> Bool {
        if let from = filter.from, moment(row) < from { return false }
        if let until = filter.until, moment(row) >= until { return false }
        return fields.allSatisfy { field in
            filter[field.parameter.name].map { field.values(row).contains($0) } ?? true
        }
    }
}
