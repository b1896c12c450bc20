import ExternalPurchaseCore

/// The columns of a header, and what a profile does not find in it.
struct HeaderColumns {
    /// The positions by name in lower case.
    private var indices: [String: [Int]] = [:]
    private var used: Set<Int> = []
    private let titles: [String]
    var faults: [String] = []
    /// Each missing column once, with the fields that it gives.
    private var missing: [(columns: String, fields: [String], isSettable: Bool)] = []

    init(_ header: CSVReader.Record) {
        titles = header.fields.map(\.trimmingBlanks)
        for (index, title) in titles.enumerated() { indices[title.lowercased(), default: []].append(index) }
    }

    func has(_ name: String) -> Bool { !places(of: name).isEmpty }

    /// The positions of a column; `Currency#2` is the second one of the columns with that name.
    private func places(of name: String) -> [Int] {
        if let places = indices[name.lowercased()] { return places }
        guard let mark = name.lastIndex(of: "#"), let number = Int(name[name.index(after: mark)...]), number > 0,
            let places = indices[name[..<mark].lowercased()], places.indices.contains(number - 1)
        else { return [] }
        return [places[number - 1]]
    }

    /// The title of the first of these columns that the file has; else the first one.
    func title(of names: [String]) -> String? {
        names.lazy.compactMap { places(of: $0).first }.first.map { titles[$0] } ?? names.first
    }

    /// The positions of the columns that the file has.
    mutating func find(_ names: [String], for field: String, isOptional: Bool, isSettable: Bool) -> [Int] {
        var found: [Int] = []
        for name in names {
            let places = places(of: name)
            guard let first = places.first else { continue }
            if places.count > 1 {
                let fault =
                    "the column '\(name.clipped())' stands \(places.count) times; '\(name.clipped())#2' names the second one"
                if !faults.contains(fault) { faults.append(fault) }
            }
            found.append(first)
        }
        used.formUnion(found)
        if found.isEmpty, !isOptional {
            let columns = names.map { "'\($0.clipped())'" }.joined(separator: " or ")
            if let index = missing.firstIndex(where: { $0.columns == columns }) {
                if !missing[index].fields.contains(field) { missing[index].fields.append(field) }
            } else {
                missing.append((columns, [field], isSettable))
            }
        }
        return found
    }

    /// The positions of the columns without a name.
    func nameless(ignored: [String]) -> [Int] {
        ignored.contains { SalesProfile.matches("", $0) } ? [] : titles.indices.filter { titles[$0].isEmpty }
    }

    mutating func refuseOthers(ignored: [String], replaced: [String], owner: String) {
        let patterns = ignored.map { $0.lowercased() }
        let replaced = Set(replaced.map { $0.lowercased() })
        let others = titles.indices.filter { index in
            !used.contains(index) && !titles[index].isEmpty && !replaced.contains(titles[index].lowercased())
                && !patterns.contains { SalesProfile.matches(titles[index].lowercased(), $0) }
        }
        guard !others.isEmpty else { return }
        let names = others.prefix(20).map { "'\(titles[$0].clipped())'" }.joined(separator: ", ")
        let more = others.count > 20 ? " and \(others.count - 20) more" : ""
        faults.append(
            "nothing reads \(names)\(more): \(owner) can read them, or name them under ignored"
        )
    }

    /// All faults, the missing columns first.
    func allFaults(separator: UInt8?) -> [String] {
        let columns = missing.map { missing in
            let field = missing.fields.joined(separator: ", ")
            let remedy = missing.isSettable ? "; --set \(missing.fields[0])=VALUE states it for the whole file" : ""
            return "has no column \(missing.columns), which gives \(field)\(remedy)"
        }
        guard !columns.isEmpty || !faults.isEmpty, titles.count == 1, let title = titles.first else {
            guard !columns.isEmpty else { return faults }
            // The bytes of UTF-8 as letters of Windows-1252.
            let isTranscoded = titles.contains { $0.contains("Ã") || $0.contains("Â") }
            let hints =
                (isTranscoded ? ["looks like UTF-8; file.encoding of the profile says otherwise"] : [])
                + (used.isEmpty ? ["has no column of the profile; file.skip counts the records before the header"] : [])
            return hints + columns + faults
        }
        let marks = [",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"]
        guard let mark = marks.first(where: { title.contains($0.key) && $0.key.utf8.first != separator }) else {
            return columns + faults
        }
        return ["is one column with the text of several; file.delimiter: \(mark.value) of a profile divides it"]
            + columns
    }
}
