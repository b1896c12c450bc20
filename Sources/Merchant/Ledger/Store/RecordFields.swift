package import ExternalPurchaseCore

/// A form in which records of the ledger are written.
package enum RecordForm: Hashable, Sendable, CaseIterable {
    /// An entry of the audit log: customers by pseudonym, long texts and bytes as SHA-256, nil values left out.
    case audit
    /// A file of the archive: customers by pseudonym.
    case archive
    /// A list of the HTTP interface: customers by the caller's id, nil values as null.
    case list
}

/// The value of a field.
package enum RecordValue: Sendable {
    case text(String?)
    /// A number or date in this package's text format.
    case figure(String?)
    case integer(Int64?)
    case flag(Bool)
    case time(Timestamp?)
    /// A set of texts, in no particular order.
    case texts([String])
    case customer(CustomerId?)
    case sale(Sale?)
    case json(JSONValue?)
}

/// A field of a record, with its name in each form that contains it.
package struct RecordField<Record>: Sendable {
    fileprivate let names: [RecordForm: String]
    fileprivate let value: @Sendable (Record) -> RecordValue

    /// Creates a field with the same name in several forms.
    package init(
        _ name: String,
        in forms: RecordForm...,
        value: @escaping @Sendable (Record) -> RecordValue
    ) {
        self.init(Dictionary(uniqueKeysWithValues: forms.map { ($0, name) }), value: value)
    }

    /// Creates a field with a different name in each form.
    package init(_ names: [RecordForm: String], value: @escaping @Sendable (Record) -> RecordValue) {
        self.names = names
        self.value = value
    }
}

/// The fields of a kind of record, in the order in which every form writes them.
package struct RecordFields<Record>: Sendable {
    private typealias Named = (name: String, value: @Sendable (Record) -> RecordValue)

    private let audit: [Named]
    private let archive: [Named]
    private let list: [Named]

    package init(_ fields: [RecordField<Record>]) {
        let named = { (form: RecordForm) -> [Named] in
            fields.compactMap { field in field.names[form].map { ($0, field.value) } }
        }
        (audit, archive, list) = (named(.audit), named(.archive), named(.list))
    }

    package func names(in form: RecordForm) -> [String] { fields(of: form).map(\.name) }

    package func values(of record: Record, in form: RecordForm) -> [RecordValue] {
        fields(of: form).map { $0.value(record) }
    }

    /// The members of the record's object in a list.
    package func listMembers(of record: Record) -> [JSONObject.Member] {
        list.map { JSONObject.Member($0.name, $0.value(record).listed ?? .null) }
    }

    /// The members of the record in an audit entry.
    func auditMembers(of record: Record, naming pseudonyms: [CustomerId: String] = [:]) -> [JSONObject.Member] {
        audit.compactMap { name, value in
            value(record).audited(naming: pseudonyms).map { JSONObject.Member(name, $0) }
        }
    }

    private func fields(of form: RecordForm) -> [Named] {
        switch form {
        case .audit: audit
        case .archive: archive
        case .list: list
        }
    }
}

extension RecordValue {
    fileprivate var listed: JSONValue? {
        switch self {
        case .text(let text), .figure(let text): text.map(JSONValue.string)
        case .integer(let integer): integer.map(JSONValue.integer)
        case .flag(let flag): .bool(flag)
        case .time(let time): time.map { .string($0.description) }
        case .texts(let texts): .array(texts.sorted().map(JSONValue.string))
        case .customer(let customer): customer.map { .string($0.rawValue) }
        case .sale(let sale): sale?.json
        case .json(let json): json
        }
    }

    fileprivate func audited(naming pseudonyms: [CustomerId: String]) -> JSONValue? {
        switch self {
        case .time(let time): time.map { .integer($0.milliseconds) }
        case .customer(let customer): customer.flatMap { pseudonyms[$0] }.map(JSONValue.string)
        case .sale(let sale): sale?.json(naming: pseudonyms)
        case .text, .figure, .integer, .flag, .texts, .json: listed
        }
    }
}

extension Sale {
    /// The members of the sale, with the customer's pseudonym instead of the caller's id.
    package func json(naming pseudonyms: [CustomerId: String]) -> JSONValue {
        guard case .object(var object) = json else { return json }
        object.members.removeAll { $0.key == "customerId" }
        if let pseudonym = customerId.flatMap({ pseudonyms[$0] }) {
            object.members.append(.init("customer", .string(pseudonym)))
        }
        return .object(object)
    }
}

extension JSONValue {
    /// The SHA-256 of a text or of bytes, as hexadecimal text.
    static func digest(_ bytes: some Sequence<UInt8>) -> JSONValue {
        .string(bytes.sha256.hexadecimal)
    }
}
