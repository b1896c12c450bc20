extension ReceivedReport {
    /// Reads the body of a report in the same way as the endpoint: `null` and empty strings count as absent, unknown
    /// members are ignored, and no number is converted to binary floating point (spec/04 section 6).
    ///
    /// - Parameters:
    ///   - body: the bytes of the request.
    ///   - limits: the maximum size of a report.
    /// - Throws: ``MalformedReport`` with the first row that matches any part of the body.
    public static func read(
        _ body: [UInt8],
        limits: ReportLimits = ReportLimits()
    ) throws(MalformedReport) -> ReceivedReport {
        guard body.count <= limits.bodyBytes else {
            throw MalformedReport(rule: .unreadable, reason: "the body has more than \(limits.bodyBytes) bytes")
        }
        let value: JSONValue
        do {
            value = try JSONReader().read(body)
        } catch {
            throw MalformedReport(rule: .unreadable, reason: "the body \(error.message(in: body))")
        }
        guard let object = value.objectValue else {
            throw MalformedReport(rule: .unreadable, reason: "the body is not a JSON object")
        }
        return try read(object, limits: limits)
    }

    /// Reads a report from a parsed JSON object, such as the response to a retrieval.
    ///
    /// - Parameters:
    ///   - object: the report.
    ///   - limits: the maximum size of a report.
    /// - Throws: ``MalformedReport`` with the first row that matches any part of the object.
    public static func read(
        _ object: JSONObject,
        limits: ReportLimits = ReportLimits()
    ) throws(MalformedReport) -> ReceivedReport {
        var members = Members(object: object, path: "")
        var report = ReceivedReport()
        report.requestIdentifier = members.uuid("requestIdentifier")
        report.externalPurchaseId = members.string("externalPurchaseId").map(ExternalPurchaseId.init(rawValue:))
        report.status = members.known("status", ReportStatus.all)
        var faults = members.faults
        switch members.present("lineItems") {
        case nil:
            break
        case .array(let elements):
            if elements.count > limits.lineItems {
                faults.append(
                    MalformedReport(rule: .wrongType, reason: "lineItems has more than \(limits.lineItems) elements")
                )
                break
            }
            var items: [ReceivedLineItem] = []
            for (index, element) in elements.enumerated() {
                guard let object = element.objectValue else {
                    faults.append(
                        MalformedReport(rule: .wrongType, reason: "lineItems[\(index)] is not an object")
                    )
                    continue
                }
                var members = Members(object: object, path: "lineItems[\(index)].")
                items.append(members.lineItem())
                faults += members.faults
            }
            report.lineItems = items
        default:
            faults.append(MalformedReport(rule: .wrongType, reason: "lineItems is not an array"))
        }
        if let first = faults.min(by: { $0.rule < $1.rule }) { throw first }
        return report
    }
}

private struct Members {
    let object: JSONObject
    let path: String
    var faults: [MalformedReport] = []

    init(object: JSONObject, path: String) {
        self.object = object
        self.path = path
        faults = repeatedKeys
    }

    /// The repeated keys, as errors.
    ///
    /// Two readers of one body must not see two different values, so such a body does not count as JSON.
    var repeatedKeys: [MalformedReport] {
        object.repeatedKeys.map { MalformedReport(rule: .unreadable, reason: "\(path)\($0) occurs more than once") }
    }

    mutating func fault(_ rule: MalformedReport.Rule, _ key: String, _ reason: String) {
        faults.append(MalformedReport(rule: rule, reason: "\(path)\(key) \(reason)"))
    }

    func present(_ key: String) -> JSONValue? {
        let value = object[key]
        return value == .null ? nil : value
    }

    mutating func string(_ key: String) -> String? {
        guard let value = present(key) else { return nil }
        guard let text = value.stringValue else {
            fault(.wrongType, key, "is not a string")
            return nil
        }
        return text.isEmpty ? nil : text
    }

    mutating func uuid(_ key: String) -> RequestIdentifier? {
        guard let text = string(key) else { return nil }
        guard let identifier = RequestIdentifier(text) else {
            fault(.notAUUID, key, "is not a UUID")
            return nil
        }
        return identifier
    }

    mutating func known<Value: RawRepresentable & Equatable>(_ key: String, _ all: [Value]) -> Value?
    where Value.RawValue == String {
        guard let text = string(key) else { return nil }
        guard let value = all.first(where: { $0.rawValue.hasSameScalars(as: text) }) else {
            let names = all.map(\.rawValue).joined(separator: ", ")
            fault(.unknownValue, key, "has a value that is not known; it is one of \(names)")
            return nil
        }
        return value
    }

    mutating func integer(_ key: String, bits: ClosedRange<Int64> = Int64.min...Int64.max) -> Int64? {
        guard let value = present(key) else { return nil }
        guard case .number(let number) = value else {
            fault(.wrongType, key, "is not a number")
            return nil
        }
        guard case .integer(let integer) = number.integral, bits.contains(integer) else {
            fault(.notAnInteger, key, "is not an integer of \(bits.upperBound == .max ? 64 : 32) bits")
            return nil
        }
        return integer
    }

    /// Reads an amount of money in thousandths of the currency's unit.
    mutating func amount(_ key: String) -> Int64? {
        let before = faults.count
        let value = integer(key)
        if faults.count > before, let last = faults.popLast() {
            let example = present(key).flatMap(MilliUnits.written) ?? "9.99 is 9990"
            let reason = "\(last.reason): amounts are whole thousandths of the currency's unit, so \(example)"
            faults.append(MalformedReport(rule: last.rule, reason: reason))
        }
        return value
    }

    mutating func bool(_ key: String) -> Bool? {
        guard let value = present(key) else { return nil }
        guard let flag = value.boolValue else {
            fault(.wrongType, key, "is not a Boolean")
            return nil
        }
        return flag
    }

    mutating func pricingCurrency() -> String? {
        let key = "pricingCurrency"
        guard let text = string(key) else { return nil }
        let isCode = text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        // The rule on lengths, E19, handles longer texts (SA-56).
        if !isCode, text.unicodeScalars.count <= 128 { fault(.pricingCurrency, key, "is not three letters A–Z") }
        return text
    }

    mutating func exchangeRate() -> ExchangeRate? {
        let key = "exchangeRate"
        let text: String
        let isString: Bool
        switch present(key) {
        case nil, .string(""):
            return nil
        case .number(let number):
            (text, isString) = (number.text, false)
        case .string(let string):
            (text, isString) = (string, true)
        default:
            fault(.wrongType, key, "is neither a number nor a string")
            return nil
        }
        guard let rate = ExchangeRate(text, isString: isString) else {
            fault(.exchangeRate, key, "is not a plain decimal")
            return nil
        }
        return rate
    }

    mutating func lineItem() -> ReceivedLineItem {
        var item = ReceivedLineItem()
        item.lineItemId = string("lineItemId").map(LineItemId.init(rawValue:))
        item.creationDate = integer("creationDate")
        item.eventType = known("eventType", EventType.all)
        item.productType = known("productType", ProductType.all)
        item.productIdentifier = string("productIdentifier")
        item.quantity = integer("quantity")
        item.subscriptionEvent = known("subscriptionEvent", SubscriptionEvent.all)
        item.subscriptionStartDate = integer("subscriptionStartDate")
        item.subscriptionEndDate = integer("subscriptionEndDate")
        item.subscriptionDaysOfPaidService = integer(
            "subscriptionDaysOfPaidService",
            bits: Int64(Int32.min)...Int64(Int32.max)
        ).map(Int32.init(clamping:))
        item.referenceLineItemId = string("referenceLineItemId").map(LineItemId.init(rawValue:))
        item.amountTaxExclusive = amount("amountTaxExclusive")
        item.taxAmount = amount("taxAmount")
        item.amountTaxInclusive = amount("amountTaxInclusive")
        item.netAmountTaxExclusive = amount("netAmountTaxExclusive")
        item.pricingCurrency = pricingCurrency()
        item.reportingCurrency = string("reportingCurrency")
        item.exchangeRate = exchangeRate()
        item.taxCountry = string("taxCountry")
        item.restatement = bool("restatement")
        item.erroneouslySubmitted = bool("erroneouslySubmitted")
        return item
    }
}
