package import AppConfiguration
import ArgumentParser
package import CommandSupport
package import ConfigurationLint
package import ExternalPurchaseCore

/// The options that select the rules for a configuration.
package struct RulePackOptions: ParsableArguments {
    /// The date whose newest rules apply, `YYYY-MM-DD`; nil means the newest rules.
    @Option(help: ArgumentHelp("The newest rules in force on that day (default: the newest).", valueName: "YYYY-MM-DD"))
    var asOf: String?

    /// Whether the app qualifies for the music streaming programme; nil means that its files decide (CF-43).
    @Flag(
        inversion: .prefixedNo,
        help: "Whether the app qualifies for the EEA music streaming programme (default: judged by its files)."
    )
    var musicStreaming: Bool?

    /// Creates the options with their defaults.
    package init() {}

    /// The rule pack of the date.
    ///
    /// - Throws: an error for an invalid date, exit code 2.
    package func pack() throws(CommandFailure) -> RulePack {
        guard let asOf else { return .newest }
        return try Self.pack(asOf: asOf, named: "--as-of")
    }

    /// The entries of a configuration that take effect at runtime.
    package func usable(_ configuration: AppConfiguration, pack: RulePack) -> UsableConfiguration {
        UsableConfiguration(
            configuration,
            pack: pack,
            musicStreaming: musicStreaming.map { $0 ? .yes : .no } ?? .auto
        )
    }

    static func pack(asOf day: String, named name: String) throws(CommandFailure) -> RulePack {
        // Parsing a complete timestamp validates the date.
        guard day.utf8.count == 10, Timestamp(rfc3339: day + "T00:00:00Z") != nil else {
            throw .input("\(name) \(day.shown()) is not a day; write one like 2026-10-01")
        }
        let tables = RegionTables.builtIn
        guard let pack = tables.pack(inForceOn: day) else {
            let first = tables.packs[0]
            throw .input(
                "\(name) \(day.shown()) is before the first rules, \(first.id), in force from \(first.effectiveFrom)"
            )
        }
        return pack
    }
}
