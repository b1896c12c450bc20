import ExternalPurchaseCore

/// One request that came to Apple's paths, as the journal shows it; what authorises it is never kept.
struct JournalEntry: Sendable {
    let at: Timestamp
    let method: String
    let path: String
    var status = 0
    var bundleId: BundleId?
    /// The reason that the answer does not give: one of SA-15 or a row of spec/04 section 6.
    var reason: String?
    /// What is wrong and where, in words, for a body that is malformed.
    var message: String?
    /// The first errors of the answer, at most ``maximumErrors``.
    private(set) var errors: [ReportError] = []
    /// How many errors of the answer are not among ``errors``.
    private(set) var furtherErrors = 0
    /// The name of the behaviour that was injected.
    var fault: String?
    /// Empty when the answer was found before the body was read.
    var body: [UInt8] = []

    /// A report of a few kilobytes can have ten thousand errors: the answer names them all, the journal does not keep them.
    static let maximumErrors = 100

    mutating func note(_ errors: [ReportError]) {
        self.errors = Array(errors.prefix(Self.maximumErrors))
        furtherErrors = errors.count - self.errors.count
    }

    /// About how many bytes it holds on to.
    var weight: Int { body.count + 1_000 * errors.count }

    var json: JSONValue {
        let further = furtherErrors > 0 ? "and \(furtherErrors) more errors" : nil
        let message = [message, further].compactMap(\.self).joined(separator: "; ")
        return .object(
            JSONObject([
                .init("at", .string(at.description)),
                .init("method", .string(method)),
                .init("path", .string(path)),
                .init("status", .integer(Int64(status))),
                .init("bundleId", bundleId.map { .string($0.rawValue) } ?? .null),
                .init("reason", reason.map(JSONValue.string) ?? .null),
                .init("message", message.isEmpty ? .null : .string(message)),
                .init("errors", .array(errors.map(\.json))),
                .init("fault", fault.map(JSONValue.string) ?? .null),
                .init("body", .string(String(decoding: body, as: UTF8.self))),
            ])
        )
    }
}

/// What was received, newest last; the oldest entries go when it outgrows its bounds, so that a long-lived emulator does
/// not fill the memory.
struct RequestJournal: Sendable {
    static let maximumEntries = 10_000
    static let maximumBytes = 64 * 1_048_576

    private(set) var entries: [JournalEntry] = []
    private var bytes = 0

    mutating func append(_ entry: JournalEntry) {
        entries.append(entry)
        bytes += entry.weight
        // In slices, because removing one from the front costs the length of the rest.
        guard entries.count > Self.maximumEntries + 1_000 || bytes > Self.maximumBytes else { return }
        var kept = entries.suffix(Self.maximumEntries)
        bytes = kept.reduce(0) { $0 + $1.weight }
        while bytes > Self.maximumBytes * 3 / 4, let oldest = kept.popFirst() { bytes -= oldest.weight }
        entries = Array(kept)
    }

    mutating func clear() { self = RequestJournal() }
}
