import Foundation

/// The folder of the outbox: which file means what, and in which order files change (EK-20 to EK-25).
///
/// | path | content |
/// |---|---|
/// | `pending/NAME.json` | a token that the server does not have yet |
/// | `refused/NAME.json` | a token that the server refused for good, with its reason |
/// | `unreadable/…` | files of the two folders above that could not be understood, as they were found |
/// | `requests/NUMBER.json` | a request for a new token that has not ended |
/// | `memory.json` | which tokens the server has, and when the next attempt is due |
struct OutboxFolder: Sendable {
    static let temporarySuffix = ".tmp"
    /// Larger than the largest token (16,384 bytes, TK-11) with its other members.
    static let largestFile = 65_536

    private static let entrySuffix = ".json"
    private static let memory = "memory.json"

    let files: any OutboxFileSystem

    /// What the folder held when it was opened.
    struct Contents: Sendable {
        var pending: [OutboxEntry] = []
        var refused: [OutboxEntry] = []
        /// Files that were set aside, now or before.
        var unreadable = 0
        /// Files that the system did not let the app read; they stay where they are.
        var unreachable = 0
        /// Numbers of requests that did not end.
        var requests: [Int] = []
        var memory = OutboxMemory()
    }

    /// Creates the folders and reads everything.
    func open() throws(StorageFailure) -> Contents {
        for folder in ["", "pending", "refused", "unreadable", "requests"] { try files.createFolder(folder) }
        var contents = Contents()
        try recover(&contents)
        contents.refused = try entries(in: "refused", &contents)
        contents.pending = try entries(in: "pending", &contents)
        // A process that ended between the two steps of a refusal left both files.
        let refused = Set(contents.refused.map(\.name))
        for entry in contents.pending where refused.contains(entry.name) { try? remove(entry) }
        contents.pending.removeAll { refused.contains($0.name) }
        contents.unreadable += try files.names(in: "unreadable").count
        contents.requests = try files.names(in: "requests").compactMap(Self.requestNumber).sorted()
        if let bytes = try? files.read(Self.memory), let memory = JSONFile.read(OutboxMemory.self, from: bytes) {
            contents.memory = memory
        }
        return contents
    }

    /// Puts back what was set aside by a version of this package that did not understand it, and this one does.
    private func recover(_ contents: inout Contents) throws(StorageFailure) {
        for name in try files.names(in: "unreadable").sorted() {
            guard let bytes = try? files.read("unreadable/\(name)"), let entry = OutboxEntry(bytes: bytes) else {
                continue
            }
            let folder = entry.refusal == nil ? "pending" : "refused"
            let isTaken = try files.names(in: folder).contains("\(entry.name)\(Self.entrySuffix)")
            if !isTaken {
                try files.rename("unreadable/\(name)", to: path(of: entry, in: folder))
                try files.synchronizeFolder(folder)
            }
        }
    }

    private func entries(in folder: String, _ contents: inout Contents) throws(StorageFailure) -> [OutboxEntry] {
        var entries: [TokenName: OutboxEntry] = [:]
        // A file comes before its temporary one, and what has the form of a token's name before other names.
        let names = try files.names(in: folder).sorted { left, right in
            (Self.isRegular(left) ? 0 : 1, left) < (Self.isRegular(right) ? 0 : 1, right)
        }
        for name in names {
            let path = "\(folder)/\(name)"
            let isTemporary = name.hasSuffix(Self.temporarySuffix)
            let bytes: [UInt8]
            do throws(StorageFailure) {
                bytes = try files.read(path)
            } catch {
                // The content may be intact: the device may be locked, or the medium may fail.
                contents.unreachable += 1
                continue
            }
            // A process that ended while it wrote leaves a temporary file: empty, torn or complete.
            guard let entry = OutboxEntry(bytes: bytes) else {
                if bytes.isEmpty, isTemporary { try? files.remove(path) } else { setAside(name, in: folder, &contents) }
                continue
            }
            if path != self.path(of: entry, in: folder) {
                // Of two files with one token the one that has its name stays.
                if entries[entry.name] != nil {
                    try? files.remove(path)
                } else {
                    try? complete(path, entry, in: folder)
                }
            }
            entries[entry.name] = entries[entry.name] ?? entry
        }
        return entries.values.sorted { ($0.storedAt, $0.name) < ($1.storedAt, $1.name) }
    }

    private static func isRegular(_ name: String) -> Bool {
        name.hasSuffix(entrySuffix) && name.utf8.count == 32 + entrySuffix.utf8.count
    }

    /// Gives a whole file its name.
    private func complete(_ path: String, _ entry: OutboxEntry, in folder: String) throws(StorageFailure) {
        try files.synchronize(path)
        try files.rename(path, to: self.path(of: entry, in: folder))
        try files.synchronizeFolder(folder)
    }

    private func setAside(_ name: String, in folder: String, _ contents: inout Contents) {
        do throws(StorageFailure) {
            // Two files of one name, set aside at different times, are both kept.
            let taken = Set(try files.names(in: "unreadable"))
            let free = (0...taken.count).lazy.map { "\(folder)-\($0)-\(name)" }.first { !taken.contains($0) }
            guard let free else { return }
            try files.rename("\(folder)/\(name)", to: "unreadable/\(free)")
            try files.synchronizeFolder("unreadable")
        } catch {
            contents.unreachable += 1
        }
    }

    private static func requestNumber(_ name: String) -> Int? {
        name.hasSuffix(entrySuffix) ? Int(name.dropLast(entrySuffix.count)) : nil
    }

    // MARK: Changes

    /// Stores a token that waits for the server.
    func store(_ entry: OutboxEntry) throws(StorageFailure) {
        try files.replace(path(of: entry, in: "pending"), with: entry.bytes)
    }

    /// Stores a token that the server refused, then removes it from the waiting ones.
    func refuse(_ entry: OutboxEntry) throws(StorageFailure) {
        try files.replace(path(of: entry, in: "refused"), with: entry.bytes)
        try? remove(entry)
    }

    /// Makes a refused token wait again.
    func restore(_ entry: OutboxEntry) throws(StorageFailure) {
        try store(entry)
        try removeIfPresent(path(of: entry, in: "refused"))
        try files.synchronizeFolder("refused")
    }

    /// Removes a token that the server has.
    func remove(_ entry: OutboxEntry) throws(StorageFailure) {
        try removeIfPresent(path(of: entry, in: "pending"))
        try files.synchronizeFolder("pending")
    }

    /// The number after those of all records, also of another outbox that uses the folder by mistake (EK-32).
    func freeRequestNumber() throws(StorageFailure) -> Int {
        (try files.names(in: "requests").compactMap(Self.requestNumber).max() ?? -1) + 1
    }

    func begin(_ request: OutboxRequest, number: Int) throws(StorageFailure) {
        try files.replace("requests/\(number)\(Self.entrySuffix)", with: JSONFile.bytes(request))
    }

    func end(_ number: Int) throws(StorageFailure) {
        try removeIfPresent("requests/\(number)\(Self.entrySuffix)")
        try files.synchronizeFolder("requests")
    }

    func save(_ memory: OutboxMemory) throws(StorageFailure) {
        try files.replace(Self.memory, with: JSONFile.bytes(memory))
    }

    /// Removes a file; one that is gone already is removed.
    private func removeIfPresent(_ path: String) throws(StorageFailure) {
        do throws(StorageFailure) {
            try files.remove(path)
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    private func path(of entry: OutboxEntry, in folder: String) -> String {
        "\(folder)/\(entry.name)\(Self.entrySuffix)"
    }
}
