package import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

/// What an app offers and where, asked for as `init` does.
package struct AppOffer {
    private let family: APIFamily
    /// Region codes in the form of property lists, sorted.
    package let countries: [String]
    private let pack: RulePack

    /// The name of the offer on the command line.
    package var name: String { family.rawValue }

    /// Takes what was given, and asks on a terminal for the rest.
    ///
    /// - Throws: ``CommandSupport/CommandFailure`` for what is missing or not known.
    package static func questions(api: String?, countries: [String]) throws(CommandFailure) -> AppOffer {
        if let refusal = InitRequest.refusal(of: countries) { throw .input(refusal) }
        let questions = InitQuestions(ask: TerminalQuestion.ask, pack: .newest)
        let family = if let api { try InitCommand.family(api) } else { try questions.family() }
        let codes = if countries.isEmpty { try questions.countries(family) } else { countries }
        return AppOffer(family: family, countries: Set(codes.map(InitRequest.region)).sorted(), pack: .newest)
    }

    /// The ids of the rule pack's programmes by which the offer is made there.
    package var programmes: [String] {
        let region = Set(countries)
        return pack.programmes.filter { programme in
            let isRoute = programme.routes.contains { $0.entitlement == .streaming }
            let isOne =
                switch family {
                case .inApp: programme.family == "ExternalPurchase"
                case .link, .multiLink: programme.family == "ExternalPurchaseLink" && !isRoute
                case .customLink: programme.family == "ExternalPurchaseCustomLink" && !isRoute
                case .streaming: isRoute
                case .allowedRegions:
                    programme.family == "ExternalPurchaseCustomLink"
                        && programme.routes.contains { $0.entitlement == .allowedRegions }
                }
            return isOne && !region.isDisjoint(with: programme.storefronts)
        }.map(\.id)
    }

    /// The members for Info.plist and entitlements, which pass the linter.
    ///
    /// - Parameters:
    ///   - bundleId: the app's.
    ///   - links: `CODE=URL` for each country; not used by an offer whose links the app chooses itself.
    package func text(bundleId: String, links: [String]) throws(CommandFailure) -> String {
        let request = try InitRequest(
            family: family,
            countries: countries,
            links: family.needsLinks ? links : [],
            bundleId: bundleId
        )
        let fragments = ConfigurationFragments(request, pack: pack)
        if let error = try fragments.findings(pack: pack).first(where: { $0.severity == .error }) {
            throw .input(InitCommand.words(error))
        }
        return fragments.text
    }
}

/// A question on a terminal.
package enum TerminalQuestion {
    /// Asks a question on a terminal; returns nil in a script.
    package static func ask(_ question: String) -> String? {
        guard isatty(0) != 0 else { return nil }
        try? FileHandle.standardError.write(contentsOf: Data(question.utf8))
        return readLine()
    }
}
