import ExternalPurchaseCore

/// What `doctor` found about one thing.
struct DoctorCheck: Equatable {
    /// The things that are looked at, in the order of the output.
    enum Name: String, CaseIterable {
        case configuration
        case files
        case fileModes = "file-modes"
        case secrets
        case appleKey = "apple-key"
        case clock
        case roots
        case database
        case schema
        case diskSpace = "disk-space"
        case ports
        case publicAddress = "public-address"
        case tlsCertificate = "tls-certificate"
        case stripeEvents = "stripe-events"
        case products
        case storefronts
        case alerts
        case access
        case backup
        case review
        case deadlines
    }

    let name: Name
    /// Nil where it could not be found out, or where nothing is configured.
    let ok: Bool?
    let detail: String
    /// What to do; nil where nothing is to do.
    var fix: String?

    init(_ name: Name, _ ok: Bool?, _ detail: String, fix: String? = nil) {
        self.name = name
        self.ok = ok
        self.detail = detail
        self.fix = fix
    }

    /// Creates the check of several things: it fails if one does, and passes if one does and none fails.
    init(_ name: Name, _ parts: [DoctorCheck], otherwise nothing: String) {
        let failed = parts.filter { $0.ok == false }
        let open = parts.filter { $0.ok == nil }
        let shown = failed.isEmpty ? (open.isEmpty ? parts : open) : failed
        self.name = name
        ok = !failed.isEmpty ? false : open.isEmpty && !parts.isEmpty ? true : nil
        detail = shown.isEmpty ? nothing : shown.map(\.detail).joined(separator: "; ")
        var fixes: [String] = []
        for fix in shown.compactMap(\.fix) where !fixes.contains(fix) { fixes.append(fix) }
        fix = fixes.isEmpty ? nil : fixes.joined(separator: "; ")
    }

    var json: JSONValue {
        [
            "name": .string(name.rawValue), "ok": ok.map { .bool($0) } ?? .null, "detail": .string(detail),
            "fix": fix.map { .string($0) } ?? .null,
        ]
    }
}
