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
    var errors: [ReportError] = []
    /// The name of the behaviour that was injected.
    var fault: String?
    /// Empty when the answer was found before the body was read.
    var body: [UInt8] = []

    var json: JSONValue {
        .object(
            JSONObject([
                .init("at", .string(at.description)),
                .init("method", .string(method)),
                .init("path", .string(path)),
                .init("status", .integer(Int64(status))),
                .init("bundleId", bundleId.map { .string($0.rawValue) } ?? .null),
                .init("reason", reason.map(JSONValue.string) ?? .null),
                .init("message", message.map(JSONValue.string) ?? .null),
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
        bytes += entry.body.count
        // In slices, because removing one from the front costs the length of the rest.
        guard entries.count > Self.maximumEntries + 1_000 || bytes > Self.maximumBytes else { return }
        var kept = entries.suffix(Self.maximumEntries)
        bytes = kept.reduce(0) { $0 + $1.body.count }
        while bytes > Self.maximumBytes * 3 / 4, let oldest = kept.popFirst() { bytes -= oldest.body.count }
        entries = Array(kept)
    }

    mutating func clear() { self = RequestJournal() }
}
