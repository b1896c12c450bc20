import CommandSupport
import ExternalPurchaseCore
import Foundation

/// The description of a provider's file of sales: which columns give a sale, in which words and forms.
///
/// A profile is a file that anybody can write; docs/sales-profiles.md describes its members.
struct SalesProfile: Sendable {
    /// The name of a shipped profile, or the path of a file.
    let name: String
    /// The separator of fields; nil finds it in the first line.
    var separator: UInt8?
    var encoding = FileEncoding.utf8
    /// The number of lines before the header.
    var skippedLines = 0
    var numbers = NumberForm()
    var times = TimeForm()
    /// The columns whose words decide whether a row counts.
    var filters: [Words] = []
    var type = TypeRule.constant("")
    /// The texts of fields that a row leaves empty, by the name of the field.
    var values: [String: String] = [:]
    /// What gives a field, by the name of the field.
    var fields: [String: FieldRule] = [:]
    /// The amounts that stand beside one currency; a sale has all of them from the first one that the row fills.
    var money: [[String: FieldRule]] = []
    /// The columns that `--set` replaces, by the name of the field.
    var replaced: [String: [String]] = [:]
    /// The fields of a type, which replace ``fields``.
    var fieldsOfType: [String: [String: FieldRule]] = [:]
    /// The refund that a row of a purchase tells in columns of its own.
    var refund: RefundRule?
    /// The column that consecutive rows of one order share.
    var orderColumn: [String]?
    /// The columns that are not read; an asterisk stands for any characters.
    var ignored: [String] = []

    /// Where its user changes what the profile says, for messages.
    var owner: String {
        SalesProfileFiles.all.contains { $0.name == name } ? "a profile with base: \(name)" : "the profile \(name)"
    }

    /// What a word says.
    indirect enum Meaning: Equatable, Sendable {
        /// A type of sale.
        case type(String)
        /// The row counts, whatever its type.
        case take
        case leaveOut
        /// A person decides what the row is.
        case refuse(String?)
        /// It depends on the sign of the amount.
        case bySign(plus: Meaning, minus: Meaning)
    }

    /// A column with the meanings of its words.
    struct Words: Sendable {
        /// The columns; the first one that is not empty counts.
        var columns: [String]
        /// The meanings by word in lower case.
        var meanings: [String: Meaning]
        /// The words as written, in their order.
        var known: [String]
        /// True where a file may lack the column.
        var isOptional = false

        /// The meaning of a word; nil if it is not known.
        func meaning(of word: String) -> Meaning? { SalesProfile.entry(of: word, in: meanings) }
    }

    enum TypeRule: Sendable {
        case constant(String)
        case words(Words)
    }

    /// What gives a field.
    struct FieldRule: Sendable {
        enum Source: Sendable {
            /// The first column that is not empty.
            case columns([String])
            /// A text with columns in braces; nothing if one of them is empty.
            case text([Piece])
            /// A time whose date and time of day have columns of their own.
            case dateAndTime(date: [String], time: [String])
            /// An amount in one of two columns; that of the second one counts with a minus.
            case creditAndDebit(credit: [String], debit: [String])
        }

        enum Piece: Equatable, Sendable {
            case text(String)
            case column(String)
        }

        var source: Source
        /// The column with the time zone of a time.
        var zone: [String]?
        /// The values of words; nil takes the text as it is.
        var words: [String: String]?
        /// True where a file may lack the columns.
        var isOptional = false
        /// What tells a second payment with the same id; nil where an id names one payment.
        var further: Further?

        /// What the id of a second payment of an order has behind the order's.
        enum Further: Equatable, Sendable {
            /// The provider's id of the payment; rows with the same one are the same payment.
            case columns([String])
            /// Its place among the payments of the order, by time.
            case ordinal
        }

        /// The columns that give the text.
        var columns: [String] {
            let own: [String] =
                switch source {
                case .columns(let list): list
                case .text(let pieces): pieces.compactMap { if case .column(let name) = $0 { name } else { nil } }
                case .dateAndTime(let first, let second), .creditAndDebit(let first, let second): first + second
                }
            return own + (zone ?? [])
        }

        static func constant(_ text: String) -> FieldRule { FieldRule(source: .text([.text(text)])) }
    }

    /// The columns of amounts, and those of times with the columns of their zones, by names in lower case.
    ///
    /// An id that is put together from them counts them by their value.
    var columnsByValue: (amounts: Set<String>, times: [String: [String]]) {
        let refund = self.refund.map { [$0.fields, $0.total.map { ["refundedTotal": $0] } ?? [:]] } ?? []
        var (amounts, times): (Set<String>, [String: [String]]) = ([], [:])
        for (field, rule) in ([fields] + money + fieldsOfType.values + refund).joined() {
            if Self.amounts.contains(field) { amounts.formUnion(rule.columns.map { $0.lowercased() }) }
            guard Self.times.contains(field), case .columns(let names) = rule.source else { continue }
            for name in names { times[name.lowercased()] = rule.zone ?? [] }
        }
        return (amounts, times)
    }

    struct RefundRule: Sendable {
        /// The columns of the total that was refunded, where 0 makes no refund; nil where ``money`` has them.
        var total: FieldRule?
        var fields: [String: FieldRule]
    }

    /// The entry of a word: its own, else that of the longest pattern that it has, such as `autorizada *`.
    static func entry<Value>(of word: String, in entries: [String: Value]) -> Value? {
        let word = word.lowercased()
        if let own = entries[word] { return own }
        let patterns = entries.keys.filter { $0.contains("*") && matches(word, $0) }
        return patterns.max { ($0.count, $0) < ($1.count, $1) }.flatMap { entries[$0] }
    }

    /// Whether a text has the form of a pattern, in which asterisks stand for any characters.
    static func matches(_ text: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1 else { return text == pattern }
        guard let first = parts.first, let last = parts.last, text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.count >= last.count && rest.hasSuffix(last)
    }

    /// The types of sales.
    static let types = [
        "purchase", "subscription", "cancellation", "lapse", "refund", "chargeback", "chargebackReversal",
    ]

    private static let common: Set<String> = [
        "saleId", "bundleId", "occurredAt", "customerId", "checkoutId", "externalPurchaseId", "environment",
    ]
    private static let money: Set<String> = [
        "productId", "quantity", "currency", "inclusive", "inclusiveMinor", "tax", "taxMinor", "taxRate", "taxCountry",
        "exchangeRate", "exchangeRateSource", "exchangeRateAsOf", "exchangeRateTo", "paymentProvider", "paymentId",
    ]

    /// The fields that a type of sale has; of a row, the others are not read.
    static func fields(of type: String) -> Set<String> {
        let own: Set<String> =
            switch type {
            case "purchase": money
            case "subscription": money.union(["subscriptionId", "event", "periodStart", "periodEnd"])
            case "cancellation": ["subscriptionId", "effectiveAt"]
            case "lapse": ["subscriptionId"]
            case "refund":
                [
                    "refundOf", "currency", "inclusive", "inclusiveMinor", "tax", "taxMinor", "refundedTotal",
                    "refundedTotalMinor",
                ]
            case "chargeback": ["refundOf", "currency", "inclusive", "inclusiveMinor", "tax", "taxMinor"]
            default: ["reversalOf", "currency", "inclusive", "inclusiveMinor"]
            }
        return common.union(own)
    }

    /// The fields that each line of an order has.
    static let lineFields = ["productId", "quantity", "inclusive", "inclusiveMinor", "tax", "taxMinor", "taxRate"]
    static let times: Set<String> = ["occurredAt", "periodStart", "periodEnd", "effectiveAt", "exchangeRateAsOf"]
    static let amounts: Set<String> = [
        "inclusive", "inclusiveMinor", "tax", "taxMinor", "refundedTotal", "refundedTotalMinor",
    ]
    /// The fields that name a sale.
    static let ids: Set<String> = ["saleId", "refundOf", "reversalOf"]
    /// The fields of ``money``.
    static let moneyFields = amounts.union(["currency"])
    /// The fields that say how much; a file that has their columns states them.
    static let statedByFile = moneyFields.subtracting(["tax", "taxMinor"])
}

extension SalesProfile {
    /// Returns the profile with fields that are the same for every sale.
    ///
    /// - Parameter texts: the values of `--set`, as `FIELD=VALUE`.
    /// - Throws: ``CommandSupport/CommandFailure`` for the first one that is wrong.
    func setting(_ texts: [String]) throws(CommandFailure) -> SalesProfile {
        var profile = self
        var names: Set<String> = []
        // Of these, a sale states one.
        let groups: [Set<String>] = [["tax", "taxMinor", "taxRate"], ["inclusive", "inclusiveMinor"]]
        for text in texts {
            let known = SalesColumns.fields.map(\.name).filter { $0 != "saleId" }
            guard let sign = text.firstIndex(of: "=") else {
                throw .input("--set \(text.shown()): is not FIELD=VALUE, such as taxCountry=NLD")
            }
            let (name, value) = (String(text[..<sign]).trimmingBlanks, String(text[text.index(after: sign)...]))
            guard known.contains(name) else {
                throw .input(
                    "--set \(text.shown()): \(name.shown()) is no field; fields are \(known.joined(separator: ", "))"
                )
            }
            guard names.insert(name).inserted else { throw .input("--set: \(name) stands more than once") }
            guard !value.isEmpty else { throw .input("--set \(text.shown()): the value is missing") }
            if name == "type" {
                guard Self.types.contains(value) else {
                    throw .input("--set type: \(value.shown()) is none of \(Self.types.joined(separator: ", "))")
                }
                if case .words(let words) = profile.type { profile.replaced[name] = words.columns }
                profile.type = .constant(value)
                continue
            }
            var rules: [FieldRule?] = []
            for other in groups.first(where: { $0.contains(name) }) ?? [name] {
                profile.values[other] = nil
                rules.append(profile.fields.removeValue(forKey: other))
                for index in profile.money.indices {
                    rules.append(profile.money[index].removeValue(forKey: other))
                }
                for type in profile.fieldsOfType.keys {
                    rules.append(profile.fieldsOfType[type]?.removeValue(forKey: other))
                }
            }
            profile.replaced[name] = rules.compactMap(\.self).flatMap(\.columns)
            profile.fields[name] = .constant(value)
        }
        return profile
    }
}

extension TaxDefaults {
    /// The tax that the configuration states for payments; nothing where accounts contradict each other.
    init(_ terms: [ServeConfiguration.PaymentTerms]) {
        let countries = Set(terms.compactMap(\.taxCountry))
        if countries.count == 1 { country = countries.first }
        var contradicted: Set<String> = []
        for (country, rate) in terms.flatMap(\.taxRates) {
            if let known = rates[country], known != rate { contradicted.insert(country) }
            rates[country] = rate
        }
        for country in contradicted { rates[country] = nil }
    }
}
