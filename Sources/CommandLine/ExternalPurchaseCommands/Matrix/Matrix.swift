import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

/// The result of every API in every storefront on every system version that changed something.
struct Matrix {
    /// The iOS versions with which a result can change.
    static let versions = [
        OSVersion(15, 4), OSVersion(17, 4), OSVersion(17, 5), OSVersion(18, 1), OSVersion(18, 2), OSVersion(26, 2),
        OSVersion(26, 4), OSVersion(26, 5), OSVersion(27, 2),
    ]
    static let questions = EligibilityQuestion.allCases

    /// The versions that have the results of one of ``versions``: `18.2–26.1`, `26.4`, or `27.2 and later`.
    static func span(from version: OSVersion) -> String {
        guard let next = versions.first(where: { $0 > version }) else { return "\(version) and later" }
        // Apple numbers minor versions without a gap; the last one before a new major version is not known here.
        let last = next.minor > 0 ? OSVersion(next.major, next.minor - 1) : nil
        guard let last else { return "\(version) to below \(next)" }
        return last > version ? "\(version)–\(last)" : "\(version)"
    }

    /// A storefront with its results.
    struct Row {
        let storefront: StorefrontCode
        /// The name of the country, or the code where the country table has no name.
        let name: String
        /// Apple's programmes in the storefront.
        let programmes: [RulePack.Programme]
        /// The results by version and, within a version, by API in their order.
        let cells: [Cell]

        var hasYes: Bool { cells.contains { $0.evaluation.isEligible } }
    }

    /// One result.
    struct Cell {
        let version: OSVersion
        let evaluation: Evaluation
    }

    let configuration: AppConfiguration
    let pack: RulePack
    let usable: UsableConfiguration
    /// The rows, sorted by storefront code.
    let rows: [Row]

    init(configuration: AppConfiguration, usable: UsableConfiguration, pack: RulePack) {
        self.configuration = configuration
        self.usable = usable
        self.pack = pack
        // The storefront of Kosovo has no ISO 3166-1 country code.
        let countries = Country.all.map { ($0.alpha3, $0.name) } + [("XKS", "Kosovo")]
        rows = countries.sorted { $0.0 < $1.0 }.compactMap { code, name in
            guard let storefront = StorefrontCode(code) else { return nil }
            let programmes = storefront.region.map { region in
                pack.programmes.filter { $0.storefronts.contains(region) }
            }
            return Row(
                storefront: storefront,
                name: name,
                programmes: programmes ?? [],
                cells: Self.versions.flatMap { version in
                    let engine = Self.engine(storefront, version, usable, pack)
                    return Self.questions.map { Cell(version: version, evaluation: engine.evaluate($0)) }
                }
            )
        }
    }

    /// The engine that evaluated the cells of a storefront on a version.
    func engine(_ storefront: StorefrontCode, _ version: OSVersion) -> EligibilityEngine {
        Self.engine(storefront, version, usable, pack)
    }

    private static func engine(
        _ storefront: StorefrontCode,
        _ version: OSVersion,
        _ usable: UsableConfiguration,
        _ pack: RulePack
    ) -> EligibilityEngine {
        EligibilityEngine(
            device: Device(platform: .iOS, osVersion: version),
            storefront: storefront.alpha3,
            configuration: usable,
            pack: pack
        )
    }
}
