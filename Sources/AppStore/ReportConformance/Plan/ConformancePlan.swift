package import ExternalPurchaseCore

/// Which cases are played with which tokens, in which order, and which are not (CS-5).
package struct ConformancePlan: Hashable, Sendable {
    /// A case with its tokens, which are positions in the list of tokens.
    package struct Step: Hashable, Sendable {
        /// The id of the case.
        package let id: String
        /// The token of the request.
        package let token: Int?
    }

    /// A case that is not played.
    package struct Omission: Hashable, Sendable {
        /// The id of the case.
        package let id: String
        /// Why.
        package let reason: String
    }

    /// The cases to play, in this order.
    package private(set) var steps: [Step] = []
    /// The cases that are not played.
    package private(set) var notAsked: [Omission] = []

    /// What is known of a case that was played.
    package struct Played: Hashable, Sendable {
        /// The token.
        let token: Int?
        /// True when the endpoint accepted its report.
        let isAccepted: Bool
    }

    /// The choices of a run.
    package struct Options: Hashable, Sendable {
        /// True to send reports that will be accepted.
        var allowsAccepted: Bool
        /// The ids or beginnings of ids of the cases to play; empty for all.
        var only: [String]

        /// Creates choices.
        package init(allowsAccepted: Bool = false, only: [String] = []) {
            self.allowsAccepted = allowsAccepted
            self.only = only
        }

        func selects(_ item: ConformanceCase) -> Bool { only.isEmpty || only.contains { item.id.hasPrefix($0) } }
    }

    /// Plans the cases that are not played yet.
    ///
    /// Cases that leave the tokens as they are come first. Then come the reports that are accepted, each followed by
    /// the cases that must be refused after it.
    ///
    /// - Parameters:
    ///   - suite: the cases.
    ///   - tokens: the tokens in the order in which they are used up.
    ///   - options: the choices of the run.
    ///   - played: what was played so far, by id.
    ///   - now: the time, which decides whether a token has expired.
    package init(
        _ suite: ConformanceSuite,
        tokens: [ConformanceToken],
        options: Options,
        played: [String: Played] = [:],
        now: Timestamp
    ) {
        let selected = Self.selection(suite, options)
        var planner = Planner(tokens: tokens, now: now, suite: suite, selected: selected)
        for (id, entry) in played where entry.isAccepted { planner.accept(suite[id], id: id, on: entry.token) }
        let open = suite.cases.filter { played[$0.id] == nil && selected.contains($0.id) }
        let writes = { (item: ConformanceCase) in item.kind == .accepted || !item.after.isEmpty }
        for item in open.filter({ !writes($0) }) + open.filter(writes) {
            if writes(item), !options.allowsAccepted {
                notAsked.append(Omission(id: item.id, reason: Self.needsAcceptance(item)))
                continue
            }
            switch planner.token(for: item) {
            case .success(let token):
                steps.append(Step(id: item.id, token: token))
                if item.kind == .accepted { planner.accept(item, id: item.id, on: token) }
            case .failure(let reason): notAsked.append(Omission(id: item.id, reason: reason.text))
            }
        }
    }

    private static func needsAcceptance(_ item: ConformanceCase) -> String {
        item.kind == .accepted
            ? "its report is accepted and stays: needs --allow-accepted"
            : "comes after a report that is accepted and stays: needs --allow-accepted"
    }

    /// The chosen cases, with the cases that must be accepted before them.
    private static func selection(_ suite: ConformanceSuite, _ options: Options) -> Set<String> {
        suite.cases.filter(options.selects).reduce(into: Set<String>()) { ids, item in
            ids.insert(item.id)
            ids.formUnion(item.after)
        }
    }
}

/// Chooses tokens, and follows what is accepted on each.
private struct Planner {
    struct Reason: Error { let text: String }

    let tokens: [ConformanceToken]
    let now: Timestamp
    /// The selected cases that follow an accepted one, by the id of that one.
    private let followers: [String: [ConformanceCase]]
    /// The tokens on which cases are accepted.
    private var places: [String: Int] = [:]
    /// The tokens that have a `LINE_ITEM` report.
    private var reported: Set<Int> = []

    init(tokens: [ConformanceToken], now: Timestamp, suite: ConformanceSuite, selected: Set<String>) {
        self.tokens = tokens
        self.now = now
        let following = suite.cases.filter { !$0.after.isEmpty && selected.contains($0.id) }
        followers = following.reduce(into: [:]) { followers, item in
            for id in Set(item.after) { followers[id, default: []].append(item) }
        }
    }

    mutating func accept(_ item: ConformanceCase?, id: String, on token: Int?) {
        guard let item, let token else { return }
        places[id] = token
        if item.reportStatus == "LINE_ITEM" { reported.insert(token) }
    }

    func token(for item: ConformanceCase) -> Result<Int?, Reason> {
        if item.tokens.isEmpty { return .success(nil) }
        var fitting = tokens.indices.filter { fits(tokens[$0], item) }
        guard !fitting.isEmpty else { return .failure(Reason(text: Self.needs(item))) }
        if item.needsUnreported {
            fitting = fitting.filter { !reported.contains($0) }
            if fitting.isEmpty { return .failure(Reason(text: "needs a token without accepted line items")) }
        }
        if let missing = item.after.first(where: { places[$0] == nil }) {
            return .failure(Reason(text: "comes after \(missing), which is not accepted"))
        }
        let earlier = Set(item.after.compactMap { places[$0] })
        if item.needsAnotherToken {
            guard let other = fitting.first(where: { !earlier.contains($0) }) else {
                return .failure(Reason(text: "needs a second token, beside the one of \(item.after[0])"))
            }
            return .success(other)
        }
        if let place = earlier.first {
            guard earlier.count == 1, fitting.contains(place) else {
                return .failure(Reason(text: "\(Self.needs(item)) on which \(item.after[0]) was accepted"))
            }
            return .success(place)
        }
        guard item.kind == .accepted else { return .success(fitting[0]) }
        // Of equal tokens, one that is used already is used again.
        return .success(
            fitting.max { left, right in
                (dependents(of: item, on: left), reported.contains(left) ? 1 : 0, -left)
                    < (dependents(of: item, on: right), reported.contains(right) ? 1 : 0, -right)
            }
        )
    }

    /// The number of cases that can be played after the case is accepted on a token.
    private func dependents(of item: ConformanceCase, on token: Int) -> Int {
        followers[item.id]?.count { $0.needsAnotherToken || fits(tokens[token], $0) } ?? 0
    }

    private func fits(_ token: ConformanceToken, _ item: ConformanceCase) -> Bool {
        guard item.tokens.contains(token.kind) else { return false }
        let expires = token.expirationDate != nil
        guard expires == ConformanceToken.expiringKinds.contains(token.kind) else { return false }
        if item.needsExpired, token.expirationDate.map({ $0 >= now }) ?? true { return false }
        return now - ConformanceToken.maximumAge <= token.creationDate
    }

    private static func needs(_ item: ConformanceCase) -> String {
        let kinds = Set(item.tokens)
        let words =
            kinds == ConformanceToken.expiringKinds
            ? "a SERVICES or ACQUISITION token"
            : kinds.isDisjoint(with: ConformanceToken.expiringKinds) ? "a token without a period" : "a token"
        return "needs \(words) of the last 360 days" + (item.needsExpired ? " that has expired" : "")
    }
}
