import ExternalPurchaseCore

/// Decodes and validates one entry and collects its faults.
struct ProgrammeCheck {
    let file: String?
    let path: String
    /// The valid ids of a `developerProgramme` condition.
    let developerProgrammes: Set<String>
    private(set) var faults: [ProgrammeFault] = []
    private(set) var notes: [ProgrammeFault] = []

    init(file: String?, path: String, developerProgrammes: Set<String>) {
        self.file = file
        self.path = path
        self.developerProgrammes = developerProgrammes
    }

    /// Decodes the entry; returns nil after a fault.
    mutating func decode(_ object: JSONObject) -> ReportingProgramme? {
        do {
            let data = Data(JSONValue.object(object).encoded())
            return try JSONDecoder().decode(ReportingProgramme.self, from: data)
        } catch let error as DecodingError {
            let (place, message) = error.placed
            fault(place, message)
        } catch {
            fault("", "not readable")
        }
        return nil
    }

    /// Validates the entry and returns its days and regions; returns nil after a fault.
    mutating func validate(_ programme: ReportingProgramme) -> ProgrammeCatalog.Span? {
        let count = faults.count
        let days = days(of: programme)
        let regions = regions(of: programme, from: days?.lowerBound)
        figures(of: programme)
        rates(of: programme)
        names(of: programme)
        for (index, rule) in programme.channel.enumerated() { conditions([rule.when], "channel[\(index)].when") }
        guard faults.count == count, let days else { return nil }
        return ProgrammeCatalog.Span(days: days, regions: regions)
    }

    private mutating func days(of programme: ReportingProgramme) -> ClosedRange<CalendarDate>? {
        guard let first = CalendarDate(programme.effectiveFrom) else {
            fault("effectiveFrom", "\(programme.effectiveFrom.quoted) is no day such as \"2026-10-01\"")
            return nil
        }
        guard let end = programme.effectiveTo else { return first...max(first, .endOfTime) }
        guard let last = CalendarDate(end) else {
            fault("effectiveTo", "\(end.quoted) is no day such as \"2026-10-01\"")
            return nil
        }
        guard first <= last else {
            fault("effectiveTo", "\(end) lies before \(programme.effectiveFrom), the first day in force")
            return nil
        }
        return first...last
    }

    private mutating func regions(of programme: ReportingProgramme, from first: CalendarDate?) -> [String: CalendarDate]
    {
        var regions: [String: CalendarDate] = [:]
        let first = first ?? .endOfTime
        if programme.regions.isEmpty { fault("regions", "empty; a programme is in force somewhere") }
        for (index, code) in programme.regions.enumerated() {
            let place = "regions[\(index)]"
            if code.hasPrefix("@") {
                let sets = ReportingProgramme.regionSets
                if let members = sets[String(code.dropFirst())] {
                    for member in members { regions[member] = first }
                } else {
                    let known = sets.keys.sorted().map { "@" + $0 }.joined(separator: ", ")
                    fault(place, "no set \(code.quoted); known are \(known)")
                }
            } else if Country.region(code) != nil {
                regions[code] = first
            } else {
                let meant = StorefrontCode.suggestion(for: code)?.region.map { "; did you mean \"\($0)\"?" }
                fault(place, "\(code.quoted) is no region in lower case" + (meant ?? ""))
            }
        }
        for (code, text) in (programme.regionEffectiveFrom ?? [:]).sorted(by: { $0.key < $1.key }) {
            let place = "regionEffectiveFrom.\(code)"
            guard let day = CalendarDate(text) else {
                fault(place, "\(text.quoted) is no day such as \"2026-10-01\"")
                continue
            }
            if regions[code] == nil { fault(place, "the programme does not cover \(code)") }
            regions[code] = max(day, first)
        }
        return regions
    }

    private mutating func figures(of programme: ReportingProgramme) {
        if let calendar = programme.calendar, MonthTable(calendar, in: .utc) == nil {
            fault("calendar", "\(calendar.rawValue.quoted) is not one of civilMonth, appleFiscalMonth")
        }
        if (programme.calendar == nil) != (programme.deadlineDays == nil) {
            fault("deadlineDays", "calendar and deadlineDays stand together or are null together")
        }
        if let days = programme.deadlineDays, !(0...366).contains(days) {
            fault("deadlineDays", "\(days) is not in 0 to 366")
        }
        if let days = programme.attributionWindowDays, !(1...3_650).contains(days) {
            fault("attributionWindowDays", "\(days) is not in 1 to 3650")
        }
        if let payment = programme.payment, !(0...366).contains(payment.payWithinDays) {
            fault("payment.payWithinDays", "\(payment.payWithinDays) is not in 0 to 366")
        }
        if let years = programme.recordKeepingYears, !(0...100).contains(years) {
            fault("recordKeepingYears", "\(years) is not in 0 to 100")
        }
        for (index, platform) in programme.platforms.enumerated() where OSVersion(platform.minimum) == nil {
            fault("platforms[\(index)].minimum", "\(platform.minimum.quoted) is no version such as \"26.4\"")
        }
    }

    private mutating func rates(of programme: ReportingProgramme) {
        let ids = programme.rates.map(\.id)
        for (index, rate) in programme.rates.enumerated() {
            let place = "rates[\(index)]"
            if ids[..<index].contains(rate.id) { fault(place + ".id", "\(rate.id) stands twice") }
            if rate.percent < 0 || rate.percent > 100 {
                fault(place + ".percent", "\(rate.percent) is not in 0 to 100")
            }
            if let target = rate.addsTo {
                if !rate.adds { fault(place + ".addsTo", "only for a rate with \"adds\": true") }
                if !ids.contains(target) || target == rate.id {
                    fault(place + ".addsTo", "no other rate \(target.quoted)" + ids.suggestion(for: target))
                }
            }
            conditions(rate.when, place + ".when")
        }
        for (index, fee) in (programme.fixedFees ?? []).enumerated() where Currency.code(fee.currency) == nil {
            fault("fixedFees[\(index)].currency", "\(fee.currency.quoted) is no currency such as \"EUR\"")
        }
    }

    private mutating func names(of programme: ReportingProgramme) {
        let known = RegionTables.builtIn.packs.flatMap { $0.programmes.map(\.id) }
        for (index, name) in programme.clientProgrammes.enumerated() where !known.contains(name) {
            note("clientProgrammes[\(index)]", "no rule pack has \(name.quoted)" + known.suggestion(for: name))
        }
        for (index, type) in programme.tokenTypes.enumerated() {
            if let type, !TokenType.all.contains(type) {
                note("tokenTypes[\(index)]", "no known token is \(type.rawValue.quoted)")
            }
        }
        let figures = Set(ProgrammeCheck.figureNames)
        for name in programme.confidence.keys.sorted() where !figures.contains(name) {
            note("confidence.\(name)", "no figure of that name" + ProgrammeCheck.figureNames.suggestion(for: name))
        }
    }

    private mutating func conditions(_ conditions: [ReportingProgramme.Condition], _ place: String) {
        for (index, condition) in conditions.enumerated() {
            let place = conditions.count == 1 ? place : "\(place)[\(index)]"
            switch condition {
            case .unknown(let name):
                let meant = Self.conditionNames.suggestion(for: name)
                note(place, "condition \(name.quoted) is unknown and never holds (OB-70)" + meant)
            case .withinDaysOf(let event, let length), .withinMonthsOf(let event, let length):
                if length < 0 || length > 3_650 { fault(place, "\(length) is not in 0 to 3650") }
                if !ReportingProgramme.Event.all.contains(event) {
                    let meant = ReportingProgramme.Event.all.map(\.rawValue).suggestion(for: event.rawValue)
                    note(
                        place,
                        "event \(event.rawValue.quoted) is unknown, so the condition never holds (OB-70)" + meant
                    )
                }
            case .anyOf(let alternatives): self.conditions(alternatives, place + ".of")
            case .developerProgramme(let id) where !developerProgrammes.contains(id):
                let known = developerProgrammes.sorted()
                fault(place, "no programme for developers is \(id.quoted); known are \(known.joined(separator: ", "))")
            case .subscriptionAfterDays(let days) where days < 0: fault(place, "\(days) is below 0")
            default: break
            }
        }
    }

    private mutating func fault(_ place: String, _ message: String) {
        faults.append(ProgrammeFault(file: file, path: joined(place), message: message))
    }

    private mutating func note(_ place: String, _ message: String) {
        notes.append(ProgrammeFault(file: file, path: joined(place), message: message))
    }

    private func joined(_ place: String) -> String { place.isEmpty ? path : "\(path).\(place)" }

    private static let conditionNames = [
        "withinDaysOf", "withinMonthsOf", "developerProgramme", "subscriptionAfterDays", "anyOf", "osAtLeast",
        "osBelow", "tokenAvailable", "noToken", "always",
    ]

    private static let figureNames = [
        "effectiveFrom", "effectiveTo", "regions", "clientProgrammes", "platforms", "tokenTypes", "channel",
        "mustReport", "calendar",
        "deadlineDays", "attributionWindowDays", "rates", "payment", "recordKeepingYears", "auditNoticeDays",
        "electionLockMonths", "renewalsCount", "fixedFees",
    ]
}

extension DecodingError {
    /// The path in the entry and the problem.
    fileprivate var placed: (path: String, message: String) {
        switch self {
        case .keyNotFound(let key, let context): (Self.path(context.codingPath + [key]), "missing")
        case .valueNotFound(_, let context): (Self.path(context.codingPath), "null is not allowed here")
        case .typeMismatch(let type, let context): (Self.path(context.codingPath), "not \(Self.name(type))")
        case .dataCorrupted(let context): (Self.path(context.codingPath), context.debugDescription)
        @unknown default: ("", "not readable")
        }
    }

    private static func name(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Int.Type: "a whole number"
        case is [Any].Type: "an array"
        default: "\(type)".hasPrefix("Array") ? "an array" : "an object"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return "\(path)[\(index)]" }
            return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
        }
    }
}
