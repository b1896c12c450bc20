import ExternalPurchaseCore
import Foundation
import TestSupport

/// The blocks of a page that are what a run sent (`PageBlocks`).
///
/// The random ids of tokens and reports are replaced by
/// numbered ones, so that the page is the same for every run.
struct TokenLifePage {
    private(set) var blocks: [String: String] = [:]

    /// Adds the blocks of a life: its tokens, its table and the reports of each step.
    mutating func add(_ name: String, _ life: (tokens: [TokenLife.Token], steps: [TokenLife.Step])) {
        let names = Dictionary(life.tokens.map { ($0.id, $0.name) }) { first, _ in first }
        let reports = life.steps.flatMap(\.sent).compactMap { $0.body.objectValue?["requestIdentifier"]?.stringValue }
        let ids = Self.numbered(life.tokens.map(\.id), by: "a").merging(Self.numbered(reports, by: "b")) { first, _ in
            first
        }
        blocks["\(name) tokens"] = PageBlocks.table(
            ["", "type", "`externalPurchaseId`", "created", "expires"],
            life.tokens.map { token in
                [
                    token.name, token.type.map { "`\($0)`" } ?? "plain", "`\(ids[token.id] ?? token.id)`",
                    token.creation.description, token.expiration?.description ?? "never",
                ]
            }
        )
        let isOneDay = Set(life.steps.map { $0.moment.description.prefix(10) }).count == 1
        blocks["\(name) table"] = PageBlocks.table(
            ["when", "what happens", "what Apple is sent"],
            life.steps.map { step in
                let reports = step.sent.map { report in
                    let kinds = report.kinds.map { "`\($0)`" }.joined(separator: ", ")
                    return "\(kinds) on \(names[report.token] ?? "?")"
                }
                return [
                    String(step.moment.description.dropFirst(isOneDay ? 11 : 0).prefix(isOneDay ? 5 : 10)), step.title,
                    reports.isEmpty ? "nothing" : reports.joined(separator: "; "),
                ]
            }
        )
        for step in life.steps where !step.sent.isEmpty {
            blocks["\(name) \(step.name)"] = step.sent.map { report in
                "\(report.moment.description), on \(names[report.token] ?? "?"):\n\n```json\n\(Self.text(of: report.body, with: ids))\n```"
            }.joined(separator: "\n\n")
        }
    }

    private static func numbered(_ ids: [String], by letter: String) -> [String: String] {
        let numbers = ids.enumerated().map { offset, id in
            let digits = String(offset + 1)
            let zeros = String(repeating: "0", count: 12 - digits.count)
            let prefix = id.hasPrefix("SANDBOX_") ? "SANDBOX_" : ""
            return (id, prefix + "\(String(repeating: letter, count: 8))-0000-4000-8000-\(zeros)\(digits)")
        }
        return Dictionary(numbers) { first, _ in first }
    }

    /// A body as it was sent, with line breaks between members so that it fits the page.
    private static func text(of body: JSONValue, with ids: [String: String]) -> String {
        let members = (body.objectValue?.members ?? []).map { member in
            var member = member
            if let id = member.value.stringValue.flatMap({ ids[$0] }) { member.value = .string(id) }
            return member
        }
        let lines = members.map { member in
            guard let items = member.value.arrayValue else { return "  \(text(of: member))" }
            let texts = items.map { item in "    {" + wrapped(item.objectValue?.members ?? []) + "}" }
            return "  \"\(member.key)\": [\n" + texts.joined(separator: ",\n") + "\n  ]"
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n}"
    }

    private static func wrapped(_ members: [JSONObject.Member]) -> String {
        var (text, line) = ("", "")
        for (offset, member) in members.enumerated() {
            let part = Self.text(of: member) + (offset == members.count - 1 ? "" : ",")
            if !line.isEmpty, line.count + part.count > 104 {
                text += line + "\n     "
                line = part
            } else {
                line += (line.isEmpty ? "" : " ") + part
            }
        }
        return text + line
    }

    private static func text(of member: JSONObject.Member) -> String {
        "\"\(member.key)\": " + String(decoding: member.value.encoded(), as: UTF8.self)
    }
}
