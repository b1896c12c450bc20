import ExternalPurchaseCore
import ReportValidation
import Testing

private typealias X = Sample

@Suite("Settings of the rules (RR-95)")
struct RuleSettingsTests {
    @Test(
        "Defaults are those of the list",
        arguments: [
            ("rules.clockSkew", "5min"), ("rules.creationDateLimit", "1095d"), ("rules.periodDateLimit", "3650d"),
            ("rules.restatementWindow", "365d"), ("rules.refundWindow", "365d"),
            ("rules.refundWindowEnd", "refundDate"), ("rules.plainTokenRange", "off"),
            ("rules.restatementAcrossTokens", "refuse"), ("rules.activeRangeForRefunds", "off"),
            ("rules.statusRegressionForDuplicate", "on"), ("rules.off", "none"), ("limits.textLength", "128"),
            ("limits.productIdentifierLength", "256"), ("messages.4", "A required field is missing."),
            ("messages.37", "The DUPLICATE_TOKEN status is not allowed for this token type."),
        ]
    )
    func defaults(_ name: String, _ text: String) {
        #expect(RuleSettings.names.contains(name))
        #expect(RuleSettings().text(of: name) == text)
    }

    @Test("Every setting can be set to its own text", arguments: RuleSettings.names)
    func roundTrip(_ name: String) throws {
        #expect(RuleSettings.names.count == 53)
        var settings = RuleSettings()
        let text = try #require(settings.text(of: name))
        try settings.set(name, to: text)
        #expect(settings.text(of: name) == text)
    }

    @Test(
        "Durations have a unit",
        arguments: [
            ("250ms", 250), ("300s", 300_000), ("5min", 300_000), ("2h", 7_200_000), ("10d", 864_000_000), ("0s", 0),
        ] as [(String, Int64)]
    )
    func durations(_ text: String, _ milliseconds: Int64) throws {
        var settings = RuleSettings()
        try settings.set("rules.clockSkew", to: text)
        #expect(settings.clockSkew == .milliseconds(milliseconds))
    }

    @Test(
        "An invalid value is reported with the expected ones",
        arguments: ["", "5", "min", "5 min", "-5min", "1.5h", "5MIN", "5m", "9999999999999999d", "٥min", "5min5s"]
    )
    func wrongDurations(_ text: String) {
        var settings = RuleSettings()
        let expected = "a duration such as 250ms, 300s, 5min, 2h or 10d"
        #expect(throws: SettingError.unknownValue(name: "rules.clockSkew", value: text, expected: expected)) {
            try settings.set("rules.clockSkew", to: text)
        }
        #expect(settings == RuleSettings())
    }

    @Test("Unknown names, words and forms are refused")
    func refusals() throws {
        var settings = RuleSettings()
        #expect(throws: SettingError.unknownName("rules.clockskew")) { try settings.set("rules.clockskew", to: "1s") }
        #expect(throws: SettingError.unknownValue(name: "rules.plainTokenRange", value: "yes", expected: "on or off")) {
            try settings.set("rules.plainTokenRange", to: "yes")
        }
        #expect(
            throws: SettingError.unknownValue(name: "rules.refundWindowEnd", value: "x", expected: "refundDate or now")
        ) { try settings.set("rules.refundWindowEnd", to: "x") }
        #expect(throws: SettingError.notAnAssignment("rules.clockSkew")) {
            try SettingText.assignment("rules.clockSkew")
        }
        #expect(throws: SettingError.notAnAssignment("=1s")) { try SettingText.assignment("=1s") }
        let assignment = try SettingText.assignment("messages.37=a=b")
        #expect(assignment == ("messages.37", "a=b"))
        #expect(settings.text(of: "rules.unknown") == nil)
    }

    /// A report whose outcome depends on a setting.
    struct Change: Sendable, CustomTestStringConvertible {
        let name, value: String
        let accepted: [ReceivedReport]
        let report: ReceivedReport
        let before, after: [String]

        var testDescription: String { "\(name)=\(value)" }
    }

    static let changes: [Change] = {
        let N = X.N, D = X.D, d = X.d
        let created = X.tokens[X.plain]?.creationDate.milliseconds ?? 0
        let old = X.O.dated(N - 365 * d - 1)
        let second = X.O.with { $0.lineItemId = "o2" }
        return [
            Change(
                name: "rules.clockSkew",
                value: "0s",
                accepted: [],
                report: .items(X.O.dated(N + 1)),
                before: [],
                after: ["E6 creationDate o"]
            ),
            Change(
                name: "rules.creationDateLimit",
                value: "7d",
                accepted: [],
                report: .items(X.O),
                before: [],
                after: ["E27 creationDate o"]
            ),
            Change(
                name: "rules.periodDateLimit",
                value: "10d",
                accepted: [],
                report: .items(X.S),
                before: [],
                after: ["E27 subscriptionStartDate s"]
            ),
            Change(
                name: "rules.restatementWindow",
                value: "366d",
                accepted: [.items(old)],
                report: .items(old.restated),
                before: ["E39 creationDate o"],
                after: []
            ),
            Change(
                name: "rules.refundWindow",
                value: "1h",
                accepted: [.items(X.O)],
                report: .items(X.R),
                before: [],
                after: ["E40 creationDate r"]
            ),
            Change(
                name: "rules.refundWindowEnd",
                value: "now",
                accepted: [.items(old)],
                report: .items(X.R.dated(N - d)),
                before: [],
                after: ["E40 creationDate r"]
            ),
            Change(
                name: "rules.refundWindowEnd",
                value: "now",
                accepted: [.items(old), .items(X.R.dated(N - d))],
                report: .items(X.R.dated(N - d).restated),
                before: [],
                after: []
            ),
            Change(
                name: "rules.plainTokenRange",
                value: "on",
                accepted: [],
                report: .items(X.O.dated(created - d), second.dated(created - d - 1)),
                before: [],
                after: ["E36 creationDate o2"]
            ),
            Change(
                name: "rules.restatementAcrossTokens",
                value: "allow",
                accepted: [.items(X.O)],
                report: .items(X.O.restated, on: X.services),
                before: ["E3 lineItemId o"],
                after: []
            ),
            Change(
                name: "rules.activeRangeForRefunds",
                value: "on",
                accepted: [.items(X.O)],
                report: .items(X.R.dated(D + 3 * d), on: X.services),
                before: [],
                after: ["E36 creationDate r"]
            ),
            Change(
                name: "rules.statusRegressionForDuplicate",
                value: "off",
                accepted: [.items(X.O, on: X.services)],
                report: .status(.duplicateToken, on: X.services),
                before: ["E8 status"],
                after: []
            ),
            // E7 invalidates the country (RR-4); without the rule E23 reads it (CS-11).
            Change(
                name: "rules.off",
                value: "7,24",
                accepted: [.items(X.O)],
                report: .items(X.R.with { $0.taxCountry = "AT" }),
                before: ["E7 taxCountry r"],
                after: ["E23 taxCountry r"]
            ),
            Change(
                name: "limits.textLength",
                value: "1",
                accepted: [],
                report: .items(second),
                before: [],
                after: ["E19 lineItemId o2", "E19 pricingCurrency o2"]
            ),
            Change(
                name: "limits.productIdentifierLength",
                value: "3",
                accepted: [],
                report: .items(X.O),
                before: [],
                after: ["E19 productIdentifier o"]
            ),
        ]
    }()

    @Test("Each setting changes the outcome it is there for", arguments: changes)
    func change(_ change: Change) throws {
        for isSet in [false, true] {
            var settings = RuleSettings()
            var endpoint = Endpoint()
            for report in change.accepted { try #expect(brief(endpoint.put(report)) == []) }
            if isSet { try settings.set(change.name, to: change.value) }
            endpoint.settings = settings
            try #expect(brief(endpoint.put(change.report)) == (isSet ? change.after : change.before))
        }
    }

    @Test(
        "Three texts can be replaced, each on its own (SA-22)",
        arguments: [
            (
                "messages.37", [], .status(.duplicateToken),
                "The DUPLICATE_TOKEN status is not allowed for this token type."
            ),
            (
                "messages.38", [.items(X.O)], .items(X.O.restated.dated(X.D + 1)),
                "The restatement's creation date does not match the original line item's creation date."
            ),
            (
                "messages.40", [.items(X.O.dated(X.N - 366 * X.d))], .items(X.R.dated(X.N - X.d + 1)),
                "Refund is not allowed for this line item because its creation date is too far in the past."
            ),
        ] as [(String, [ReceivedReport], ReceivedReport, String)]
    )
    func messages(_ name: String, _ accepted: [ReceivedReport], _ report: ReceivedReport, _ text: String) throws {
        var endpoint = Endpoint()
        for report in accepted { try #expect(brief(endpoint.put(report)) == []) }
        try #expect(endpoint.put(report).map(\.errorMessage) == [text])
        for other in ["messages.37", "messages.38", "messages.40"] {
            endpoint.settings = RuleSettings()
            try endpoint.settings.set(other, to: "Not for this one.")
            let expected = other == name ? "Not for this one." : text
            try #expect(endpoint.put(report).map(\.errorMessage) == [expected], "\(other)")
        }
    }
}
