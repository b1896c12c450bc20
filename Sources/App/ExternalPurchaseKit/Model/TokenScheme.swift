public import ExternalPurchaseCore

/// Which custom link tokens an app requests in a storefront, and when (SK-59).
public enum TokenScheme: Hashable, Sendable {
    /// Tokens with a period: every type is requested at launch and before each purchase.
    case periods([TokenType])
    /// One token for each purchase, requested after the customer continued.
    case transaction(withinApp: TokenType, outOfApp: TokenType)

    /// The types of the tokens of a purchase.
    func types(of flow: ProgrammeTerms.Flow) -> [TokenType] {
        switch self {
        case .periods(let types): types
        case .transaction(let withinApp, let outOfApp): [flow == .withinApp ? withinApp : outOfApp]
        }
    }

    /// Returns the scheme of a storefront by the newest rule pack of this package; nil for a storefront in which no
    /// programme has custom links.
    ///
    /// - Parameter storefront: the alpha-3 code.
    public static func builtIn(_ storefront: String) -> TokenScheme? {
        guard let region = StorefrontCode(storefront)?.region else { return nil }
        let programmes = RulePack.newest.programmes.filter { programme in
            programme.storefronts.contains(region)
                && programme.family.split(separator: "+").contains("ExternalPurchaseCustomLink")
        }
        let types = Set(programmes.flatMap(\.tokenTypes).compactMap(\.self))
        if types.isSuperset(of: [.inApp, .linkOut]) { return .transaction(withinApp: .inApp, outOfApp: .linkOut) }
        let periods = [TokenType.acquisition, .services].filter(types.contains)
        return periods.isEmpty ? nil : .periods(periods)
    }
}
