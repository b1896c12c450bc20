package import ExternalPurchaseCore

/// A stored alert message in words, for mail and chats; no text of it has more than one line.
package struct AlertText: Hashable, Sendable {
    /// What happened, by numbers.
    package let subject: String
    /// One line for each event that the message describes.
    package let lines: [String]
    package let madeAt: Timestamp?

    /// Reads the body that the ledger stores.
    ///
    /// - Returns: nil for bytes that are no message.
    package init?(_ body: [UInt8]) {
        guard let message = try? JSONReader().read(body).objectValue, let events = message["events"]?.arrayValue else {
            return nil
        }
        madeAt = message["madeAt"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
        subject = Self.subject(of: message["counts"]?.objectValue)
        var lines = events.compactMap(\.objectValue).map(Self.line)
        if let omitted = message["omitted"]?.int64Value, omitted > 0 { lines.append("and \(omitted) more") }
        self.lines = lines
    }

    private static func subject(of counts: JSONObject?) -> String {
        // Overdue first, then what a person decides, then the nearest due dates.
        func rank(_ step: String) -> Int {
            switch step {
            case "overdue": 0
            case "opened": 1
            default: 1 + (step.hasSuffix("d") ? Int(step.dropLast()) ?? 1_000 : 1_000)
            }
        }
        let parts = (counts?.members ?? []).sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }.map { member in
            let number = member.value.int64Value ?? 0
            return switch member.key {
            case "overdue": "\(number) overdue"
            case "opened": number == 1 ? "1 waits for a person" : "\(number) wait for a person"
            case let step where step.hasSuffix("d"):
                "\(number) due within \(step.dropLast()) \(step == "1d" ? "day" : "days")".oneLine
            default: "\(number) \(member.key)".oneLine
            }
        }
        return "External purchases: \(parts.isEmpty ? "an alert" : parts.joined(separator: ", "))"
    }

    private static func line(_ event: JSONObject) -> String {
        func text(_ name: String) -> String? { event[name]?.stringValue.map(\.oneLine) }
        var parts: [String] = []
        if text("kind") == "attention" {
            parts.append("A person is needed: \(text("reason") ?? "a review item")")
            if let number = event["attention"]?.int64Value { parts.append("review item \(number)") }
            if let since = text("openedAt") { parts.append("since \(since)") }
        } else {
            let due = text("dueAt").map { "due \($0)" } ?? "without a due date"
            parts.append(text("step") == "overdue" ? "Overdue: \(due)" : "Due soon: \(due)")
            if let held = text("heldFor") { parts.append("held: \(held)") }
            if let reason = text("reason") { parts.append(reason) }
        }
        parts.append([text("about"), text("bundleId")].compactMap(\.self).joined(separator: " of "))
        if let environment = text("environment") { parts.append(environment) }
        if let id = text("id") { parts.append(id) }
        return parts.filter { !$0.isEmpty }.joined(separator: "; ")
    }
}

extension String {
    /// At most 300 characters, without anything that ends a line or turns the direction of text.
    fileprivate var oneLine: String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars.prefix(300) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
                scalars.append("\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        if unicodeScalars.count > 300 { scalars.append("…") }
        return String(scalars)
    }
}
