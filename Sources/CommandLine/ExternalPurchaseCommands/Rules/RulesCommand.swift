import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Reporting

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "The dates, rates and other facts that this release has built in, by the age of their source.",
        discussion: """
            The oldest source comes first. A fact without a date of its own has that of its table, and an assumption has \
            no source: look at Apple's page before you rely on it.

            Example: external-purchase rules --older-than 90d
            """
    )

    @Option(help: ArgumentHelp("Only facts whose source is older, such as 90d.", valueName: "duration"))
    var olderThan: String?

    @Option(help: ArgumentHelp("The day that ages are counted to, as 2026-11-26; by default today.", valueName: "date"))
    var asOf: String?

    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        var day = CalendarDate(inUTC: Timestamp(Date()))
        if let asOf {
            guard let named = CalendarDate(asOf) else {
                throw CommandFailure.input("--as-of \(asOf.shown()): is not a day such as 2026-11-26")
            }
            day = named
        }
        var least: Int64?
        if let olderThan {
            guard let duration = SettingText.duration(olderThan), duration.wholeMilliseconds % 86_400_000 == 0 else {
                throw CommandFailure.input("--older-than \(olderThan.shown()): is not a number of days such as 90d")
            }
            least = duration.wholeDays
        }
        let facts = Fact.all.map { (fact: $0, age: day.number - $0.date.number) }
            .filter { age in least.map { age.age > $0 } ?? true }
        switch output.format {
        case .json:
            let object: JSONValue = [
                "asOf": .string(day.description), "facts": .array(facts.map { Self.json($0.fact, age: $0.age) }),
            ]
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            for (fact, age) in facts { StandardStreams.output(line: Self.line(fact, age: age)) }
            if facts.isEmpty, !global.quiet { StandardStreams.error("no fact has an older source") }
        }
    }

    private static func json(_ fact: Fact, age: Int64) -> JSONValue {
        [
            "id": .string(fact.id), "what": .string(fact.what), "value": .string(fact.value),
            "confidence": .string(fact.confidence),
            "source": fact.source.map(JSONValue.string) ?? .null,
            "date": .string(fact.date.description), "ageDays": .integer(age),
            "note": fact.note.map(JSONValue.string) ?? .null,
        ]
    }

    private static func line(_ fact: Fact, age: Int64) -> String {
        let source = fact.source.map { ", \($0)" } ?? ""
        return "\(fact.date) (\(age) d) \(fact.id) = \(fact.value)  \(fact.confidence)\(source)"
            + (fact.note.map { "; \($0)" } ?? "")
    }
}
