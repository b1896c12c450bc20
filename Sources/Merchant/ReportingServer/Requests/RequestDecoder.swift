import ExternalPurchaseCore
import Ledger
import Reporting

/// Decodes one JSON object of a request, and collects an error for each wrong member.
struct RequestDecoder {
    private let object: JSONObject
    private let path: String
    /// The first ``FieldError/most`` errors.
    private(set) var faults: [FieldError] = []
    /// The number of further errors.
    private var omitted = 0
    /// The error of an app that the caller has no access to.
    private var foreign: RequestError?

    /// Decodes the body of a request.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` if it is not an object.
    init(_ body: JSONValue, known: [String]) throws(RequestError) {
        guard let object = body.objectValue else { throw .invalid([FieldError("", "is not a JSON object")]) }
        self.init(object: object, path: "", known: known)
    }

    private init(object: JSONObject, path: String, known: [String]) {
        self.object = object
        self.path = path
        // Repeated keys are refused, because two parsers could read different values.
        for key in object.repeatedKeys { fault(key, "stands more than once") }
        for member in object.members where !known.containsName(member.key) {
            fault(member.key, "is not known here; known are \(known.joined(separator: ", "))")
        }
    }

    mutating func fault(_ key: String, _ message: String) { fault(at: pointer(key), message) }

    private mutating func fault(at pointer: String, _ message: String) {
        guard faults.count < FieldError.most else {
            omitted += 1
            return
        }
        faults.append(FieldError(pointer, message))
    }

    mutating func add(_ other: RequestDecoder) {
        let taken = other.faults.prefix(FieldError.most - faults.count)
        faults += taken
        omitted += other.omitted + other.faults.count - taken.count
    }

    /// The error for the request with all collected errors; a foreign app alone, whatever else is wrong.
    var refusal: RequestError {
        foreign ?? .invalid(omitted == 0 ? faults : faults + [FieldError("", "and \(omitted) more")])
    }

    func throwFaults() throws(RequestError) {
        if foreign != nil || !faults.isEmpty { throw refusal }
    }

    /// Reads `bundleId`, the app that a request is for.
    ///
    /// Every command of a body has its app from here, so that none can be made without the caller's restriction.
    ///
    /// - Returns: the named app, or without the member the only one that the caller has access to; nil where the member is
    ///   absent for a caller of all apps, and after an error.
    mutating func app(of caller: Caller, isRequired: Bool = false) -> BundleId? {
        guard let value = object["bundleId"] else {
            if caller.bundleId == nil, isRequired || caller.apps != nil {
                fault("bundleId", "is missing")
            }
            return caller.bundleId
        }
        guard value != .null else {
            fault("bundleId", "is null; name an app, or leave the member out")
            return nil
        }
        guard let named = optionalString("bundleId", maximum: Self.longestBundleId).map({ BundleId($0) }) else {
            return nil
        }
        if case .user(let user) = caller, let apps = user.apps, !apps.contains(named) {
            fault("bundleId", "is none of your apps")
            return nil
        }
        guard let own = caller.bundleId, named != own else { return named }
        if named.rawValue.lowercased() == own.rawValue.lowercased() {
            fault("bundleId", "is \(own) in another case")
        } else {
            foreign = .foreignApp(named, of: own)
        }
        return nil
    }

    /// The largest number of characters of a bundle id.
    private static let longestBundleId = 255

    /// Returns a JSON pointer (RFC 6901) to a member.
    private func pointer(_ key: String) -> String {
        let escaped = key.clipped().replacing("~", with: "~0").replacing("/", with: "~1")
        return "\(path)/\(escaped)"
    }

    private func present(_ key: String) -> JSONValue? {
        let value = object[key]
        return value == .null ? nil : value
    }

    func has(_ key: String) -> Bool { present(key) != nil }

    mutating func object(_ key: String, known: [String]) -> RequestDecoder? {
        guard let value = present(key) else {
            fault(key, "is missing")
            return nil
        }
        guard let object = value.objectValue else {
            fault(key, "is not an object")
            return nil
        }
        return RequestDecoder(object: object, path: pointer(key), known: known)
    }

    /// Reads an array of objects.
    mutating func objects(_ key: String, known: [String]) -> [RequestDecoder]? {
        guard let value = present(key) else {
            fault(key, "is missing")
            return nil
        }
        guard let elements = value.arrayValue else {
            fault(key, "is not an array")
            return nil
        }
        var found: [RequestDecoder] = []
        for (place, element) in elements.enumerated() {
            guard let object = element.objectValue else {
                fault(at: "\(pointer(key))/\(place)", "is not an object")
                continue
            }
            found.append(RequestDecoder(object: object, path: "\(pointer(key))/\(place)", known: known))
        }
        return found.count == elements.count ? found : nil
    }

    /// Reads a text with any characters.
    mutating func text(_ key: String) -> String? {
        if present(key) == nil { fault(key, "is missing") }
        guard let value = present(key) else { return nil }
        if value.stringValue == nil { fault(key, "is not a string") }
        return value.stringValue
    }

    /// Reads a text of 1 to `maximum` characters, counted as Unicode scalars.
    mutating func string(_ key: String, maximum: Int) -> String? {
        if present(key) == nil {
            fault(key, "is missing")
            return nil
        }
        return optionalString(key, maximum: maximum)
    }

    /// Reads the name of a person, unless the caller is known: then the caller's name counts, whatever the body says.
    mutating func author(_ key: String, maximum: Int, caller: String?) -> String? {
        if let caller { return caller }
        guard let name = string(key, maximum: maximum) else { return nil }
        guard let reservation = AuthorName.reservation(of: name) else { return name }
        fault(key, reservation)
        return nil
    }

    mutating func optionalString(_ key: String, maximum: Int) -> String? {
        guard let value = present(key) else { return nil }
        guard let text = value.stringValue else {
            fault(key, "is not a string")
            return nil
        }
        guard !text.isEmpty, text.unicodeScalars.count <= maximum else {
            fault(key, text.isEmpty ? "is empty" : "has more than \(maximum) characters")
            return nil
        }
        // Identifiers and names contain no control characters; a terminal would execute them, and databases cut texts
        // at a zero byte.
        guard !text.unicodeScalars.contains(where: \.isControlOrDirection) else {
            fault(key, "contains a control character, or one that turns the reading direction")
            return nil
        }
        return text
    }

    mutating func time(_ key: String) -> Timestamp? {
        guard let text = string(key, maximum: .max) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            fault(key, "is not a time such as 2026-11-20T12:00:00Z")
            return nil
        }
        return time
    }

    /// Reads a day such as `2026-12-10`.
    mutating func day(_ key: String) -> CalendarDate? {
        guard let text = string(key, maximum: .max) else { return nil }
        guard let day = CalendarDate(text) else {
            fault(key, "is not a day such as 2026-12-10")
            return nil
        }
        return day
    }

    func isTrue(_ key: String) -> Bool { present(key)?.boolValue == true }

    func wholeNumber(_ key: String) -> Int64? { present(key)?.int64Value }

    mutating func quantity(_ key: String) -> Int64? {
        guard let value = present(key) else {
            fault(key, "is missing")
            return nil
        }
        guard let quantity = value.int64Value, quantity > 0 else {
            fault(key, "is not a whole number above 0")
            return nil
        }
        guard quantity <= Purchase.largestQuantity else {
            fault(key, "is more than \(Purchase.largestQuantity); it is the number of units sold")
            return nil
        }
        return quantity
    }

    /// Reads a non-negative decimal from a text (RR-41); JSON numbers are refused, because many writers round them.
    ///
    /// - Parameters:
    ///   - key: the name of the member.
    ///   - digits: the largest number of decimal places.
    ///   - limit: the value must be below this limit.
    ///   - example: a valid value for error messages.
    mutating func decimal(_ key: String, digits: Int, below limit: Decimal, example: String) -> Decimal? {
        guard let value = present(key) else { return nil }
        guard let text = value.stringValue else {
            fault(key, "is not a decimal in quotes such as \"\(example)\"")
            return nil
        }
        guard DecimalText.isWellFormed(text), let decimal = DecimalText.decimal(text) else {
            fault(key, "is not a decimal such as \"\(example)\": \(text.quoted)")
            return nil
        }
        guard !text.hasPrefix("-") else {
            fault(key, "is negative; amounts, those of refunds too, are written without a minus")
            return nil
        }
        let fraction = text.split(separator: ".").dropFirst().first?.count ?? 0
        guard fraction <= digits else {
            fault(key, "has \(fraction) digits after the point, at most \(digits) are possible")
            return nil
        }
        guard decimal < limit else {
            fault(key, "is too large")
            return nil
        }
        return decimal
    }
}
