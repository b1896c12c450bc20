package import ExternalPurchaseCore

/// What is known of the region that a token or sale belongs to (OB-11).
package struct ObligationOrigin: Hashable, Sendable {
    /// What is known of the token's type.
    package enum Token: Hashable, Sendable {
        /// There is no token.
        case none
        /// The type, nil for a plain token.
        case type(TokenType?)
    }

    /// The storefront given at intake.
    package var storefront: StorefrontCode?
    /// The tax countries of the sale, or of the token's sales, alpha-3.
    package var taxCountries: [String]
    /// The token.
    package var token: Token
    /// The programmes configured for the app: entries' ids, or those of rule packs.
    package var appProgrammes: [String]

    package init(
        storefront: StorefrontCode? = nil,
        taxCountries: [String] = [],
        token: Token,
        appProgrammes: [String] = []
    ) {
        self.storefront = storefront
        self.taxCountries = taxCountries
        self.token = token
        self.appProgrammes = appProgrammes
    }
}

/// The programmes that a token or sale can belong to, and why (OB-10 to OB-13).
package struct ProgrammeSelection: Hashable, Sendable {
    /// What narrowed the choice.
    package enum Source: String, Hashable, Sendable, CaseIterable {
        case storefront, taxCountry, tokenType, appProgrammes
    }

    /// The programmes that remain, in the order of the catalog; none means the flag `no-programme` (OB-13).
    package let programmes: [ReportingProgramme]
    /// What narrowed the choice, in the order of OB-11.
    package let sources: [Source]
    /// The choice in plain words.
    package let reason: String

    /// True when no programme is in force there and then (OB-13).
    package var isWithoutProgramme: Bool { programmes.isEmpty }
    /// True while several remain, of which the strictest deadline holds.
    package var isOpen: Bool { programmes.count > 1 }
}

extension ProgrammeCatalog {
    /// Which programmes a token or sale can belong to.
    ///
    /// Storefront, else tax country, say where; an empty result there is final (OB-13). Token type and configured
    /// programmes narrow what is left; one that contradicts what is known before it is passed over, and said so.
    ///
    /// - Parameters:
    ///   - origin: what is known.
    ///   - moment: the creation date of the token or line item (OB-10).
    package func select(_ origin: ObligationOrigin, at moment: Timestamp) -> ProgrammeSelection {
        choice(origin, on: CalendarDate(inUTC: moment)).selection(in: self)
    }

    func choice(_ origin: ObligationOrigin, on day: CalendarDate) -> ProgrammeChoice {
        var choice = ProgrammeChoice(day: day)
        choice.indices = indices(inForceOn: day)
        if let storefront = origin.storefront {
            choice.sources.append(.storefront)
            choice.words.append("storefront \(storefront)")
            keep(regions: [storefront.region], of: &choice)
        } else if !origin.taxCountries.isEmpty {
            choice.sources.append(.taxCountry)
            choice.words.append("tax country \(origin.taxCountries.joined(separator: ", "))")
            keep(regions: origin.taxCountries.map { Country.alpha3($0)?.region }, of: &choice)
        }
        guard !choice.indices.isEmpty else { return choice }
        if case .type(let type) = origin.token {
            let name = type.map { "token type \($0)" } ?? "plain token"
            choice.narrow(by: .tokenType, name) { programmes[$0].tokenTypes.contains(type) }
        }
        if !origin.appProgrammes.isEmpty {
            let names = Set(origin.appProgrammes)
            choice.narrow(by: .appProgrammes, "the app's programmes") {
                names.contains(programmes[$0].id) || !names.isDisjoint(with: programmes[$0].clientProgrammes)
            }
        }
        return choice
    }

    private func keep(regions: [String?], of choice: inout ProgrammeChoice) {
        choice.indices = choice.indices.filter { index in
            regions.contains { region in
                region.flatMap { spans[index].regions[$0] }.map { $0 <= choice.day } ?? false
            }
        }
    }
}

/// A selection by places in the catalog, cheap enough to be made per token.
struct ProgrammeChoice: Hashable, Sendable {
    let day: CalendarDate
    var indices: [Int] = []
    var sources: [ProgrammeSelection.Source] = []
    var words: [String] = []

    init(day: CalendarDate) {
        self.day = day
    }

    mutating func narrow(by source: ProgrammeSelection.Source, _ name: String, _ isLeft: (Int) -> Bool) {
        let left = indices.filter(isLeft)
        if left.isEmpty {
            words.append("\(name) fits none of these and is passed over")
        } else if left.count < indices.count {
            sources.append(source)
            words.append(name)
            indices = left
        }
    }

    func selection(in catalog: ProgrammeCatalog) -> ProgrammeSelection {
        let programmes = indices.map { catalog.programmes[$0] }
        let known = words.isEmpty ? "nothing is known of the region" : words.joined(separator: ", ")
        let reason =
            switch programmes.count {
            case 0: "no programme is in force on \(day) (\(known))"
            case 1: "\(programmes[0].id) (\(known))\(programmes[0].nothingDue)"
            default:
                "\(programmes.map(\.id).joined(separator: " or ")): the strictest deadline holds until it is known "
                    + "(\(known))"
            }
        return ProgrammeSelection(programmes: programmes, sources: sources, reason: reason)
    }
}

extension ReportingProgramme {
    /// What a programme without reports says of that, as a further clause; empty for the others (OB-2, OB-43).
    fileprivate var nothingDue: String {
        guard mustReport.isEmpty else { return "" }
        let confidence = confidence["mustReport"] ?? Confidence(level: .assumed)
        return ": nothing is to be reported since \(effectiveFrom), \(confidence.words)"
    }
}
