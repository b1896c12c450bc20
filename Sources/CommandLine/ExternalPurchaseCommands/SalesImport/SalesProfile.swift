import CommandSupport
import ExternalPurchaseCore

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
    /// What gives a field, by the name of the field.
    var fields: [String: FieldRule] = [:]
    /// The fields of a type, which replace ``fields``.
    var fieldsOfType: [String: [String: FieldRule]] = [:]
    /// The refund that a row of a purchase tells in columns of its own.
    var refund: RefundRule?
    /// The column that consecutive rows of one order share.
    var orderColumn: [String]?
    /// The columns that are not read; an asterisk stands for any characters.
    var ignored: [String] = []

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
        func meaning(of word: String) -> Meaning? { meanings[word.lowercased()] ?? meanings["*"] }
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

        static func constant(_ text: String) -> FieldRule { FieldRule(source: .text([.text(text)])) }
    }

    struct RefundRule: Sendable {
        /// The columns of the total that was refunded; nothing and 0 make no refund.
        var total: FieldRule
        var fields: [String: FieldRule]
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
            default: ["reversalOf"]
            }
        return common.union(own)
    }

    /// The fields that each line of an order has.
    static let lineFields = ["productId", "quantity", "inclusive", "inclusiveMinor", "tax", "taxMinor", "taxRate"]
    static let times: Set<String> = ["occurredAt", "periodStart", "periodEnd", "effectiveAt", "exchangeRateAsOf"]
    static let amounts: Set<String> = [
        "inclusive", "inclusiveMinor", "tax", "taxMinor", "refundedTotal", "refundedTotalMinor",
    ]
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
                profile.type = .constant(value)
                continue
            }
            for other in groups.first(where: { $0.contains(name) }) ?? [name] {
                profile.fields[other] = nil
                for type in profile.fieldsOfType.keys { profile.fieldsOfType[type]?[other] = nil }
            }
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
