import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

/// What every API answers in every storefront on every system that brought something new.
struct Matrix {
    /// The versions of iOS with which an answer can change.
    static let versions = [
        OSVersion(15, 4), OSVersion(17, 4), OSVersion(17, 5), OSVersion(18, 1), OSVersion(18, 2), OSVersion(26, 2),
        OSVersion(26, 4), OSVersion(26, 5), OSVersion(27, 2),
    ]
    static let questions = EligibilityQuestion.allCases

    /// One storefront with its answers.
    struct Row {
        let storefront: StorefrontCode
        /// The country's name, or the code where the country table has none.
        let name: String
        /// Apple's programmes there.
        let programmes: [RulePack.Programme]
        /// Version by version, in each the APIs in their order.
        let cells: [Cell]

        var hasYes: Bool { cells.contains { $0.evaluation.isEligible } }
    }

    /// One answer.
    struct Cell {
        let version: OSVersion
        let evaluation: Evaluation
    }

    let configuration: AppConfiguration
    let pack: RulePack
    let usable: UsableConfiguration
    /// In the order of the codes.
    let rows: [Row]

    init(configuration: AppConfiguration, usable: UsableConfiguration, pack: RulePack) {
        self.configuration = configuration
        self.usable = usable
        self.pack = pack
        // Kosovo's storefront has no country code of ISO 3166-1.
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

    /// What answered the cells of a storefront on a version.
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
