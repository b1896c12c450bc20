import ExternalPurchaseCore

/// A programme file as JSON, before its entries are decoded.
struct ProgrammeFile {
    /// One entry and its location in the file.
    struct Entry {
        var object: JSONObject
        var path: String
        var isFromOverlay: Bool

        var id: String { object["id"]?.stringValue ?? "" }
        var effectiveFrom: String { object["effectiveFrom"]?.stringValue ?? "" }
    }

    static let maximumBytes = 1 << 20
    static let maximumEntries = 1_000

    let entries: [Entry]
    /// Additional ids of Apple's developer programmes to which conditions of the file may refer.
    let developerProgrammes: Set<String>

    /// The entries of `Data/programmes.json`.
    static let builtIn: [Entry] = {
        let table = try? JSONReader().read(ReportingProgramme.tableText)
        let entries = table?.objectValue?["programmes"]?.arrayValue ?? []
        return entries.enumerated().compactMap { index, value in
            value.objectValue.map { Entry(object: $0, path: "programmes[\(index)]", isFromOverlay: false) }
        }
    }()

    /// Parses the user's file.
    ///
    /// - Throws: ``ProgrammeFileRefusal`` for a file of the wrong form.
    init(text: String, name: String) throws(ProgrammeFileRefusal) {
        func refusal(_ path: String, _ message: String) -> ProgrammeFileRefusal {
            ProgrammeFileRefusal(faults: [ProgrammeFault(file: name, path: path, message: message)])
        }
        guard text.utf8.count <= Self.maximumBytes else {
            throw refusal("", "larger than 1 MiB")
        }
        let bytes = Array(text.utf8)
        let value: JSONValue
        do throws(JSONReadError) {
            value = try JSONReader(maximumDepth: 16).read(bytes)
        } catch {
            throw refusal("", error.message(in: bytes))
        }
        guard let object = value.objectValue, let list = object["programmes"]?.arrayValue else {
            throw refusal("", "not an object with an array `programmes`")
        }
        var faults: [ProgrammeFault] = []
        func add(_ path: String, _ message: String) {
            faults.append(ProgrammeFault(file: name, path: path, message: message))
        }
        let known = ["schemaVersion", "source", "asOf", "developerProgrammes", "programmes"]
        for member in object.members.prefix(100) where !known.containsName(member.key) {
            add(member.key, "unknown member" + known.suggestion(for: member.key))
        }
        for key in object.repeatedKeys { add(key, "stands twice") }
        if let version = object["schemaVersion"], version.int64Value != 1 { add("schemaVersion", "1 would be right") }
        var developerProgrammes: Set<String> = []
        if let value = object["developerProgrammes"] {
            let names = value.arrayValue?.map(\.stringValue) ?? [nil]
            developerProgrammes = Set(names.compactMap(\.self))
            if names.contains(nil) || developerProgrammes.contains("") {
                add("developerProgrammes", "not an array of names such as [\"smallBusiness\"]")
            }
        }
        if list.count > Self.maximumEntries { add("programmes", "more than \(Self.maximumEntries) entries") }
        var entries: [Entry] = []
        var seen: Set<[String]> = []
        for (index, element) in list.prefix(Self.maximumEntries).enumerated() {
            let path = "programmes[\(index)]"
            guard let object = element.objectValue else {
                add(path, "not an object")
                continue
            }
            faults += ProgrammeSchema.faults(in: element, at: path, file: name)
            let entry = Entry(object: object, path: path, isFromOverlay: true)
            guard !entry.id.isEmpty else {
                add(path + ".id", "missing; the name of an entry, such as \"kr\"")
                continue
            }
            if !seen.insert([entry.id, entry.effectiveFrom]).inserted {
                add(path, "\(entry.id) stands twice with the same date")
            }
            entries.append(entry)
        }
        guard faults.isEmpty else { throw ProgrammeFileRefusal(faults: faults) }
        self.entries = entries
        self.developerProgrammes = developerProgrammes
    }

    /// Merges these entries over others, see ``ProgrammeCatalog/init(overlay:named:)``.
    func merged(over base: [Entry]) -> [Entry] {
        var result = base
        // Sorted by date, so that a version inherits from the previous one in the same file.
        for entry in entries.enumerated().sorted(by: { left, right in
            (left.element.effectiveFrom, left.offset) < (right.element.effectiveFrom, right.offset)
        }).map(\.element) {
            let versions = result.indices.filter { result[$0].id == entry.id }
            let date = entry.effectiveFrom
            let same = date.isEmpty ? versions.last : versions.first { result[$0].effectiveFrom == date }
            if let same {
                result[same].object = result[same].object.changed(by: entry.object)
                result[same].path = entry.path
                result[same].isFromOverlay = true
            } else if let before = versions.last(where: { result[$0].effectiveFrom < date }) {
                var inherited = result[before].object
                inherited.members.removeAll { $0.key == "effectiveTo" }
                var next = Entry(object: inherited.changed(by: entry.object), path: entry.path, isFromOverlay: true)
                if let later = versions.first(where: { result[$0].effectiveFrom > date }) {
                    next.object.end(before: result[later].effectiveFrom)
                }
                result[before].object.end(before: date)
                result.insert(next, at: before + 1)
            } else if let first = versions.first {
                var next = entry
                next.object.end(before: result[first].effectiveFrom)
                result.insert(next, at: first)
            } else {
                result.append(entry)
            }
        }
        return result
    }

    /// Delays entries to the day on which the account accepted them, where that day is later (OB-30).
    ///
    /// The previous entries of the same regions stay in force until then.
    static func accepted(_ entries: [Entry], on days: [String: CalendarDate]) -> [Entry] {
        var result = entries
        for (id, day) in days {
            guard let index = result.lastIndex(where: { $0.id == id }),
                let start = CalendarDate(result[index].effectiveFrom), start < day
            else { continue }
            result[index].object.set("effectiveFrom", .string(day.description))
            let last = JSONValue.string(start.adding(days: -1).description)
            let regions = result[index].object["regions"]
            for before in result.indices
            where result[before].object["effectiveTo"] == last && result[before].object["regions"] == regions {
                result[before].object.set("effectiveTo", .string(day.adding(days: -1).description))
            }
        }
        return result
    }
}

extension JSONObject {
    /// Replaces members by those of another object; the replaced numbers have the confidence of an overlay.
    fileprivate func changed(by other: JSONObject) -> JSONObject {
        var result = self
        var confidence = self["confidence"]?.objectValue ?? JSONObject()
        let overlay = JSONValue.object(["level": "overlay"])
        for member in other.members where member.key != "confidence" && self[member.key] != member.value {
            result.set(member.key, member.value)
            if confidence[member.key] != nil { confidence.set(member.key, overlay) }
        }
        for member in other["confidence"]?.objectValue?.members ?? [] { confidence.set(member.key, member.value) }
        result.set("confidence", .object(confidence))
        return result
    }

    /// Ends the entry on the day before the given date, unless it ends earlier.
    fileprivate mutating func end(before date: String) {
        guard let day = CalendarDate(date) else { return }
        let last = day.adding(days: -1).description
        if let own = self["effectiveTo"]?.stringValue, own <= last { return }
        set("effectiveTo", .string(last))
    }

    fileprivate mutating func set(_ key: String, _ value: JSONValue) {
        if let index = members.firstIndex(where: { $0.key == key }) {
            members[index].value = value
        } else {
            members.append(.init(key, value))
        }
    }
}

extension [String] {
    /// The text `; did you mean "x"?` if a similar name exists, otherwise an empty text.
    func suggestion(for text: String) -> String {
        nearest(to: text).map { "; did you mean \"\($0)\"?" } ?? ""
    }
}
