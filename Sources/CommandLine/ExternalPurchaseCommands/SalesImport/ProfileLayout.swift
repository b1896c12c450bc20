import CommandSupport
import ExternalPurchaseCore
import Foundation

/// A profile on the header of a file: reads the sales of its rows.
struct ProfileLayout: Sendable {
    /// What a row is.
    enum Outcome {
        /// The sales of a row, the first one its own.
        case sales([Draft])
        /// A row that is no sale, by the provider's word.
        case leftOut(String)
        case wrong([RowError])
    }

    /// A sale as a row gives it.
    struct Draft: Sendable {
        let line: Int
        let type: String
        /// The texts by field, as the server's reader takes them.
        var values: [String: String]
        /// The column of each field, for messages.
        var titles: [String: String]
        /// True where the id is put together from columns, so that equal rows have the same one.
        var hasComposedId = false
        /// The provider's id of a payment of an order that may have several.
        var paymentOfOrder: String?
        /// What the id of the row's refund has beside total and time; on each line of an order another one where the total
        /// is that of the line.
        var refundKey: String?

        /// The draft as the body of `POST /v1/sales`.
        func body(app: BundleId?) -> JSONObject {
            var body = JSONTree()
            if let app { body.set(.string(app.rawValue), at: ["bundleId"]) }
            for field in SalesColumns.fields {
                let text = field.name == "type" ? type : values[field.name]
                guard let text else { continue }
                let number = field.kind == .wholeNumber ? Int64(text).map(JSONValue.integer) : nil
                body.set(number ?? .string(text), at: field.path[...])
            }
            return body.object
        }

        /// An error of the server's reader in the words of the file.
        ///
        /// - Parameter pointer: the JSON pointer of the wrong member.
        func error(at pointer: String, _ message: String) -> RowError {
            let main = ["/amount": "inclusive", "/amount/exchangeRate": "exchangeRate", "/period": "periodStart"]
            let field = SalesColumns.fields.first { $0.pointer == pointer }?.name ?? main[pointer]
            guard let name = field ?? pointer.split(separator: "/").last.map(String.init) else {
                return RowError(line, nil, message)
            }
            return RowError(line, titles[name].map { "\(name) (column '\($0)')" } ?? name, message)
        }
    }

    /// A rule whose columns are places in a record.
    private struct Rule: Sendable {
        enum Source: Sendable {
            case columns([Int])
            case text([Piece])
            case dateAndTime([Int], [Int])
            case creditAndDebit([Int], [Int])
        }

        enum Piece: Sendable {
            case text(String)
            case column(Int, Form)
        }

        /// How a column stands in an id: an amount or a time that is written otherwise gives the same id.
        enum Form: Sendable {
            case text
            case amount
            /// A time whose zone may stand in a column of its own.
            case time(zone: [Int])
        }

        let source: Source
        let zone: [Int]
        let words: [String: String]?
        /// The columns of the rule, for messages; nil for a constant.
        let title: String?
        /// False where none of the columns is in the file.
        let isThere: Bool

        /// The columns that give the text, without that of a zone.
        var columns: [Int] {
            switch source {
            case .columns(let list): list
            case .text(let pieces): pieces.compactMap { if case .column(let index, _) = $0 { index } else { nil } }
            case .dateAndTime(let first, let second), .creditAndDebit(let first, let second): first + second
            }
        }
    }

    private struct Filter: Sendable {
        let columns: [Int]
        let words: SalesProfile.Words
    }

    /// The number of columns of the file.
    let count: Int
    private let profile: SalesProfile
    /// The app of rows that name none.
    let onlyApp: BundleId?
    private let taxes: TaxDefaults
    private let filters: [Filter]
    private let type: Filter?
    private let rules: [String: Rule]
    private let money: [[String: Rule]]
    private let further: [Int]?
    private let rulesOfType: [String: [String: Rule]]
    private let refund: (total: Rule?, fields: [String: Rule])?
    private let order: [Int]
    /// The columns that rows of an order do not take from its first row.
    private let ownColumns: Set<Int>
    /// The columns without a name.
    private let nameless: [Int]

    /// Reads the header of a file.
    ///
    /// - Parameters:
    ///   - header: the record with the names of the columns.
    ///   - profile: the profile, with the values of `--set`.
    ///   - taxes: the tax of sales whose row states none.
    ///   - apps: the apps; a single one is that of every row without `bundleId`.
    ///   - name: the file's name for messages.
    /// - Throws: ``CommandSupport/CommandFailure`` with everything that is wrong with the header.
    init(
        _ header: CSVReader.Record,
        profile: SalesProfile,
        taxes: TaxDefaults,
        apps: [BundleId],
        name: String
    ) throws(CommandFailure) {
        var columns = HeaderColumns(header)
        let (amounts, times) = profile.columnsByValue
        func resolve(_ rule: SalesProfile.FieldRule, _ field: String) -> Rule {
            // One time for every sale would be a wrong remedy.
            let settable =
                SalesColumns.fields.contains { $0.name == field } && field != "saleId"
                && !SalesProfile.times.contains(field)
            func find(_ names: [String]) -> [Int] {
                columns.find(names, for: field, isOptional: rule.isOptional, isSettable: settable)
            }
            let source: Rule.Source
            var names: [String] = []
            switch rule.source {
            case .columns(let list):
                source = .columns(find(list))
                names = list
            case .text(let pieces):
                source = .text(
                    pieces.compactMap { piece in
                        switch piece {
                        case .text(let text): return .text(text)
                        case .column(let name):
                            names.append(name)
                            var form = Rule.Form.text
                            if SalesProfile.ids.contains(field) {
                                if amounts.contains(name.lowercased()) { form = .amount }
                                if let zone = times[name.lowercased()] {
                                    form = .time(
                                        zone: columns.find(zone, for: field, isOptional: true, isSettable: false)
                                    )
                                }
                            }
                            return find([name]).first.map { .column($0, form) }
                        }
                    }
                )
                let isWhole = names.allSatisfy { columns.has($0) }
                return Rule(source: source, zone: [], words: rule.words, title: names.first, isThere: isWhole)
            case .dateAndTime(let date, let time):
                source = .dateAndTime(find(date), find(time))
                names = date
            case .creditAndDebit(let credit, let debit):
                source = .creditAndDebit(find(credit), find(debit))
                names = credit
            }
            return Rule(
                source: source,
                zone: rule.zone.map(find) ?? [],
                words: rule.words,
                title: columns.title(of: names),
                isThere: names.contains { columns.has($0) }
            )
        }
        func resolve(_ words: SalesProfile.Words, _ what: String) -> Filter {
            Filter(
                columns: columns.find(
                    words.columns,
                    for: what,
                    isOptional: words.isOptional,
                    isSettable: what == "type"
                ),
                words: words
            )
        }
        filters = profile.filters.map { resolve($0, "rows") }
        if case .words(let words) = profile.type { type = resolve(words, "type") } else { type = nil }
        let constants = profile.values.filter { profile.fields[$0.key] == nil }
            .mapValues { SalesProfile.FieldRule.constant($0) }
        let rules: [String: Rule] = profile.fields.merging(constants) { first, _ in first }
            .sorted { $0.key < $1.key }.reduce(into: [:]) { $0[$1.key] = resolve($1.value, $1.key) }
        // An amount counts with the currency beside it only.
        let pairs = profile.money.filter { pair in
            pair.allSatisfy { field, rule in
                !["inclusive", "inclusiveMinor", "currency"].contains(field)
                    || rule.columns.contains { columns.has($0) }
            }
        }
        let money: [[String: Rule]] = (pairs.isEmpty ? Array(profile.money.prefix(1)) : pairs).map { pair in
            pair.sorted { $0.key < $1.key }.reduce(into: [:]) { $0[$1.key] = resolve($1.value, $1.key) }
        }
        further = profile.fields["saleId"]?.further.map { further in
            guard case .columns(let names) = further else { return [] }
            return columns.find(names, for: "further payments", isOptional: false, isSettable: false)
        }
        rulesOfType = profile.fieldsOfType.sorted { $0.key < $1.key }.reduce(into: [:]) { types, type in
            types[type.key] = type.value.sorted { $0.key < $1.key }.reduce(into: [:]) {
                $0[$1.key] = resolve($1.value, $1.key)
            }
        }
        refund = profile.refund.map { refund in
            let fields = refund.fields.sorted { $0.key < $1.key }.reduce(into: [String: Rule]()) {
                $0[$1.key] = resolve($1.value, $1.key)
            }
            return (refund.total.map { resolve($0, "refundedTotal") }, fields)
        }
        order =
            profile.orderColumn.map {
                columns.find($0, for: "lines", isOptional: false, isSettable: false)
            } ?? []
        self.rules = rules
        self.money = money
        // A total of the first row is none of a further one.
        let ofRefund = [refund?.total, refund?.fields["occurredAt"]] + money.map { $0["refundedTotal"] }
        let ofLine = SalesProfile.lineFields.flatMap { field in ([rules] + money).map { $0[field] } }
        nameless = columns.nameless(ignored: profile.ignored)
        ownColumns = Set((ofLine + ofRefund).compactMap { $0?.columns }.joined()).union(nameless)
        for field in ["saleId", "occurredAt"] where rules[field] == nil {
            columns.faults.append("the profile says nothing about \(field); every sale has one")
        }
        onlyApp = apps.count == 1 ? apps.first : nil
        if onlyApp == nil, rules["bundleId"] == nil {
            let list = apps.map(\.rawValue).sorted().joined(separator: ", ")
            columns.faults.append("the app is not stated; --set bundleId=ID says which of \(list) the sales belong to")
        }
        for (field, names) in profile.replaced.sorted(by: { $0.key < $1.key }) {
            guard SalesProfile.statedByFile.contains(field), let name = names.first(where: { columns.has($0) }) else {
                continue
            }
            columns.faults.append(
                "the column '\(name)' gives \(field), which --set cannot replace: an amount counts with the currency beside "
                    + "it; money of \(profile.owner) reads other columns"
            )
        }
        columns.refuseOthers(
            ignored: profile.ignored,
            replaced: profile.replaced.flatMap(\.value),
            owner: profile.owner
        )
        let faults = columns.allFaults(separator: profile.separator)
        guard faults.isEmpty else {
            let lines =
                faults.prefix(50).map { "  \($0)" } + (faults.count > 50 ? ["  and \(faults.count - 50) more"] : [])
            throw .input(
                "\(name):\(header.line): the header does not fit the profile \(profile.name):\n"
                    + lines.joined(separator: "\n")
            )
        }
        count = header.fields.count
        self.profile = profile
        self.taxes = taxes
    }

    private static let kinds = Dictionary(uniqueKeysWithValues: SalesColumns.fields.map { ($0.name, $0.kind) })

    // MARK: Rows

    /// The text that rows of one order share; nil for a row of its own.
    func orderKey(of record: CSVReader.Record) -> String? {
        order.lazy.map { record.fields[$0].trimmingBlanks }.first { !$0.isEmpty }
    }

    /// Returns a row of an order with what only its first row states.
    func record(_ record: CSVReader.Record, inheriting first: CSVReader.Record) -> CSVReader.Record {
        let fields = record.fields.enumerated().map { index, text in
            text.isEmpty && !ownColumns.contains(index) ? first.fields[index] : text
        }
        return CSVReader.Record(line: record.line, fields: fields)
    }

    /// Reads the sales of a row.
    func read(_ record: CSVReader.Record) -> Outcome {
        for filter in filters where !filter.columns.isEmpty {
            let word = text(of: filter.columns, in: record)
            switch meaning(of: word, in: filter, record, isNegative: nil) {
            case .success(.leaveOut):
                let isNumber = profile.numbers.number(word) != nil
                let name = isNumber ? (filter.words.columns.first ?? "") + " " : ""
                return .leftOut(word.isEmpty ? "(empty)" : "\(name)\(word)".clipped())
            case .success: continue
            case .failure(let errors): return .wrong(errors.list)
            }
        }
        let typeName: String
        switch profile.type {
        case .constant(let name): typeName = name
        case .words:
            guard let type else { return .leftOut("(empty)") }
            let word = text(of: type.columns, in: record)
            switch meaning(of: word, in: type, record, isNegative: isNegative(record)) {
            case .success(.type(let name)): typeName = name
            case .success: return .leftOut(word.isEmpty ? "(empty)" : word.clipped())
            case .failure(let errors): return .wrong(errors.list)
            }
        }
        var errors = nameless.compactMap { column -> RowError? in
            let text = record.fields[column].trimmingBlanks
            return text.isEmpty
                ? nil
                : RowError(
                    record.line,
                    nil,
                    "column \(column + 1) has no name, and \(text.quoted); name it, or remove it"
                )
        }
        let own = rulesOfType[typeName] ?? [:]
        let pair = money(of: record)
        var amounts = pair
        if refund != nil { amounts["refundedTotal"] = nil }
        var draft = draft(record, typeName, rules.merging(amounts) { $1 }.merging(own) { $1 }, &errors)
        addTax(to: &draft)
        if typeName == "purchase" || typeName == "subscription" {
            draft.paymentOfOrder = further.map { text(of: $0, in: record) }
        } else if case .text = (own["saleId"] ?? rules["saleId"])?.source {
            draft.hasComposedId = true
        }
        var drafts = [draft]
        if let refund, typeName == "purchase" || typeName == "subscription" {
            drafts[0].refundKey = key(of: refund, pair, record)
            if let total = refund.total ?? pair["refundedTotal"],
                let sum = refunded(of: draft, total, record, &errors)
            {
                // A later export may state less, where a refund failed.
                drafts[0].values["refundedTotal"] = sum
                drafts[0].titles["refundedTotal"] = total.title
                if DecimalText.decimal(sum).map({ $0 > 0 }) == true {
                    drafts.append(self.refund(of: draft, sum, total, refund.fields, record, &errors))
                }
            }
        }
        return errors.isEmpty ? .sales(drafts) : .wrong(errors)
    }

    /// True where an order may have several payments.
    var hasOrders: Bool { further != nil }

    /// The amounts of a row and the currency beside them: the first ones that are filled.
    private func money(of record: CSVReader.Record) -> [String: Rule] {
        func isFilled(_ rule: Rule?) -> Bool {
            switch rule?.source {
            case .columns(let columns):
                switch text(of: columns, in: record) {
                case "": false
                case let text: rule?.words.flatMap { SalesProfile.entry(of: text, in: $0) } != ""
                }
            case .creditAndDebit(let first, let second): !text(of: first + second, in: record).isEmpty
            case .text, .dateAndTime: true
            case nil: false
            }
        }
        let filled = money.filter { isFilled($0["inclusive"] ?? $0["inclusiveMinor"]) }
        return filled.first { $0["currency"] == nil || isFilled($0["currency"]) } ?? filled.first ?? money.first ?? [:]
    }

    private func draft(
        _ record: CSVReader.Record,
        _ type: String,
        _ rules: [String: Rule],
        _ errors: inout [RowError]
    ) -> Draft {
        var draft = Draft(line: record.line, type: type, values: [:], titles: [:])
        let allowed = SalesProfile.fields(of: type)
        let currency =
            rules["currency"].flatMap { value("currency", $0, record, type, nil, &errors) }
            ?? profile.values["currency"]
        for field in SalesColumns.fields where allowed.contains(field.name) {
            guard let rule = rules[field.name] else { continue }
            draft.titles[field.name] = rule.title
            let text =
                field.name == "currency"
                ? currency : value(field.name, rule, record, type, currency.flatMap(Currency.code), &errors)
            draft.values[field.name] = text ?? profile.values[field.name]
        }
        // A part of an object without its main member says nothing.
        if draft.values["paymentId"] == nil { draft.values["paymentProvider"] = nil }
        if draft.values["exchangeRate"] == nil {
            for name in ["exchangeRateSource", "exchangeRateAsOf", "exchangeRateTo"] { draft.values[name] = nil }
        }
        if type == "chargebackReversal", draft.values["inclusive"] == nil, draft.values["inclusiveMinor"] == nil {
            draft.values["currency"] = nil
        }
        if draft.values["refundedTotal"] != nil || draft.values["refundedTotalMinor"] != nil {
            for name in ["inclusive", "inclusiveMinor", "tax", "taxMinor"] { draft.values[name] = nil }
        }
        return draft
    }

    private func addTax(to draft: inout Draft) {
        guard draft.type == "purchase" || draft.type == "subscription" else { return }
        if draft.values["taxCountry"] == nil { draft.values["taxCountry"] = taxes.country }
        guard ["tax", "taxMinor", "taxRate"].allSatisfy({ draft.values[$0] == nil }),
            let text = draft.values["taxCountry"], let country = Country.alpha3(text) ?? Country.alpha2(text)
        else { return }
        draft.values["taxRate"] = taxes.rates[country.alpha3].map { "\($0)" }
    }

    /// What the id of a row's refund has beside the columns of its total and time.
    private func key(
        of refund: (total: Rule?, fields: [String: Rule]),
        _ pair: [String: Rule],
        _ record: CSVReader.Record
    ) -> String {
        let others = [refund.total ?? pair["refundedTotal"], refund.fields["occurredAt"]].compactMap(\.self)
        let own = (refund.fields["saleId"]?.columns ?? []).filter { column in
            !others.contains { $0.columns.contains(column) }
        }
        return own.map { record.fields[$0].trimmingBlanks }.joined(separator: "\n")
    }

    /// What a row states was refunded of its purchase.
    private func refunded(
        of purchase: Draft,
        _ total: Rule,
        _ record: CSVReader.Record,
        _ errors: inout [RowError]
    ) -> String? {
        let currency = purchase.values["currency"].flatMap(Currency.code)
        return value("refundedTotal", total, record, "refund", currency, &errors)
    }

    /// The refund that the columns of a purchase's row tell.
    private func refund(
        of purchase: Draft,
        _ sum: String,
        _ total: Rule,
        _ fields: [String: Rule],
        _ record: CSVReader.Record,
        _ errors: inout [RowError]
    ) -> Draft {
        let faults = errors.count
        var draft = draft(record, "refund", fields, &errors)
        if let rule = fields["occurredAt"], draft.values["occurredAt"] == nil, errors.count == faults {
            let column = rule.title ?? "occurredAt"
            errors.append(
                RowError(
                    record.line,
                    "occurredAt of the refund (column '\(column)')",
                    rule.isThere
                        ? "is empty; a refund counts in the month of its own date"
                        : "is not in the file; a refund counts in the month of its own date: add the column to the export"
                )
            )
        }
        for (field, value) in [
            ("refundedTotal", sum), ("refundOf", purchase.values["saleId"]),
            ("currency", purchase.values["currency"]),
            ("occurredAt", purchase.values["occurredAt"]), ("bundleId", purchase.values["bundleId"]),
            ("customerId", purchase.values["customerId"]),
        ] where draft.values[field] == nil {
            draft.values[field] = value
            draft.titles[field] = purchase.titles[field]
        }
        draft.titles["refundedTotal"] = total.title
        for name in ["inclusive", "inclusiveMinor", "tax", "taxMinor"] { draft.values[name] = nil }
        return draft
    }

    // MARK: Words

    private struct Errors: Error {
        let list: [RowError]
    }

    private func meaning(
        of word: String,
        in filter: Filter,
        _ record: CSVReader.Record,
        isNegative: Bool?
    ) -> Result<SalesProfile.Meaning, Errors> {
        let title = filter.words.columns.first ?? ""
        func wrong(_ message: String) -> Result<SalesProfile.Meaning, Errors> {
            .failure(Errors(list: [RowError(record.line, "column '\(title)'", message)]))
        }
        let known = filter.words.known.joined(separator: ", ")
        guard let found = filter.words.meaning(of: word) else {
            let what = word.isEmpty ? "is empty" : "has the unknown word \(word.quoted)"
            return wrong("\(what); known are \(known); \(profile.owner) can say what it means")
        }
        switch found {
        case .bySign(let plus, let minus):
            let meaning = isNegative == true ? minus : plus
            guard case .refuse(let reason) = meaning else { return .success(meaning) }
            return wrong(refusal(of: word, reason))
        case .refuse(let reason): return wrong(refusal(of: word, reason))
        case .type, .take, .leaveOut: return .success(found)
        }
    }

    private func refusal(of word: String, _ reason: String?) -> String {
        "\(word.quoted) needs a person: \(reason ?? "what such a row is depends on the case"); remove the row, or say in "
            + "\(profile.owner) what the word means"
    }

    // MARK: Values

    private func text(of columns: [Int], in record: CSVReader.Record) -> String {
        columns.lazy.map { record.fields[$0].trimmingBlanks }.first { !$0.isEmpty } ?? ""
    }

    /// Whether the amount of a row has a minus.
    private func isNegative(_ record: CSVReader.Record) -> Bool {
        let rules = rules.merging(money(of: record)) { $1 }
        for name in ["inclusive", "inclusiveMinor"] {
            guard let rule = rules[name] else { continue }
            switch rule.source {
            case .columns(let columns):
                if let number = profile.numbers.number(text(of: columns, in: record)) { return number.isNegative }
            case .creditAndDebit(let credit, let debit):
                let side = side(of: credit, debit, in: record)
                if side.isDebit { return true }
                if let number = profile.numbers.number(side.text) { return number.isNegative }
            case .text, .dateAndTime: continue
            }
        }
        return false
    }

    /// The one of two columns that has the amount; 0 in a column is no amount if the other one has any.
    private func side(
        of credit: [Int],
        _ debit: [Int],
        in record: CSVReader.Record
    ) -> (text: String, isDebit: Bool, areBothFilled: Bool) {
        let (plus, minus) = (text(of: credit, in: record), text(of: debit, in: record))
        func isAmount(_ text: String) -> Bool { !text.isEmpty && profile.numbers.number(text)?.isZero != true }
        let isDebit = !isAmount(plus) && (isAmount(minus) || plus.isEmpty && !minus.isEmpty)
        return (isDebit ? minus : plus, isDebit, isAmount(plus) && isAmount(minus))
    }

    /// The text of a column in an id: one text for an amount or a moment, however it is written.
    private func byValue(_ text: String, _ form: Rule.Form, _ record: CSVReader.Record) -> String {
        switch form {
        case .text: return text
        case .amount: return profile.numbers.number(text)?.shortest ?? text
        case .time(let zone):
            let zone = self.text(of: zone, in: record)
            guard case .success(let moment) = profile.times.moment(text, zone: zone.isEmpty ? nil : zone) else {
                return text
            }
            return moment.description
        }
    }

    /// The text of a field as the server's reader takes it; nil for a field that the row leaves out.
    private func value(
        _ field: String,
        _ rule: Rule,
        _ record: CSVReader.Record,
        _ type: String,
        _ currency: Currency?,
        _ errors: inout [RowError]
    ) -> String? {
        func wrong(_ message: String) -> String? {
            let name = rule.title.map { "\(field) (column '\($0)')" } ?? field
            let error = RowError(record.line, name, message)
            if !errors.contains(error) { errors.append(error) }
            return nil
        }
        guard rule.isThere || rule.title == nil else { return nil }
        var raw: String
        var isDebit = false
        switch rule.source {
        case .columns(let columns): raw = text(of: columns, in: record)
        case .text(let pieces):
            var joined = ""
            for piece in pieces {
                switch piece {
                case .text(let text): joined += text
                case .column(let index, let form):
                    let text = record.fields[index].trimmingBlanks
                    if text.isEmpty { return nil }
                    joined += byValue(text, form, record)
                }
            }
            raw = joined
        case .dateAndTime(let date, let time):
            let parts = [text(of: date, in: record), text(of: time, in: record)]
            raw = parts.filter { !$0.isEmpty }.joined(separator: " ")
        case .creditAndDebit(let credit, let debit):
            let side = side(of: credit, debit, in: record)
            if side.areBothFilled { return wrong("stands in the column of credits and in that of debits") }
            (raw, isDebit) = (side.text, side.isDebit)
        }
        if raw.isEmpty { return nil }
        // A constant is written as the server's reader takes it.
        if rule.title == nil { return raw }
        if let words = rule.words {
            // Beside its words, such as a dash for no amount, a column of numbers has numbers.
            let isNumber = Self.kinds[field] != .text && profile.numbers.number(raw) != nil
            if let known = SalesProfile.entry(of: raw, in: words) {
                raw = known
            } else if !isNumber {
                return wrong(
                    "has the unknown word \(raw.quoted); known are \(words.keys.sorted().joined(separator: ", "))"
                )
            }
            if raw.isEmpty { return nil }
        }
        if SalesProfile.times.contains(field) {
            let zone = text(of: rule.zone, in: record)
            switch profile.times.moment(raw, zone: zone.isEmpty ? nil : zone) {
            case .success(let moment): return moment.description
            case .failure(let fault): return wrong(fault.message)
            }
        }
        if field == "currency" { return raw.utf8.count == 3 ? raw.uppercased() : raw }
        let kind = Self.kinds[field] ?? .text
        guard kind != .text else { return raw }
        guard let number = profile.numbers.number(raw) else {
            return wrong("is no number with \(profile.numbers.words): \(raw.quoted)")
        }
        if field == "quantity" {
            // Some files write units with digits behind the mark.
            let units = NumberForm.withoutEmptyDigits(number.text, digits: 0)
            return number.isNegative ? "-\(units)" : units
        }
        guard SalesProfile.amounts.contains(field) else { return number.isNegative ? "-\(number.text)" : number.text }
        let givesBack = ["refund", "chargeback", "chargebackReversal"].contains(type)
        if number.isNegative || isDebit, !number.isZero, !givesBack {
            return wrong("is negative in a row of type \(type): \(raw.quoted)")
        }
        return kind == .decimal ? NumberForm.withoutEmptyDigits(number.text, of: currency) : number.text
    }
}

extension NumberForm.Number {
    var isZero: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") } }

    /// The number without zeros that do not count: `-5` for `-5.00`.
    var shortest: String {
        var digits = text[...]
        if digits.contains(".") {
            while digits.last == "0" { digits.removeLast() }
            if digits.last == "." { digits.removeLast() }
        }
        while digits.first == "0", digits.dropFirst().first?.isNumber == true { digits.removeFirst() }
        return isNegative && !isZero ? "-\(digits)" : String(digits)
    }
}

/// The tax of sales whose row states none: that of the configuration.
struct TaxDefaults: Equatable, Sendable {
    /// The tax country where a row names none, in alpha-3.
    var country: String?
    /// The tax in per cent by country, in alpha-3.
    var rates: [String: Decimal] = [:]
}
