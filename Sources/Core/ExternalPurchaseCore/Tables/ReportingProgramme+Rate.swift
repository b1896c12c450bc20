extension ReportingProgramme {
    /// A share of the price that applies under conditions (OB-71).
    public struct Rate: Hashable, Sendable, Codable {
        /// The name within the programme.
        public let id: String
        /// The fee that the rate belongs to.
        ///
        /// The lowest applicable rate of a fee counts.
        public let fee: String
        /// The flow that the rate applies to.
        public let flow: Flow
        /// The name of the tier, for people.
        public let tier: String
        /// The percentage of the base.
        public let percent: Decimal
        /// The amount that the percentage applies to.
        public let base: Base
        /// The conditions, all of which must hold.
        public let when: [Condition]
        /// The confidence in the rate.
        public let confidence: Confidence
        /// True for a rate that is added to the others.
        public let adds: Bool
        /// The rate to whose flow this rate is added; nil for its own flow.
        public let addsTo: String?

        /// The fee of a rate that does not name one.
        public static let commission = "commission"

        /// Reads the form of `Data/programmes.json`: the percentage is a string; `fee` and `adds` are absent for their
        /// defaults.
        ///
        /// - Parameter decoder: a decoder of an object.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(String.self, forKey: .id)
            fee = try container.decodeIfPresent(String.self, forKey: .fee) ?? Self.commission
            flow = try container.decode(Flow.self, forKey: .flow)
            tier = try container.decode(String.self, forKey: .tier)
            percent = try container.decodeDecimalText(forKey: .percent)
            base = try container.decode(Base.self, forKey: .base)
            when = try container.decode([Condition].self, forKey: .when)
            confidence = try container.decode(Confidence.self, forKey: .confidence)
            adds = try container.decodeIfPresent(Bool.self, forKey: .adds) ?? false
            addsTo = try container.decodeIfPresent(String.self, forKey: .addsTo)
        }

        /// Writes the form that ``init(from:)`` reads.
        ///
        /// - Parameter encoder: an encoder of an object.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(fee, forKey: .fee)
            try container.encode(flow, forKey: .flow)
            try container.encode(tier, forKey: .tier)
            try container.encode(percent.description, forKey: .percent)
            try container.encode(base, forKey: .base)
            try container.encode(when, forKey: .when)
            try container.encode(confidence, forKey: .confidence)
            try container.encode(adds, forKey: .adds)
            try container.encodeIfPresent(addsTo, forKey: .addsTo)
        }

        private enum CodingKeys: String, CodingKey {
            case id, fee, flow, tier, percent, base, when, confidence, adds, addsTo
        }
    }

    /// The way in which a customer bought (OB-71).
    public enum Flow: String, ProgrammeWord {
        /// A purchase with another payment provider inside the app.
        case withinApp
        /// A purchase outside the app, on a website, in a marketplace or in another app that a link of the app leads to.
        case outOfApp
        /// A purchase with Apple's In-App Purchase, for comparison.
        case inAppPurchase
        /// Any of the flows.
        case any
    }

    /// The amount that a percentage applies to (OB-71).
    public enum Base: String, ProgrammeWord {
        /// The price without transaction taxes.
        case netOfTax
        /// The price with transaction taxes.
        case grossOfTax
    }

    /// A fee that does not depend on a price.
    public struct FixedFee: Hashable, Sendable, Codable {
        /// The name within the programme.
        public let id: String
        /// The amount in units of the currency.
        public let amount: Decimal
        /// The currency.
        public let currency: String
        /// What one fee is charged for.
        public let per: String
        /// The number that is free of charge.
        public let above: Int?
        /// The name of the tier, for people.
        public let tier: String?
        /// The confidence in the fee.
        public let confidence: Confidence

        /// Reads the form of `Data/programmes.json`: the amount is a string.
        ///
        /// - Parameter decoder: a decoder of an object.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(String.self, forKey: .id)
            amount = try container.decodeDecimalText(forKey: .amount)
            currency = try container.decode(String.self, forKey: .currency)
            per = try container.decode(String.self, forKey: .per)
            above = try container.decodeIfPresent(Int.self, forKey: .above)
            tier = try container.decodeIfPresent(String.self, forKey: .tier)
            confidence = try container.decode(Confidence.self, forKey: .confidence)
        }

        /// Writes the form that ``init(from:)`` reads.
        ///
        /// - Parameter encoder: an encoder of an object.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(amount.description, forKey: .amount)
            try container.encode(currency, forKey: .currency)
            try container.encode(per, forKey: .per)
            try container.encodeIfPresent(above, forKey: .above)
            try container.encodeIfPresent(tier, forKey: .tier)
            try container.encode(confidence, forKey: .confidence)
        }

        private enum CodingKeys: String, CodingKey {
            case id, amount, currency, per, above, tier, confidence
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func decodeDecimalText(forKey key: Key) throws -> Decimal {
        let text = try decode(String.self, forKey: key)
        guard let value = DecimalText.decimal(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: self,
                debugDescription: "\"\(text)\" is not a decimal such as \"12.5\""
            )
        }
        return value
    }
}
