package import ExternalPurchaseCore

/// What came in a run, and what is needed to continue it.
package struct ConformanceReport: Hashable, Sendable {
    /// A token as the report names it: without its id.
    package struct Token: Hashable, Sendable {
        /// The type, or `plain`.
        let kind: String
        /// When it was created.
        let creationDate: Timestamp
        /// When it expires; nil for never.
        let expirationDate: Timestamp?
        /// Tells it from other tokens.
        let fingerprint: String

        /// Takes what the report says of a token.
        package init(_ token: ConformanceToken) {
            kind = token.kind
            creationDate = token.creationDate
            expirationDate = token.expirationDate
            fingerprint = token.fingerprint
        }

        init(kind: String, creationDate: Timestamp, expirationDate: Timestamp?, fingerprint: String) {
            self.kind = kind
            self.creationDate = creationDate
            self.expirationDate = expirationDate
            self.fingerprint = fingerprint
        }

        var redacted: ConformanceToken {
            ConformanceToken(
                externalPurchaseId: ExternalPurchaseId(rawValue: Redaction.placeholder),
                kind: kind,
                creationDate: creationDate,
                expirationDate: expirationDate
            )
        }
    }

    /// A case that was sent and whose answer is not stored.
    struct Pending: Hashable, Sendable {
        let id: String
        let token: Int?
        let at: Timestamp
    }

    /// What came for a case.
    package struct Result: Hashable, Sendable {
        /// The id of the case.
        let id: String
        /// The position of the token.
        let token: Int?
        /// When the request was made.
        let at: Timestamp
        /// The answer.
        package let came: ConformanceAnswer
        /// True when the endpoint accepted a report.
        package let isAccepted: Bool
        /// True when the answer was lost, and a retrieval showed that the report was accepted.
        package let isRetrieved: Bool
    }

    /// The version of the data set.
    package let dataSet: String
    /// The endpoint's address.
    package let endpoint: String
    /// Makes the ids of the run.
    let seed: UInt64
    /// When the run began.
    package let startedAt: Timestamp
    /// The tokens.
    let tokens: [Token]
    /// What came, in the order of the requests.
    var results: [Result] = []
    /// The cases that are not played.
    package internal(set) var notAsked: [ConformancePlan.Omission] = []
    /// The case whose outcome is unknown.
    var pending: Pending?
    /// True when every case of the plan was played.
    package internal(set) var isComplete = false

    /// Creates the report of a new run.
    package init(dataSet: String, endpoint: String, seed: UInt64, startedAt: Timestamp, tokens: [Token]) {
        self.dataSet = dataSet
        self.endpoint = endpoint
        self.seed = seed
        self.startedAt = startedAt
        self.tokens = tokens
    }

    /// What the planner needs to know of the cases that were played.
    package func played(_ suite: ConformanceSuite) -> [String: ConformancePlan.Played] {
        Dictionary(
            results.map { ($0.id, ConformancePlan.Played(token: $0.token, isAccepted: $0.isAccepted)) }
        ) { $1 }
    }

    /// The times of the cases that were played.
    var times: [String: Timestamp] { Dictionary(results.map { ($0.id, $0.at) }) { $1 } }

    /// The positions of the tokens of the cases that were played.
    var places: [String: Int] {
        Dictionary(results.compactMap { result in result.token.map { (result.id, $0) } }) { $1 }
    }

    /// The values with which a result is compared.
    func values(of result: Result) -> CaseValues {
        CaseValues(
            seed: seed,
            id: result.id,
            token: result.token.map { tokens[$0].redacted },
            now: result.at,
            times: times,
            tokens: places.mapValues { tokens[$0].redacted }
        )
    }

    /// Whether a run with these inputs continues this one (CS-7).
    ///
    /// - Throws: what differs.
    package func check(
        dataSet: String,
        endpoint: String,
        tokens: [ConformanceToken]
    ) throws(ConformanceDataError) {
        if dataSet != self.dataSet {
            throw ConformanceDataError(
                message: "is of a run with version \(self.dataSet) of the cases, and this program has \(dataSet)"
            )
        }
        if endpoint != self.endpoint {
            throw ConformanceDataError(message: "is of a run against \(self.endpoint), not \(endpoint)")
        }
        if tokens.map(\.fingerprint) != self.tokens.map(\.fingerprint) {
            throw ConformanceDataError(
                message: "is of a run with \(self.tokens.count) other tokens, or the same in another order"
            )
        }
    }
}
