import ExternalPurchaseCore

/// A request to one of Apple's paths as shown in the journal.
///
/// Its credentials are never stored.
struct JournalEntry: Sendable {
    let at: Timestamp
    let method: String
    let path: String
    var status = 0
    var bundleId: BundleId?
    /// The reason that the response does not give, such as `key-unknown` of SA-15, `rate-limited` or a row of SA-57.
    var reason: String?
    /// What is wrong with a malformed body and at which member, or why a request was not stored.
    var message: String?
    /// The first errors of the response, at most ``maximumErrors``.
    private(set) var errors: [ReportError] = []
    /// The number of further errors of the response.
    private(set) var furtherErrors = 0
    /// The name of the injected behaviour.
    var fault: String?
    /// The body; empty when the response was determined before the body was read.
    var body: [UInt8] = []

    /// The maximum number of stored errors.
    ///
    /// A report of a few kilobytes can have ten thousand errors, which the response lists completely.
    static let maximumErrors = 100

    mutating func note(_ errors: [ReportError]) {
        self.errors = Array(errors.prefix(Self.maximumErrors))
        furtherErrors = errors.count - self.errors.count
    }

    /// The approximate number of bytes that the entry occupies.
    var weight: Int { body.count + 1_000 * errors.count }

    var json: JSONValue {
        let further = furtherErrors > 0 ? "and \(furtherErrors) more errors" : nil
        let message = [message, further].compactMap(\.self).joined(separator: "; ")
        return [
            "at": .string(at.description),
            "method": .string(method),
            "path": .string(path),
            "status": .integer(Int64(status)),
            "bundleId": bundleId.map { .string($0.rawValue) } ?? .null,
            "reason": reason.map(JSONValue.string) ?? .null,
            "message": message.isEmpty ? .null : .string(message),
            "errors": .array(errors.map(\.json)),
            "fault": fault.map(JSONValue.string) ?? .null,
            "body": .string(String(decoding: body, as: UTF8.self)),
        ]
    }
}

/// The received requests, newest last.
///
/// The oldest entries are removed when the journal exceeds its limits, so that a long-lived emulator does not fill the
/// memory.
struct RequestJournal: Sendable {
    static let maximumEntries = 10_000
    static let maximumBytes = 64 * 1_048_576

    private(set) var entries: [JournalEntry] = []
    private var bytes = 0

    mutating func append(_ entry: JournalEntry) {
        entries.append(entry)
        bytes += entry.weight
        // Entries are removed in batches, because removing one from the front of an array takes time proportional to
        // its length.
        guard entries.count > Self.maximumEntries + 1_000 || bytes > Self.maximumBytes else { return }
        var kept = entries.suffix(Self.maximumEntries)
        bytes = kept.reduce(0) { $0 + $1.weight }
        while bytes > Self.maximumBytes * 3 / 4, let oldest = kept.popFirst() { bytes -= oldest.weight }
        entries = Array(kept)
    }

    mutating func clear() { self = RequestJournal() }
}
