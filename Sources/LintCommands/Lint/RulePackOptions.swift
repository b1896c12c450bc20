import AppConfiguration
import ArgumentParser
import ConfigurationLint
import ExternalPurchaseCore

/// Under which rules a configuration is read.
struct RulePackOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The newest rules in force on that day (default: the newest).", valueName: "YYYY-MM-DD"))
    var asOf: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether the app qualifies for the EEA music streaming programme (default: judged by its files)."
    )
    var musicStreaming: Bool?

    func pack() throws(CommandFailure) -> RulePack {
        guard let asOf else { return .newest }
        // A whole timestamp is the calendar's check of the day.
        guard asOf.utf8.count == 10, Timestamp(rfc3339: asOf + "T00:00:00Z") != nil else {
            throw .input("--as-of '\(asOf)' is not a day; write one like 2026-10-01")
        }
        let tables = RegionTables.builtIn
        guard let pack = tables.pack(inForceOn: asOf) else {
            let first = tables.packs[0]
            throw .input(
                "--as-of '\(asOf)' is before the first rules, \(first.id), in force from \(first.effectiveFrom)"
            )
        }
        return pack
    }

    func usable(_ configuration: AppConfiguration, pack: RulePack) -> UsableConfiguration {
        UsableConfiguration(
            configuration,
            pack: pack,
            musicStreaming: musicStreaming.map { $0 ? .yes : .no } ?? .auto
        )
    }
}
