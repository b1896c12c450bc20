package import ExternalPurchaseCore

/// The programmes in force at any time: the built-in ones, with the user's overlay laid over them (OB-1).
package struct ProgrammeCatalog: Hashable, Sendable {
    /// The entries, those of one id by date.
    package let programmes: [ReportingProgramme]
    /// What was found on load that is no fault: conditions that never hold (OB-70), names nobody knows.
    package let notes: [ProgrammeFault]
    /// When each entry is in force, beside ``programmes``.
    let spans: [Span]

    /// When and where an entry is in force.
    struct Span: Hashable, Sendable {
        let days: ClosedRange<CalendarDate>
        /// Lower-case region codes, sets resolved, with the first day of each.
        let regions: [String: CalendarDate]
    }

    /// The ids of Apple's programmes for developers that the built-in conditions ask about.
    private static let developers = ReportingProgramme.all.reduce(into: Set<String>()) {
        $0.formUnion($1.developerProgrammes)
    }

    /// The ids of Apple's programmes for developers that some condition asks about, in order.
    package var developerProgrammes: [String] { Set(programmes.flatMap(\.developerProgrammes)).sorted() }

    /// The names of programmes that an app can take part in, in order: entries, and the rule packs' programmes that they
    /// cover (OB-12).
    package var appProgrammes: [String] { Set(programmes.flatMap { [$0.id] + $0.clientProgrammes }).sorted() }

    /// The programmes of this release.
    package static let builtIn: ProgrammeCatalog = {
        do {
            return try ProgrammeCatalog(entries: ProgrammeFile.builtIn, file: nil, developerProgrammes: developers)
        } catch {
            preconditionFailure("Data/programmes.json: \(error)")
        }
    }()

    /// The built-in programmes with an overlay file laid over them.
    ///
    /// The file has the form of `Data/programmes.json`. An entry with the id and date of an existing one changes the
    /// members that it states; so does one without date, on the newest of that id. An entry with the id of an existing
    /// one and a new date is the next version of it, takes over what it does not state, and ends the one before on the
    /// day before. Other ids are new programmes. A figure that is stated without a confidence has that of an overlay.
    /// Conditions ask about the programmes for developers of the built-in entries, or about those that the file's own
    /// `developerProgrammes` adds.
    ///
    /// - Parameters:
    ///   - overlay: the text of the file, at most 1 MiB.
    ///   - name: the file's name, for faults.
    ///   - acceptance: when the account accepted the terms of an entry, by its id; only a day later than the entry's
    ///     own counts, and what it takes over from stays in force until then (OB-30).
    /// - Throws: ``ProgrammeFileRefusal`` with every fault.
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
            // Entries that the overlay leaves alone were checked with the release.
            faults += check.faults
            if entry.isFromOverlay || file == nil { notes += check.notes }
        }
        guard faults.isEmpty else { throw ProgrammeFileRefusal(faults: faults) }
        self.programmes = programmes
        self.spans = spans
        self.notes = notes
    }

    /// The places of the entries in force on a day, in a region if one is given (OB-10).
    ///
    /// - Parameters:
    ///   - day: a day in UTC, both ends of an entry inclusive.
    ///   - region: a code in lower case.
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
    /// 9999-12-31, the last day of an entry that is still open.
    static let endOfTime = CalendarDate(year: 9999, month: 12, day: 31)
}
