import ExternalPurchaseCore
import Ledger

/// Reads one JSON object of a body strictly: what is unknown, repeated, null or of another type is an error with its place.
struct StrictObject {
    private let object: JSONObject
    let path: String
    private(set) var errors: [PaymentRefusal.Member] = []

    /// The largest number of errors that an answer names.
    private static let most = 50

    init(_ object: JSONObject, at path: String = "", known: [String]) {
        self.object = object
        self.path = path
        for key in object.repeatedKeys.prefix(Self.most) { fault(key, "stands more than once") }
        for member in object.members.prefix(1_000) where !known.containsName(member.key) {
            fault(member.key, "is not known here; known are \(known.joined(separator: ", "))")
        }
        for key in known where object[key] == .null { fault(key, "is null; leave it out") }
    }

    mutating func fault(_ key: String, _ message: String) {
        guard errors.count < Self.most else { return }
        let name = key.clipped().replacing("~", with: "~0").replacing("/", with: "~1")
        errors.append(PaymentRefusal.Member(path: key.isEmpty ? path : "\(path)/\(name)", message: message))
    }

    mutating func add(_ other: StrictObject) { errors += other.errors.prefix(Self.most - errors.count) }

    func has(_ key: String) -> Bool { value(key) != nil }

    private func value(_ key: String) -> JSONValue? {
        guard let value = object[key], value != .null else { return nil }
        return value
    }

    private mutating func required(_ key: String) -> JSONValue? {
        let value = value(key)
        if value == nil, object[key] == nil { fault(key, "is missing") }
        return value
    }

    // MARK: Members

    /// Reads a text of 1 to `maximum` characters without control characters.
    mutating func text(_ key: String, maximum: Int, isOptional: Bool = false) -> String? {
        guard let value = isOptional ? value(key) : required(key) else { return nil }
        guard let text = value.stringValue else {
            fault(key, "is not a string")
            return nil
        }
        guard (1...maximum).contains(text.unicodeScalars.prefix(maximum + 1).count) else {
            fault(key, text.isEmpty ? "is empty" : "has more than \(maximum) characters")
            return nil
        }
        guard !text.unicodeScalars.contains(where: \.isControlOrDirection) else {
            fault(key, "contains a control character, or one that turns the reading direction")
            return nil
        }
        return text
    }

    mutating func time(_ key: String) -> Timestamp? {
        guard let text = text(key, maximum: 64) else { return nil }
        guard let time = Timestamp(rfc3339: text), time >= Timestamp(milliseconds: 0) else {
            fault(key, "is not a time since 1970 such as 2026-11-20T12:00:00Z")
            return nil
        }
        return time
    }

    mutating func whole(_ key: String, _ range: ClosedRange<Int64>) -> Int64? {
        guard let value = required(key) else { return nil }
        guard let number = value.int64Value, range.contains(number) else {
            fault(key, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func currency(_ key: String) -> Currency? {
        guard let text = text(key, maximum: 64) else { return nil }
        guard let currency = Currency.code(text) else {
            fault(key, "is not a currency of ISO 4217 such as EUR: \(text.quoted)")
            return nil
        }
        return currency
    }

    /// Reads a country of ISO 3166-1; the alpha-3 code.
    mutating func country(_ key: String) -> String? {
        guard let text = text(key, maximum: 64, isOptional: true) else { return nil }
        if let country = Country.alpha3(text) ?? Country.alpha2(text) { return country.alpha3 }
        fault(key, "is not a country of ISO 3166-1 such as NLD or NL: \(text.quoted)")
        return nil
    }

    /// Reads an amount in units of the currency, below a trillion, as decimal text; JSON numbers are refused, because many
    /// writers round them.
    ///
    /// - Returns: minor units.
    mutating func amount(_ key: String, in currency: Currency?, isOptional: Bool = false) -> Int64? {
        guard let places = currency?.exponent else { return nil }
        guard let decimal = decimal(key, places: places, below: 1_000_000_000_000, isOptional: isOptional) else {
            return nil
        }
        return Int64((decimal * Decimal(sign: .plus, exponent: places, significand: 1)).description)
    }

    mutating func decimal(_ key: String, places: Int, below limit: Decimal, isOptional: Bool = false) -> Decimal? {
        guard let value = isOptional ? value(key) : required(key) else { return nil }
        guard let text = value.stringValue, text.utf8.count <= 40, let decimal = DecimalText.decimal(text) else {
            fault(key, "is not a decimal in quotes such as \"\(places == 0 ? "1490" : "9.99")\"")
            return nil
        }
        guard decimal >= 0, !text.hasPrefix("-") else {
            fault(key, "is negative; amounts, those of refunds too, are written without a minus")
            return nil
        }
        guard (text.split(separator: ".").dropFirst().first?.count ?? 0) <= places else {
            fault(key, "has more than \(places) digits after the point")
            return nil
        }
        guard decimal < limit else {
            fault(key, "is too large")
            return nil
        }
        return decimal
    }

    mutating func object(_ key: String, known: [String]) -> StrictObject? {
        guard let value = value(key) else { return nil }
        guard let object = value.objectValue else {
            fault(key, "is not an object")
            return nil
        }
        return StrictObject(object, at: "\(path)/\(key)", known: known)
    }

    /// Reads an array of at most `maximum` objects; empty without the member, unless it is required.
    mutating func objects(_ key: String, _ range: ClosedRange<Int>, known: [String]) -> [StrictObject] {
        guard let value = range.lowerBound > 0 ? required(key) : value(key) else { return [] }
        guard let elements = value.arrayValue else {
            fault(key, "is not an array")
            return []
        }
        guard range.contains(elements.count) else {
            fault(key, elements.isEmpty ? "is empty" : "has more than \(range.upperBound) elements")
            return []
        }
        var found: [StrictObject] = []
        for (place, element) in elements.enumerated() {
            guard let object = element.objectValue else {
                fault("\(key)", "has an element that is not an object: \(place)")
                continue
            }
            found.append(StrictObject(object, at: "\(path)/\(key)/\(place)", known: known))
        }
        return found
    }
}
