import ExternalPurchaseCore
import Reporting

/// A figure of the tables of `Data/` with its source (OB-2, OB-4).
struct Fact: Equatable {
    /// The table or programme, and the place in it, such as `jp/deadlineDays`.
    let id: String
    /// What the figure says.
    let what: String
    /// The figure as text.
    let value: String
    /// A level of confidence of the programmes, or `published` for a table that its publisher, such as ISO, has published.
    let confidence: String
    /// The page, or the name of what the figure comes from; nil for an assumption.
    let source: String?
    /// The first day that the date of the source can mean: 2022-01-01 for `2022`.
    let date: CalendarDate
    let note: String?
}

extension Fact {
    /// The facts of this release, those with the oldest source first.
    static let all = EmbeddedTables.all.flatMap { facts(in: $1, of: String($0.prefix { $0 != "." })) }
        .sorted { ($0.date, $0.id) < ($1.date, $1.id) }

    private static func facts(in text: String, of name: String) -> [Fact] {
        guard let table = (try? JSONReader().read(text))?.objectValue else { return [] }
        if let packs = table["packs"]?.arrayValue {
            return packs.compactMap { pack($0.objectValue, of: name) } + terms(in: table)
        }
        guard let date = date(table["asOf"]) else { return [] }
        if let programmes = table["programmes"]?.arrayValue {
            return programmes.compactMap(\.objectValue).flatMap { programme($0, date) }
        }
        let rows = table.members.compactMap { $0.value.arrayValue?.count }.max() ?? 0
        return [
            Fact(
                id: name,
                what: "Data/\(name).json",
                value: "\(rows) rows",
                confidence: "published",
                source: table["source"]?.stringValue,
                date: date,
                note: nil
            )
        ]
    }

    /// A rule pack, which has a source of its own.
    private static func pack(_ pack: JSONObject?, of table: String) -> Fact? {
        guard let pack, let id = pack["id"]?.stringValue, let source = pack["source"]?.objectValue,
            let date = date(source["asOf"])
        else { return nil }
        return Fact(
            id: "\(table)/\(id)",
            what: pack["title"]?.stringValue ?? id,
            value: "from \(pack["effectiveFrom"]?.stringValue ?? "an unknown day")",
            confidence: ReportingProgramme.ConfidenceLevel.apple.rawValue,
            source: source["content"]?.stringValue,
            date: date,
            note: source["placement"]?.stringValue.map { "begin: \($0)" }
        )
    }

    /// What each programme asks of an app's screens, and the ages of consent (SK-87, SK-88).
    private static func terms(in table: JSONObject) -> [Fact] {
        func fact(_ id: String, _ what: String, _ value: String, _ stated: JSONObject?) -> Fact? {
            guard let stated, let date = date(stated["asOf"]) else { return nil }
            let level = stated["confidence"]?.stringValue ?? ""
            return Fact(
                id: id,
                what: what,
                value: value,
                confidence: level,
                source: level == ReportingProgramme.ConfidenceLevel.assumed.rawValue
                    ? nil : stated["source"]?.stringValue,
                date: date,
                note: stated["note"]?.stringValue
            )
        }
        let programmes = (table["programmeTerms"]?.objectValue?.members ?? []).flatMap { member in
            let (purchase, minors) = (
                member.value.objectValue?["inAppPurchase"]?.objectValue,
                member.value.objectValue?["minors"]?.objectValue
            )
            let rules = (minors?["rules"]?.arrayValue ?? []).compactMap(\.objectValue).map { rule in
                "below \(rule["below"].map(shown) ?? ""): \(rule["withinApp"]?.stringValue ?? "") in the app, "
                    + "\(rule["outOfApp"]?.stringValue ?? "") outside"
            }
            return [
                fact(
                    "\(member.key)/inAppPurchase",
                    "In-App Purchase beside the offer",
                    purchase?["beside"]?.stringValue ?? "none",
                    purchase
                ),
                fact(
                    "\(member.key)/minors",
                    "what is offered to minors",
                    rules.isEmpty ? "none" : rules.joined(separator: "; "),
                    minors
                ),
            ].compactMap(\.self)
        }
        let consent = table["agesOfConsent"]?.objectValue
        let count = consent?["years"]?.objectValue?.members.count ?? 0
        return programmes
            + [fact("agesOfConsent", "ages of consent above 13", "\(count) countries", consent)].compactMap(\.self)
    }

    /// The figures of a programme that state a confidence.
    private static func programme(_ entry: JSONObject, _ table: CalendarDate) -> [Fact] {
        let id = entry["id"]?.stringValue ?? ""
        let title = entry["title"]?.stringValue ?? id
        func fact(_ name: String, _ what: String, _ value: String, _ confidence: JSONValue?) -> Fact {
            let stated = confidence?.objectValue ?? JSONObject()
            let level = stated["level"]?.stringValue.flatMap(ReportingProgramme.ConfidenceLevel.init) ?? .assumed
            let page = stated["source"]?.stringValue ?? entry["source"]?.stringValue
            return Fact(
                id: "\(id)/\(name)",
                what: "\(title): \(what)",
                value: value,
                confidence: level.rawValue,
                source: level == .assumed ? nil : page,
                date: date(stated["asOf"]) ?? table,
                note: stated["note"]?.stringValue
            )
        }
        // The rates are listed one by one.
        let figures = (entry["confidence"]?.objectValue?.members ?? []).map { member in
            let value =
                member.key == "rates"
                ? "\(entry["rates"]?.arrayValue?.count ?? 0) rates" : shown(entry[member.key] ?? .null)
            return fact(member.key, member.key, value, member.value)
        }
        let rates = (entry["rates"]?.arrayValue ?? []).compactMap(\.objectValue).map { rate in
            let words = ["tier", "flow", "base"].compactMap { rate[$0]?.stringValue }
            let name = rate["id"]?.stringValue ?? ""
            return fact(
                "rates/\(name)",
                "rate \(name) (\(words.joined(separator: ", ")))",
                "\(rate["percent"]?.stringValue ?? "") %",
                rate["confidence"]
            )
        }
        let fees = (entry["fixedFees"]?.arrayValue ?? []).compactMap(\.objectValue).map { fee in
            let name = fee["id"]?.stringValue ?? ""
            return fact(
                "fixedFees/\(name)",
                "fee \(name) for each \(fee["per"]?.stringValue ?? "unit")",
                ["currency", "amount"].compactMap { fee[$0]?.stringValue }.joined(separator: " "),
                fee["confidence"]
            )
        }
        return figures + rates + fees
    }

    /// A figure as text: a list with commas, anything deeper as JSON.
    private static func shown(_ value: JSONValue) -> String {
        if let text = value.stringValue { return text }
        if case .null = value { return "none" }
        if let list = value.arrayValue, list.allSatisfy({ $0.stringValue != nil || $0 == .null }) {
            return list.isEmpty ? "none" : list.map { $0.stringValue ?? "plain" }.joined(separator: ", ")
        }
        return String(decoding: value.encoded(), as: UTF8.self)
    }

    /// The first day of a date such as `2026-09-05`, `2026-11` or `2022`.
    private static func date(_ value: JSONValue?) -> CalendarDate? {
        guard let text = value?.stringValue else { return nil }
        return CalendarDate(text + "0000-01-01".dropFirst(text.utf8.count))
    }
}
