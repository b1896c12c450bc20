import CommandSupport
import ExternalPurchaseCore

/// The columns of a file of sales: which member of the body of `POST /v1/sales` each one gives.
///
/// The rules of the members are those of the request: a row becomes its JSON, which the server's own reader checks.
struct SalesColumns: Sendable {
    /// A member of a sale, under the name of its column.
    struct Field: Hashable, Sendable {
        let name: String
        /// The names of the members from the body to the value.
        let path: [String]
        let kind: Kind

        enum Kind: Sendable { case text, decimal, wholeNumber }

        var pointer: String { path.map { "/\($0)" }.joined() }
    }

    static let fields: [Field] = [
        text("saleId"), text("bundleId"), text("type"), text("occurredAt"), text("customerId"), text("checkoutId"),
        text("externalPurchaseId"), text("environment"), text("productId"), whole("quantity"),
        text("currency", in: "amount"), decimal("inclusive", in: "amount"), whole("inclusiveMinor", in: "amount"),
        decimal("tax", in: "amount"), whole("taxMinor", in: "amount"), decimal("taxRate", in: "amount"),
        text("taxCountry", in: "amount"),
        Field(name: "exchangeRate", path: ["amount", "exchangeRate", "rate"], kind: .decimal),
        Field(name: "exchangeRateSource", path: ["amount", "exchangeRate", "source"], kind: .text),
        Field(name: "exchangeRateAsOf", path: ["amount", "exchangeRate", "asOf"], kind: .text),
        Field(name: "exchangeRateTo", path: ["amount", "exchangeRate", "to"], kind: .text),
        text("subscriptionId"), text("event"),
        Field(name: "periodStart", path: ["period", "start"], kind: .text),
        Field(name: "periodEnd", path: ["period", "end"], kind: .text),
        text("effectiveAt"), text("refundOf"), text("reversalOf"),
        Field(name: "refundedTotal", path: ["refundedTotal"], kind: .decimal), whole("refundedTotalMinor"),
        Field(name: "paymentProvider", path: ["payment", "provider"], kind: .text),
        Field(name: "paymentId", path: ["payment", "id"], kind: .text),
    ]

    private static func text(_ name: String, in object: String? = nil) -> Field {
        Field(name: name, path: [object, name].compactMap(\.self), kind: .text)
    }

    private static func decimal(_ name: String, in object: String) -> Field {
        Field(name: name, path: [object, name], kind: .decimal)
    }

    private static func whole(_ name: String, in object: String? = nil) -> Field {
        Field(name: name, path: [object, name].compactMap(\.self), kind: .wholeNumber)
    }

    /// The number of columns of the file.
    let count: Int
    /// The position and title of the column of each field that the file has, in the order of ``fields``.
    private let columns: [(field: Field, index: Int, title: String)]
    /// The app of rows that name none.
    private let onlyApp: BundleId?

    /// Reads the header of a file.
    ///
    /// - Parameters:
    ///   - header: the first record.
    ///   - mappings: the values of `--map`.
    ///   - apps: the apps; a single one is that of every row without `bundleId`.
    ///   - name: the file's name for messages.
    /// - Throws: ``CommandFailure`` for the first column that is wrong.
    init(
        _ header: CSVReader.Record,
        mappings: [ColumnMapping],
        apps: [BundleId],
        name: String
    ) throws(CommandFailure) {
        let place = "\(name):\(header.line)"
        var columns: [(field: Field, index: Int, title: String)] = []
        var titles: Set<[UInt8]> = []
        for (index, text) in header.fields.enumerated() {
            let title = text.trimmingBlanks
            guard title.utf8.count <= StreamSafeText.nameBytes else {
                throw .input(
                    "\(place): the name of column \(index + 1) is longer than \(StreamSafeText.nameBytes) bytes: "
                        + "'\(title.clipped())'"
                )
            }
            let mapping = mappings.first { $0.column.hasSameScalars(as: title) }
            if title.isEmpty, mapping == nil {
                throw .input("\(place): column \(index + 1) has no name; name it, or remove it")
            }
            guard titles.insert(Array(title.utf8)).inserted else {
                throw .input("\(place): the column '\(title)' stands twice; rename one of them")
            }
            if let mapping, mapping.field == nil { continue }
            guard let field = mapping?.field ?? Self.fields.first(where: { $0.name.hasSameScalars(as: title) }) else {
                let meant = Self.fields.first { $0.name.lowercased() == title.filter(\.isLetter).lowercased() }
                throw .input(
                    "\(place): the column '\(title)' is not known; --map '\(title)=\(meant?.name ?? "FIELD")' reads it as a "
                        + "field, and --map '\(title)=' leaves it out; fields are "
                        + Self.fields.map(\.name).joined(separator: ", ")
                )
            }
            if let other = columns.first(where: { $0.field == field }) {
                throw .input("\(place): the columns '\(other.title)' and '\(title)' both give \(field.name)")
            }
            columns.append((field, index, title))
        }
        for mapping in mappings where !titles.contains(Array(mapping.column.utf8)) {
            throw .input(
                "--map \(mapping.text.shown()): \(name) has no column \(mapping.column.shown()); it has "
                    + header.fields.prefix(100).map { $0.trimmingBlanks.clipped() }.joined(separator: ", ")
            )
        }
        for required in ["saleId", "type", "occurredAt"] where !columns.contains(where: { $0.field.name == required }) {
            throw .input(
                "\(place): has no column \(required); --map 'COLUMN=\(required)' names the column that gives it"
            )
        }
        onlyApp = apps.count == 1 ? apps.first : nil
        if onlyApp == nil, !columns.contains(where: { $0.field.name == "bundleId" }) {
            let list = apps.map(\.rawValue).sorted().joined(separator: ", ")
            throw .input("\(place): has no column bundleId, which is needed because there are several apps: \(list)")
        }
        count = header.fields.count
        self.columns = columns.sorted { first, second in
            (Self.fields.firstIndex(of: first.field) ?? 0) < (Self.fields.firstIndex(of: second.field) ?? 0)
        }
    }

    /// Returns the body of `POST /v1/sales` that a row stands for; an empty field is an absent member.
    func body(of record: CSVReader.Record) -> JSONValue {
        var body = JSONTree()
        if let onlyApp { body.set(.string(onlyApp.rawValue), at: ["bundleId"]) }
        for (field, index, _) in columns where !record.fields[index].isEmpty {
            let text = record.fields[index]
            let number = field.kind == .wholeNumber ? Int64(text).map(JSONValue.integer) : nil
            body.set(number ?? .string(text), at: field.path[...])
        }
        return .object(body.object)
    }

    /// Returns an error of the request's reader in the words of the file.
    ///
    /// - Parameters:
    ///   - pointer: the JSON pointer of the wrong member, empty for the body.
    ///   - message: the message of the reader.
    ///   - record: the row.
    func error(at pointer: String, _ message: String, in record: CSVReader.Record) -> RowError {
        guard let field = field(at: pointer, in: record) else { return RowError(record.line, nil, message) }
        guard let column = columns.first(where: { $0.field == field }) else {
            return RowError(record.line, field.name, message)
        }
        let name = column.title == field.name ? field.name : "\(field.name) (column '\(column.title)')"
        let text = record.fields[column.index]
        guard field.kind == .decimal, let right = Self.withPoint(text) else {
            return RowError(record.line, name, message)
        }
        return RowError(record.line, name, "\(message); \(right)")
    }

    /// The field of a pointer; of an object, its first field that the row has, else the one that makes the object.
    private func field(at pointer: String, in record: CSVReader.Record) -> Field? {
        if let field = Self.fields.first(where: { $0.pointer == pointer }) { return field }
        guard !pointer.isEmpty else { return nil }
        let given = columns.first { $0.field.pointer.hasPrefix(pointer + "/") && !record.fields[$0.index].isEmpty }
        if let given { return given.field }
        let main = ["/amount": "inclusive", "/amount/exchangeRate": "exchangeRate", "/period": "periodStart"]
        // A refund's total may stand in its amount.
        let name = main[pointer] ?? pointer.split(separator: "/").last.map(String.init)
        return Self.fields.first { $0.name == name }
    }

    /// Returns advice on a decimal with a comma; nil for a text without one.
    static func withPoint(_ text: String) -> String? {
        guard text.contains(",") else { return nil }
        let last = text.lastIndex { $0 == "," || $0 == "." }
        guard let last else { return nil }
        let separators = Set(text.filter { $0 == "," || $0 == "." })
        let whole = text[..<last].filter { $0 != "," && $0 != "." && $0 != " " }
        let fraction = text[text.index(after: last)...]
        let right = "\(whole).\(fraction)"
        // 1,234 may be a thousand or a little more than one.
        let isAmbiguous = separators.count == 1 && fraction.count == 3
        guard DecimalText.isWellFormed(right), !isAmbiguous else {
            return "decimals have a point and no separators of thousands"
        }
        return "\(right) would be right, with a point and without separators of thousands"
    }
}

/// A value of `--map`: `COLUMN=FIELD`, or `COLUMN=` for a column that is left out.
struct ColumnMapping: Equatable, Sendable {
    let text: String
    let column: String
    /// Nil for a column that is left out.
    let field: SalesColumns.Field?

    /// Reads the values of `--map`.
    ///
    /// - Throws: ``CommandFailure`` for the first one that is wrong.
    static func all(_ texts: [String]) throws(CommandFailure) -> [ColumnMapping] {
        var mappings: [ColumnMapping] = []
        for text in texts {
            // A column's name may have an equals sign, a field's has none.
            guard let sign = text.unicodeScalars.lastIndex(of: "=") else {
                throw .input("--map \(text.shown()): is not COLUMN=FIELD, such as 'Order ID=saleId'")
            }
            let (column, name) = (
                String(text[..<sign]).trimmingBlanks, String(text.unicodeScalars[sign...].dropFirst()).trimmingBlanks
            )
            if mappings.contains(where: { $0.column == column }) {
                throw .input("--map \(text.shown()): the column \(column.shown()) is mapped twice")
            }
            let field = SalesColumns.fields.first { $0.name == name }
            guard field != nil || name.isEmpty else {
                throw .input(
                    "--map \(text.shown()): \(name.shown()) is not a field; fields are "
                        + SalesColumns.fields.map(\.name).joined(separator: ", ")
                )
            }
            mappings.append(ColumnMapping(text: text, column: column, field: field))
        }
        return mappings
    }
}

/// What is wrong with a row.
struct RowError: Hashable, Sendable {
    let line: Int
    /// The field, with its column if that has another name; nil if the whole row is wrong.
    let field: String?
    let message: String

    init(_ line: Int, _ field: String?, _ message: String) {
        self.line = line
        self.field = field
        self.message = message
    }

    /// The error as a line: `sales.csv:17: taxCountry: …`.
    func text(of file: String) -> String { "\(file):\(line): " + (field.map { "\($0): " } ?? "") + message }

    var json: JSONValue {
        [
            "line": .integer(Int64(line)), "field": field.map { .string($0) } ?? .null,
            "message": .string(message),
        ]
    }
}

/// A JSON object that is built from the paths of its values.
struct JSONTree {
    var object = JSONObject()

    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let key = path.first else { return }
        let index = object.members.firstIndex { $0.key == key }
        var new = value
        if path.count > 1 {
            var inner = JSONTree(object: index.flatMap { object.members[$0].value.objectValue } ?? JSONObject())
            inner.set(value, at: path.dropFirst())
            new = .object(inner.object)
        }
        if let index {
            object.members[index].value = new
        } else {
            object.members.append(.init(key, new))
        }
    }
}
