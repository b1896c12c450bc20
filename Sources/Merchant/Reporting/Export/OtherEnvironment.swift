package import ExternalPurchaseCore

/// The records of a month in the environment that was not asked for, when the other one has none.
package struct OtherEnvironment: Hashable, Sendable {
    package let environment: AppStoreEnvironment
    let sales: Int
    let tokens: Int

    /// Creates the counts of an export; nil if it has no records either.
    package init?(_ environment: AppStoreEnvironment, _ exports: MonthExports) {
        guard !exports.isEmpty else { return nil }
        self.environment = environment
        (sales, tokens) = exports.counts
    }

    /// One sentence such as `sandbox has 2 sales and 1 token of this month`.
    package var sentence: String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        let parts = [(sales, "sale"), (tokens, "token")].filter { $0.0 > 0 }.map { count($0.0, $0.1) }
        return "\(environment.rawValue) has \(parts.joined(separator: " and ")) of this month"
    }

    /// The hint of a response.
    ///
    /// - Parameter path: the path of the request.
    func hint(path: String) -> String { "\(sentence): \(path)?environment=\(environment.rawValue)" }
}

extension AppStoreEnvironment {
    /// The environment that this one is not.
    package var other: AppStoreEnvironment { self == .production ? .sandbox : .production }
}
