import ExternalPurchaseCore
import Ledger

/// The active periods of custom link tokens by owner, with the token chosen for each period (RR-60).
struct CustomLinkPeriods {
    /// The owner of tokens: a customer, or the token itself while its customer is unknown.
    enum Owner: Hashable {
        case customer(CustomerId)
        case token(ExternalPurchaseId)
    }

    struct Period {
        let type: TokenType
        let created: Timestamp
        let expires: Timestamp
        let chosen: ExternalPurchaseId
        let trust: TokenTrust
    }

    private struct OwnerKey: Hashable {
        let owner: Owner
        let environment: AppStoreEnvironment
        let type: TokenType
    }

    private struct PeriodKey: Hashable {
        let ownerKey: OwnerKey
        let created: Timestamp
        let expires: Timestamp?
    }

    private var lines: [OwnerKey: [TokenTrust: PeriodLine]] = [:]
    private var keys: [ExternalPurchaseId: PeriodKey] = [:]
    /// The chosen token by each token of its period.
    private(set) var choices: [ExternalPurchaseId: ExternalPurchaseId] = [:]
    private(set) var owners: [ExternalPurchaseId: Owner] = [:]
    /// All owners of custom link tokens.
    private(set) var known: Set<Owner> = []

    /// - Parameters:
    ///   - links: the customers of tokens.
    ///   - reportedOn: tokens with reported sales.
    init(
        _ tokens: [ExternalPurchaseId: TokenRecord],
        _ links: CustomerLinks,
        reportedOn: Set<ExternalPurchaseId>
    ) {
        var groups: [PeriodKey: [TokenRecord]] = [:]
        for token in tokens.values where token.token.family == .customLink {
            let owner = links.customers[token.id].map(Owner.customer) ?? .token(token.id)
            owners[token.id] = owner
            known.insert(owner)
            guard token.state != .unknownToApple, let type = token.token.tokenType else { continue }
            let ownerKey = OwnerKey(owner: owner, environment: token.token.environment, type: type)
            let key = PeriodKey(
                ownerKey: ownerKey,
                created: token.token.tokenCreationDate,
                expires: token.token.tokenExpirationDate
            )
            groups[key, default: []].append(token)
            keys[token.id] = key
        }
        var periods: [OwnerKey: [Period]] = [:]
        for (key, group) in groups {
            let ranked = group.map { token in
                // A choice among the tokens of a former customer does not count.
                let isOfOwner = token.customerId.map { $0 == links.customers[token.id] } ?? true
                let rank = Rank(token, wasChosen: token.wasChosen && isOfOwner, hasSales: reportedOn.contains(token.id))
                return (rank, token.id)
            }
            guard let chosen = ranked.min(by: { $0.0 < $1.0 })?.1 else { continue }
            for token in group { choices[token.id] = chosen }
            guard let expires = key.expires else { continue }
            let period = Period(
                type: key.ownerKey.type,
                created: key.created,
                expires: expires,
                chosen: chosen,
                trust: group.lazy.map { TokenTrust($0, by: links.claims[$0.id]) }.min() ?? .claimed
            )
            periods[key.ownerKey, default: []].append(period)
        }
        for (ownerKey, list) in periods {
            lines[ownerKey] = Dictionary(grouping: list, by: \.trust).mapValues { PeriodLine($0) }
        }
    }

    /// The owner of the tokens that a sale may go on; nil if nothing leads to one.
    func owner(_ hint: CustomerLinks.CustomerHint) -> Owner? {
        hint.customer.map(Owner.customer) ?? hint.token.flatMap { owners[$0] }
    }

    /// Returns whether two tokens are of one period of one owner.
    func isSamePeriod(_ one: ExternalPurchaseId, _ other: ExternalPurchaseId) -> Bool {
        keys[one].map { $0 == keys[other] } ?? false
    }

    /// The newest active `SERVICES` period, otherwise the newest active `ACQUISITION` period (RR-60, RR-61).
    ///
    /// A period known only from the addresses of visits, which anyone can write, ranks after the others of its type
    /// (TK-76). One whose customer only public arrivals named ranks after all others, the confirmed ones first (TK-78).
    func active(for owner: Owner, in environment: AppStoreEnvironment, at moment: Timestamp) -> Period? {
        for trusted in TokenTrust.steps {
            for type in [TokenType.services, .acquisition] {
                guard let ofOwner = lines[OwnerKey(owner: owner, environment: environment, type: type)] else {
                    continue
                }
                for trust in trusted {
                    if let period = ofOwner[trust]?.newest(at: moment) { return period }
                }
            }
        }
        return nil
    }

    /// The rank of a token within its period: earlier choices first, then by order of arrival.
    private struct Rank: Comparable {
        let decided: Int
        let receivedAt: Timestamp
        let id: ExternalPurchaseId

        init(_ token: TokenRecord, wasChosen: Bool, hasSales: Bool) {
            decided =
                if wasChosen {
                    0
                } else if hasSales || token.reported.contains(.lineItem) {
                    1
                } else if token.reported.contains(.noLineItem) {
                    2
                } else {
                    token.reported.contains(.duplicateToken) ? 4 : 3
                }
            receivedAt = token.receivedAt
            id = token.id
        }

        static func < (left: Self, right: Self) -> Bool {
            (left.decided, left.receivedAt, left.id) < (right.decided, right.receivedAt, right.id)
        }
    }
}

/// Periods sorted by creation, to find the newest period that is active at a moment.
private struct PeriodLine {
    private let periods: [CustomLinkPeriods.Period]
    /// For each period, the latest end of it and all periods before it.
    private let latestEnds: [Timestamp]

    init(_ periods: [CustomLinkPeriods.Period]) {
        self.periods = periods.sorted { ($0.created, $0.expires) < ($1.created, $1.expires) }
        var latest = Timestamp(milliseconds: .min)
        latestEnds = self.periods.map { period in
            latest = max(latest, period.expires)
            return latest
        }
    }

    func newest(at moment: Timestamp) -> CustomLinkPeriods.Period? {
        var (low, high) = (0, periods.count)
        let latest = moment.upperBound
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].created <= latest { low = middle + 1 } else { high = middle }
        }
        var index = low - 1
        while index >= 0, latestEnds[index] >= moment {
            if periods[index].expires >= moment { return periods[index] }
            index -= 1
        }
        return nil
    }
}

extension TokenTrust {
    fileprivate init(_ token: TokenRecord, by claim: TokenRecord.CustomerClaim?) {
        let isConfirmed = token.state == .confirmed
        self =
            switch claim {
            case .arrival: isConfirmed ? .confirmed : .claimed
            case .some(.none), .sale, nil: isConfirmed || token.source != .website ? .vouched : .visited
            }
    }
}
