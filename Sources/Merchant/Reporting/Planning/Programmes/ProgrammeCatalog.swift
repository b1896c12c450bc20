package import ExternalPurchaseCore

/// All programmes over time: the built-in ones, modified by the user's overlay file (OB-1).
package struct ProgrammeCatalog: Hashable, Sendable {
    /// The entries; those with the same id are sorted by date.
    package let programmes: [ReportingProgramme]
    /// Notes found on loading that are not errors: conditions that never hold (OB-70), and unknown names.
    package let notes: [ProgrammeFault]
    /// The time and regions of each entry, parallel to ``programmes``.
    let spans: [Span]

    /// The days and regions in which an entry is in force.
    struct Span: Hashable, Sendable {
        let days: ClosedRange<CalendarDate>
        /// Lower-case region codes with the first day of each; region sets are resolved.
        let regions: [String: CalendarDate]
    }

    /// The ids of Apple's developer programmes in the built-in conditions.
    private static let developers = ReportingProgramme.all.reduce(into: Set<String>()) {
        $0.formUnion($1.developerProgrammes)
    }

    /// The sorted ids of Apple's developer programmes in all conditions.
    package var developerProgrammes: [String] { Set(programmes.flatMap(\.developerProgrammes)).sorted() }

    /// The sorted ids of the entries.
    package var ids: [String] { Set(programmes.map(\.id)).sorted() }

    /// The sorted programme ids that an app can be configured with (OB-12).
    ///
    /// They are the ids of the entries, and of the rule packs' programmes that an entry applies to.
    package var appProgrammes: [String] { Set(programmes.flatMap { [$0.id] + $0.clientProgrammes }).sorted() }

    /// The built-in programmes of this release.
    package static let builtIn: ProgrammeCatalog = {
        do {
            return try ProgrammeCatalog(entries: ProgrammeFile.builtIn, file: nil, developerProgrammes: developers)
        } catch {
            preconditionFailure("Data/programmes.json: \(error)")
        }
    }()

    /// Creates a catalog from the built-in programmes and an overlay file.
    ///
    /// The file has the form of `Data/programmes.json`. Its entries are applied as follows:
    ///
    /// - An entry with the id and date of an existing one changes the members that it states.
    /// - An entry with an existing id and no date changes the newest entry of that id.
    /// - An entry with an existing id and a new date is the next version: it inherits all members that it does not
    ///   state, and the previous version ends on the day before.
    /// - An entry with another id is a new programme.
    ///
    /// A number without a stated confidence has the confidence of an overlay. Conditions may refer to the developer
    /// programmes of the built-in entries and to those in the file's own `developerProgrammes`.
    ///
    /// - Parameters:
    ///   - overlay: the text of the file, at most 1 MiB.
    ///   - name: the name of the file, for error messages.
    ///   - acceptance: the day on which the account accepted the terms of an entry, by the entry's id. Only a day after
    ///     the entry's own date has an effect; the previous version stays in force until then (OB-30).
    /// - Throws: ``ProgrammeFileRefusal`` with all faults.
    package init(
        overlay: String,
        named name: String,
        acceptance: [String: CalendarDate] = [:]
    ) throws(ProgrammeFileRefusal) {
        let file = try ProgrammeFile(text: overlay, name: name)
        let entries = file.merged(over: ProgrammeFile.builtIn)
        try self.init(
            entries: ProgrammeFile.accepted(entries, on: acceptance),
            file: name,
            developerProgrammes: Self.developers.union(file.developerProgrammes)
        )
    }

    private init(
        entries: [ProgrammeFile.Entry],
        file: String?,
        developerProgrammes: Set<String>
    ) throws(ProgrammeFileRefusal) {
        var programmes: [ReportingProgramme] = []
        var spans: [Span] = []
        var faults: [ProgrammeFault] = []
        var notes: [ProgrammeFault] = []
        for entry in entries {
            var check = ProgrammeCheck(file: file, path: entry.path, developerProgrammes: developerProgrammes)
            if let programme = check.decode(entry.object), let span = check.validate(programme) {
                programmes.append(programme)
                spans.append(span)
            }
            // Entries that the overlay does not change were checked for the release.
            faults += check.faults
            if entry.isFromOverlay || file == nil { notes += check.notes }
        }
        guard faults.isEmpty else { throw ProgrammeFileRefusal(faults: faults) }
        self.programmes = programmes
        self.spans = spans
        self.notes = notes
    }

    /// The indices of the entries in force on a day, optionally in a region (OB-10).
    ///
    /// - Parameters:
    ///   - day: a UTC date; the first and last day of an entry are included.
    ///   - region: a lower-case region code.
    func indices(inForceOn day: CalendarDate, region: String? = nil) -> [Int] {
        spans.indices.filter { index in
            let span = spans[index]
            guard span.days.contains(day) else { return false }
            guard let region else { return span.regions.values.contains { $0 <= day } }
            return span.regions[region].map { $0 <= day } ?? false
        }
    }
}

extension CalendarDate {
    /// 9999-12-31, used as the last day of an entry without an end.
    static let endOfTime = CalendarDate(year: 9999, month: 12, day: 31)
}
