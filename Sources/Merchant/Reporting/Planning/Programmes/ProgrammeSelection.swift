package import ExternalPurchaseCore

/// The known facts about the region of a token or sale (OB-11).
package struct ObligationOrigin: Hashable, Sendable {
    /// The known type of the token.
    package enum Token: Hashable, Sendable {
        /// There is no token.
        case none
        /// The type of the token; nil for a plain token.
        case type(TokenType?)
    }

    /// The storefront given when the token was received.
    var storefront: StorefrontCode?
    /// The tax countries of the sale, or of the token's sales, ISO 3166-1 alpha-3; a customer of any country can buy
    /// with a token.
    var taxCountries: [String]
    /// The token's type, if there is a token.
    var token: Token
    /// The app's configured programmes: ids of entries or of rule packs.
    var appProgrammes: [String]
    /// The moment by which one of several possible programmes is taken: the creation of the token, else that of the buy
    /// of a refund; nil for the moment of the subject itself.
    var decidedAt: Timestamp?

    package init(
        storefront: StorefrontCode? = nil,
        taxCountries: [String] = [],
        token: Token,
        appProgrammes: [String] = [],
        decidedAt: Timestamp? = nil
    ) {
        self.storefront = storefront
        self.taxCountries = taxCountries
        self.token = token
        self.appProgrammes = appProgrammes
        self.decidedAt = decidedAt
    }
}

/// The possible programmes of a token or sale, with the reason (OB-10 to OB-13).
package struct ProgrammeSelection: Hashable, Sendable {
    /// A fact that narrowed the selection.
    enum Source: String, Hashable, Sendable, CaseIterable {
        case storefront, taxCountry, tokenType, appProgrammes
    }

    /// The possible programmes in catalog order; empty means the flag `no-programme` (OB-13).
    package let programmes: [ReportingProgramme]
    /// The facts that narrowed the selection, in the order of OB-11.
    let sources: [Source]
    /// The reason as text.
    package let reason: String

    /// True while several programmes are possible, of which the one with the earliest deadline applies.
    var isOpen: Bool { programmes.count > 1 }
}

extension ProgrammeCatalog {
    /// Selects the possible programmes of a token or sale.
    ///
    /// A storefront determines the region; if no programme is in force there, the result is empty (OB-13). Then the type
    /// of the token, the configured programmes and the tax countries narrow the result, in this order. A fact that
    /// contradicts the earlier ones is ignored, and the reason mentions it.
    ///
    /// Without a token nothing shows that a programme applies: a tax country determines the region, and one in which no
    /// programme of the app is in force has none.
    ///
    /// - Parameters:
    ///   - origin: the known facts.
    ///   - moment: the creation date of the token or line item (OB-10).
    func select(_ origin: ObligationOrigin, at moment: Timestamp) -> ProgrammeSelection {
        choice(origin, on: CalendarDate(inUTC: moment)).selection(in: self)
    }

    func choice(_ origin: ObligationOrigin, on day: CalendarDate) -> ProgrammeChoice {
        var choice = ProgrammeChoice(day: day)
        choice.indices = indices(inForceOn: day)
        let names = Set(origin.appProgrammes)
        func isOfApp(_ index: Int) -> Bool {
            names.contains(programmes[index].id) || !names.isDisjoint(with: programmes[index].clientProgrammes)
        }
        let isRegionKnown = origin.storefront != nil || origin.token == .none
        if let storefront = origin.storefront {
            choice.keep(by: .storefront, "storefront \(storefront)", inForce(in: [storefront.region], on: day))
        } else if isRegionKnown, !origin.taxCountries.isEmpty {
            choice.keep(by: .taxCountry, origin.taxCountryWords, inForce(in: origin.taxRegions, on: day))
            if !names.isEmpty, !choice.indices.isEmpty, !choice.indices.contains(where: isOfApp) {
                choice.keep(by: .appProgrammes, "the app's programmes", isOfApp)
            }
        }
        guard !choice.indices.isEmpty else { return choice }
        if case .type(let type) = origin.token {
            let name = type.map { "token type \($0)" } ?? "plain token"
            choice.narrow(by: .tokenType, name) { programmes[$0].tokenTypes.contains(type) }
        }
        if !names.isEmpty { choice.narrow(by: .appProgrammes, "the app's programmes", isOfApp) }
        if !isRegionKnown, !origin.taxCountries.isEmpty {
            choice.narrow(by: .taxCountry, origin.taxCountryWords, inForce(in: origin.taxRegions, on: day))
        }
        return choice
    }

    private func inForce(in regions: [String?], on day: CalendarDate) -> (Int) -> Bool {
        { index in
            regions.contains { region in region.flatMap { spans[index].regions[$0] }.map { $0 <= day } ?? false }
        }
    }
}

extension ObligationOrigin {
    fileprivate var taxCountryWords: String { "tax country \(taxCountries.joined(separator: ", "))" }
    fileprivate var taxRegions: [String?] { taxCountries.map { Country.alpha3($0)?.region } }
}

/// A selection by catalog indices, cheap enough to compute for every token.
struct ProgrammeChoice: Hashable, Sendable {
    let day: CalendarDate
    var indices: [Int] = []
    var sources: [ProgrammeSelection.Source] = []
    var words: [String] = []

    init(day: CalendarDate) {
        self.day = day
    }

    /// Keeps what a fact decides, even if nothing is left.
    mutating func keep(by source: ProgrammeSelection.Source, _ name: String, _ isLeft: (Int) -> Bool) {
        sources.append(source)
        words.append(name)
        indices = indices.filter(isLeft)
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
    /// The clause for a programme that needs no reports; empty for other programmes (OB-2, OB-43).
    fileprivate var nothingDue: String {
        guard mustReport.isEmpty else { return "" }
        let confidence = confidence["mustReport"] ?? Confidence(level: .assumed)
        return ": nothing is to be reported since \(effectiveFrom), \(confidence.words)"
    }
}
