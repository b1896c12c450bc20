import ExternalPurchaseCore
import NIOHTTP1

extension DemoScenario {
    /// Restates the price of a reported sale: the dry run, its confirmation, and Apple's answer.
    mutating func correct(_ saleId: String) async throws {
        let compare = "The price was €8.99: a dry run shows what a correction changes"
        let right: JSONObject = [
            "inclusive": "8.99",
            "taxRate": .string(GemShopWebsite.taxRates[demo.storefront.region ?? "nl"] ?? "21"),
        ]
        let request: JSONObject = [
            "bundleId": .string(Demo.bundleId.rawValue), "saleId": .string(saleId),
            "action": "restate", "fields": .object(right),
            "requestedBy": "demo", "reason": "the till had an old price",
        ]
        let corrections = "\(addresses.server)/v1/corrections"
        let dryRun = try await browser.json(.POST, corrections, .object(request))
        guard dryRun.status == 200, dryRun.json?["allowed"]?.boolValue == true,
            let id = dryRun.json?["correctionId"]?.stringValue
        else { throw StepFailure(step: compare, reason: "answered \(dryRun.status): \(dryRun.text)") }
        output.accepted(
            compare,
            at: "POST \(corrections) → 200",
            rule: "nothing is sent before a person confirms it (RR-84)",
            details: Self.changes(in: dryRun.json?["plan"])
        )

        let confirm = "It is confirmed; Apple's side accepts the corrected line item"
        let confirmation: JSONObject = [
            "correctionId": .string(id), "confirm": true, "confirmedBy": "demo",
        ]
        let confirmed = try await browser.json(.POST, corrections, .object(confirmation))
        let reports = (confirmed.json?["reports"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard confirmed.status == 201, !reports.isEmpty else {
            throw StepFailure(step: confirm, reason: "answered \(confirmed.status): \(confirmed.text)")
        }
        _ = try await acceptedReport(of: saleId, confirm) { report in
            report["requestIdentifier"]?.stringValue.map(reports.contains) ?? false
        }
    }

    /// The changes of a dry run, a text for each line item.
    private static func changes(in plan: JSONValue?) -> [String] {
        let reports = (plan?.objectValue?["reports"]?.arrayValue ?? []).compactMap(\.objectValue)
        let items = reports.flatMap { $0["items"]?.arrayValue ?? [] }.compactMap(\.objectValue)
        return items.map { item in
            let changes = (item["changes"]?.arrayValue ?? []).compactMap(\.objectValue).map { change in
                func shown(_ key: String) -> String {
                    guard let value = change[key] else { return "?" }
                    return value.int64Value.map { MilliUnits($0).unitsText } ?? value.stringValue ?? "?"
                }
                return "\(change["field"]?.stringValue ?? "?") \(shown("old")) → \(shown("new"))"
            }
            return "\(item["lineItemId"]?.stringValue ?? "?"): \(changes.joined(separator: ", "))"
        }
    }
}
