package import ExternalPurchaseCore

/// Due dates as bare moments, for many tokens and line items one after another (RR-70).
///
/// Remembers which programmes remain for all that are alike in what decides about it.
package struct DueMoments {
    private struct Key: Hashable {
        let app: Int
        let storefront: StorefrontCode?
        let taxCountries: [String]
        let token: ObligationOrigin.Token
        /// How many days on which programmes change lie behind.
        let epoch: Int
    }

    private let rules: DueRules
    private let changeDays: [CalendarDate]
    private var apps: [BundleId: Int] = [:]
    /// The first few apps, at the places of their numbers.
    private var firstApps: [BundleId] = []
    private var known: [Key: [Int]] = [:]

    /// Moments under some rules.
    package init(rules: DueRules) {
        self.rules = rules
        changeDays = rules.changeDays
    }

    /// The due date of a token, reported or not.
    package mutating func moment(of token: DueToken) -> Timestamp {
        let horizon = rules.horizon(of: token).moment
        let day = CalendarDate(inUTC: token.createdAt)
        let key = Key(
            app: number(of: token.bundleId),
            storefront: token.storefront,
            // A storefront is asked before any tax country.
            taxCountries: token.storefront == nil ? token.taxCountries : [],
            token: .type(token.type),
            epoch: epoch(of: day)
        )
        let indices = known[key] ?? remember(key, rules.catalog.choice(rules.origin(of: token), on: day))
        let deadline = rules.strictest(indices, at: token.createdAt)?.moment
        return min(horizon, Timestamp(milliseconds: deadline ?? .max))
    }

    /// The due date of a line item; nil where no programme sets a deadline (OB-13).
    package mutating func moment(of item: DueLineItem) -> Timestamp? {
        let day = CalendarDate(inUTC: item.createdAt)
        let key = Key(
            app: number(of: item.bundleId),
            storefront: item.storefront,
            taxCountries: item.storefront == nil ? item.taxCountry.map { [$0] } ?? [] : [],
            token: item.tokenKind,
            epoch: epoch(of: day)
        )
        let indices = known[key] ?? remember(key, rules.catalog.choice(rules.origin(of: item), on: day))
        return (rules.strictest(indices, at: item.createdAt)?.moment).map(Timestamp.init(milliseconds:))
    }

    private mutating func remember(_ key: Key, _ choice: ProgrammeChoice) -> [Int] {
        known[key] = choice.indices
        return choice.indices
    }

    private mutating func number(of app: BundleId) -> Int {
        // Comparing is several times cheaper than hashing, and a merchant has few apps.
        if let recent = firstApps.firstIndex(of: app) { return recent }
        if let number = apps[app] { return number }
        let number = apps.count
        apps[app] = number
        if number < 4 { firstApps.append(app) }
        return number
    }

    private func epoch(of day: CalendarDate) -> Int {
        var (low, high) = (0, changeDays.count)
        while low < high {
            let middle = (low + high) / 2
            if changeDays[middle] <= day { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
