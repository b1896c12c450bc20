import ExternalPurchaseCore

/// The expected state of a simulated world, maintained independently of the product.
///
/// It records the tokens of customers, payments, refunds, the merchant's requests and responses, and what Apple
/// accepted.
struct ReferenceModel: Sendable {
    struct Token: Sendable {
        var id: ExternalPurchaseId
        var text: String
        var app: Int
        /// Nil while only Apple has named the token.
        var customer: Int?
        var type: TokenType?
        var created: Timestamp
        var expires: Timestamp?
        /// The arrival at the merchant's ledger: the value of ``ReferenceModel/knowledge`` and the merchant's time.
        var arrival: (knowledge: Int, at: Timestamp)?
        /// The first notification stored in the merchant's ledger, in the same form.
        var heard: (knowledge: Int, at: Timestamp)?
        /// Whether Apple ever sent a notification about it, delivered or not.
        var isTold = false
        /// The true time at which the merchant received an `UNREPORTED` notification.
        var unreportedAt: Timestamp?
        var answeredAt: Timestamp?

        var isAnswered: Bool { answeredAt != nil }
        /// The first value of ``ReferenceModel/knowledge`` at which the ledger knew the token.
        var knownSince: Int? { [arrival?.knowledge, heard?.knowledge].compactMap { $0 }.min() }
    }

    struct Sale: Sendable {
        var number: Int
        var customer: Int
        var app: Int
        var at: Timestamp
        var kind: Kind
        /// The token that the shop names, if it was known at the time of payment.
        var named: ExternalPurchaseId?
        var checkout: Int?
        /// The arrival at the merchant's ledger, as a value of ``ReferenceModel/knowledge``.
        var arrival: Int?
        var isAcknowledged = false
        var isAccepted = false
        /// The reported amounts of a refund, on which later refunds depend.
        var reported: PaidMoney?
        /// Whether its retraction was accepted.
        var isRetracted = false
        var acceptedOn: ExternalPurchaseId?
        /// The first request body of the shop, which repetitions reuse.
        var told: JSONValue?
        /// Whether the sale or its refund amount was corrected.
        var isCorrected = false
        /// The figures in the newest accepted item of a charge.
        var figures: Figures?
        /// The lines of an order, or the shares of an order's refund.
        var parts: [Int] = []
        /// The order of a line, or the refund of a share; `place` is the position in it, from 1.
        var partOf: Int?
        var place = 0
        /// For a refund stated as a total, the sum of all refunds up to and including it, in minor units.
        var total: Int64?
        /// The reported minor units of a refund whose amount depends on other refunds.
        var derived: Int64?
        var isInMinorUnits = false

        enum Kind: Sendable {
            case paid(Action.Payment)
            /// An order of several products; each line is a sale of its own.
            case ordered(Action.Payment)
            case givenBack(of: Int, PaidMoney.GivenBack, isChargeback: Bool)
            case ended(Action.Ending)
            case reversed(chargeback: Int)
        }

        /// The id of the line item until it is reported under a new id with a numeric suffix.
        var lineItemId: String { partOf.map { "s\($0)/\(place)" } ?? "s\(number)" }
        var product: String { partOf == nil ? "gems" : "gems.\(place)" }
    }

    /// A report of one sale that the former system sent.
    struct FormerReport: Sendable {
        var sale: Int
        var token: ExternalPurchaseId
        var body: JSONValue
    }

    /// A party that a message links to another one.
    enum Party: Hashable, Sendable {
        case token(ExternalPurchaseId)
        case checkout(Int)
        case customer(Int)
    }

    private struct Tie: Sendable {
        var one: Party
        var other: Party
        var knowledge: Int
    }

    let world: Scenario.Configuration
    /// The token of each number in the scenario; several numbers may have the same token.
    var tokenNumbers: [Int: ExternalPurchaseId] = [:]
    var tokens: [ExternalPurchaseId: Token] = [:]
    private(set) var tokenOrder: [ExternalPurchaseId] = []
    /// The shop's names of checkouts.
    var checkoutNames: [Int: String] = [:]
    var sales: [Int: Sale] = [:]
    private(set) var saleOrder: [Int] = []
    /// The refunds of a sale in the order of their arrival at the ledger.
    private(set) var returns: [Int: [Int]] = [:]
    /// A counter that increases whenever the merchant learns something.
    var knowledge = 0
    private var ties: [Tie] = []
    private(set) var acceptedReports: Set<String> = []
    /// The reports of the former system by request key.
    var formerReports: [String: FormerReport] = [:]
    private(set) var violations: [Violation] = []
    /// True if the clock was ever wrong, so that times recorded by the merchant cannot be checked.
    var clockWasWrong = false

    init(_ world: Scenario.Configuration) {
        self.world = world
    }

    mutating func report(_ invariant: Invariant, _ at: Timestamp, _ detail: String) {
        violations.append(Violation(invariant: invariant, at: at, detail: detail))
    }

    func market(of sale: Sale) -> Market { world.customers[sale.customer].market }

    // MARK: Events

    mutating func mint(_ token: Token, number: Int) {
        tokenNumbers[number] = token.id
        add(token)
        // Apple may have sent a notification before the app received the token.
        tokens[token.id]?.customer = token.customer
        tokens[token.id]?.text = token.text
    }

    mutating func add(_ token: Token) {
        guard tokens[token.id] == nil else { return }
        tokens[token.id] = token
        tokenOrder.append(token.id)
    }

    mutating func add(_ sale: Sale) {
        sales[sale.number] = sale
        saleOrder.append(sale.number)
    }

    // MARK: The merchant's knowledge

    /// Records that the ledger has the token, with the links in the same message.
    mutating func arrived(_ id: ExternalPurchaseId, checkout: Int, saysCustomer: Bool, at moment: Timestamp) {
        knowledge += 1
        if tokens[id]?.arrival == nil { tokens[id]?.arrival = (knowledge, moment) }
        tie(.token(id), .checkout(checkout))
        if saysCustomer, let customer = tokens[id]?.customer { tie(.token(id), .customer(customer)) }
    }

    /// Records that the ledger has the sale.
    mutating func arrived(sale number: Int) {
        guard let sale = sales[number], sale.arrival == nil else { return }
        knowledge += 1
        for part in [number] + sale.parts {
            sales[part]?.arrival = knowledge
            if case .givenBack(let buy, _, _)? = sales[part]?.kind { returns[buy, default: []].append(part) }
        }
        switch sale.kind {
        case .givenBack: break
        case .paid(let payment), .ordered(let payment):
            let parties = self.parties(of: payment, sale)
            for (one, other) in zip(parties, parties.dropFirst()) { tie(one, other) }
        case .ended, .reversed: break
        }
    }

    mutating func acknowledged(sale number: Int) {
        arrived(sale: number)
        for part in [number] + (sales[number]?.parts ?? []) { sales[part]?.isAcknowledged = true }
    }

    private mutating func tie(_ one: Party, _ other: Party) {
        ties.append(Tie(one: one, other: other, knowledge: knowledge))
    }

    private func parties(of payment: Action.Payment, _ sale: Sale) -> [Party] {
        var parties: [Party] = []
        if let id = sale.named { parties.append(.token(id)) }
        if let checkout = sale.checkout { parties.append(.checkout(checkout)) }
        if payment.saysCustomer { parties.append(.customer(sale.customer)) }
        return parties
    }

    // MARK: Expected tokens

    /// The valid tokens of a sale at a state of the merchant's knowledge; empty when there is none (RR-60 to RR-66).
    func tokens(for sale: Sale, knowing limit: Int) -> Set<ExternalPurchaseId> {
        guard case .paid(let payment) = sale.kind else { return [] }
        func isThere(_ id: ExternalPurchaseId) -> Bool {
            tokens[id]?.knownSince.map { $0 <= limit } ?? false
        }
        var named = sale.named
        if let id = named, !isThere(id) { return [] }
        if named == nil, let checkout = sale.checkout {
            named =
                ties.lazy.filter { $0.knowledge <= limit }.compactMap { tie in
                    guard tie.other == .checkout(checkout), case .token(let id) = tie.one, isThere(id) else {
                        return nil as ExternalPurchaseId?
                    }
                    return id
                }.first
        }
        if let id = named, let token = tokens[id], token.type != .services, token.type != .acquisition { return [id] }
        let known = connected(to: parties(of: payment, sale), knowing: limit)
        let candidates = tokenOrder.compactMap { tokens[$0] }.filter { token in
            token.app == sale.app && known.contains(.token(token.id)) && isThere(token.id) && token.created <= sale.at
                && token.expires.map { sale.at <= $0 } ?? false
        }
        for type in [TokenType.services, .acquisition] {
            let ofType = candidates.filter { $0.type == type }
            guard let newest = ofType.map(\.created).max() else { continue }
            let period = ofType.filter { $0.created == newest }
            guard period.count > 1 else { return Set(period.map(\.id)) }
            // The first received token, by order of arrival or by a clock that may have been wrong.
            let byOrder = period.min { ($0.knownSince ?? 0) < ($1.knownSince ?? 0) }
            let byArrival = period.filter { $0.arrival != nil }
                .min { ($0.arrival?.knowledge ?? 0) < ($1.arrival?.knowledge ?? 0) }
            let byClock = period.min {
                ($0.arrival?.at ?? $0.heard?.at ?? $0.created, $0.id)
                    < ($1.arrival?.at ?? $1.heard?.at ?? $1.created, $1.id)
            }
            // A token with an earlier sale stays chosen, even when another token becomes known as the customer's.
            let chosen = period.filter { token in
                sales.values.contains { other in
                    other.number != sale.number && other.acceptedOn == token.id
                        && (other.arrival ?? .max) < (sale.arrival ?? .max)
                }
            }
            return Set([byOrder, byArrival, byClock].compactMap { $0?.id } + chosen.map(\.id))
        }
        return []
    }

    /// All parties that messages link to the given ones, directly or indirectly.
    private func connected(to parties: [Party], knowing limit: Int) -> Set<Party> {
        var found = Set(parties)
        var grew = true
        while grew {
            grew = false
            for tie in ties where tie.knowledge <= limit && found.contains(tie.one) != found.contains(tie.other) {
                found.formUnion([tie.one, tie.other])
                grew = true
            }
        }
        return found
    }

    /// The tokens that were valid for a sale at any time since the merchant received it.
    func permissibleTokens(for sale: Sale) -> Set<ExternalPurchaseId> {
        guard let first = sale.arrival else { return [] }
        return (first...max(first, knowledge)).reduce(into: []) { found, limit in
            found.formUnion(laterTokens(for: sale, knowing: limit))
        }
    }

    /// Like ``tokens(for:knowing:)``, also for later charges of a subscription (RR-63, RR-64).
    func laterTokens(for sale: Sale, knowing limit: Int) -> Set<ExternalPurchaseId> {
        guard let start = start(of: sale, knowing: limit), start.number != sale.number else {
            return tokens(for: sale, knowing: limit)
        }
        let first = start.acceptedOn.map { [$0] } ?? tokens(for: start, knowing: limit)
        // Expiring tokens can only have sales before their expiration.
        let active = first.filter { id in tokens[id]?.expires.map { sale.at <= $0 } ?? true }
        let isForAll = first.contains { id in tokens[id]?.expires == nil }
        return isForAll ? Set(active) : Set(active).union(tokens(for: sale, knowing: limit))
    }

    func hasBegun(subscription: Int) -> Bool {
        charges(of: subscription).contains { $0.1.event == .start }
    }

    /// Whether a later charge is possible: its subscription has a start and, inside a period, that period exists.
    func isPossible(_ charge: Action.Charge) -> Bool {
        hasBegun(subscription: charge.subscription)
            && (charge.event != .payment
                || charges(of: charge.subscription).contains { $0.1.start == charge.start && $0.1.event != .payment })
    }

    /// The charges of a subscription in order of payment.
    func charges(of subscription: Int) -> [(Sale, Action.Charge)] {
        saleOrder.compactMap { number in
            guard let sale = sales[number], case .paid(let payment) = sale.kind, let charge = payment.charge,
                charge.subscription == subscription
            else { return nil }
            return (sale, charge)
        }
    }

    /// Whether a chargeback was reversed, as far as the merchant knows.
    ///
    /// - Parameter moment: only reversals up to this time count; nil means all.
    func isReversed(_ number: Int, before moment: Timestamp? = nil, knowing limit: Int) -> Bool {
        let chargeback = sales[number]?.partOf ?? number
        return saleOrder.contains { other in
            guard let sale = sales[other], case .reversed(chargeback) = sale.kind else { return false }
            return moment.map { sale.at <= $0 } ?? true && sale.arrival.map { $0 <= limit } ?? false
        }
    }

    /// Whether a sale can be reported with the merchant's present knowledge.
    func isReportable(_ sale: Sale) -> Bool {
        guard sale.arrival != nil else { return false }
        switch sale.kind {
        case .givenBack(let buy, _, _):
            return sales[buy].map { isReportable($0) && !$0.isRetracted } ?? false
        case .paid(let payment):
            // The lines of an order are reported together.
            let others = sale.partOf.flatMap { sales[$0]?.parts }?.compactMap { sales[$0] } ?? []
            return (others + [sale]).allSatisfy { money(of: $0) != nil } && payment.hasCountry
                && !laterTokens(for: sale, knowing: knowledge).isEmpty
                && (payment.charge == nil
                    || start(of: sale, knowing: knowledge).map { $0.number == sale.number || isReportable($0) } ?? false)
        case .ended, .reversed, .ordered:
            return false
        }
    }

    // MARK: Amounts

    /// The amounts of a sale or refund.
    func money(of sale: Sale) -> PaidMoney? {
        let market = market(of: sale)
        switch sale.kind {
        case .paid(let payment):
            return PaidMoney(payment, in: market)
        case .givenBack:
            return sales[sale.number]?.reported
        case .ended, .reversed, .ordered:
            return nil
        }
    }

    /// Fixes the expected amounts of refunds of one sale that are in the same report.
    ///
    /// The last refund receives the remainder; both the order of arrival and the order of dates are valid.
    mutating func settle(_ told: [Int: PaidMoney], of buy: Int) {
        guard let bought = sales[buy], case .paid(let payment) = bought.kind else { return }
        func given(_ number: Int) -> PaidMoney.GivenBack? {
            guard let sale = sales[number], case .givenBack(_, let given, _) = sale.kind else { return nil }
            return sale.derived.map { PaidMoney.GivenBack(minor: $0, tax: nil) } ?? given
        }
        let earlier = (returns[buy] ?? []).compactMap { number -> (given: PaidMoney.GivenBack, money: PaidMoney)? in
            guard let sale = sales[number], !sale.isRetracted, let money = sale.reported, let given = given(number)
            else {
                return nil
            }
            return (given, money)
        }
        let byArrival = (returns[buy] ?? []).filter { told[$0] != nil }
        let byMoment = byArrival.sorted { left, right in
            (sales[left]?.at ?? SimulatedWorld.start, left) < (sales[right]?.at ?? SimulatedWorld.start, right)
        }
        for order in [byMoment, byArrival] {
            let market = market(of: bought)
            guard let lines = PaidMoney.returns(order.compactMap(given), after: earlier, of: payment, in: market) else {
                return
            }
            for (number, line) in zip(order, lines) { sales[number]?.reported = line }
            if zip(order, lines).allSatisfy({ told[$0] == $1 }) { return }
        }
    }

    /// The remainder of a sale after the refunds that Apple accepted.
    func net(of buy: Int) -> Int64? {
        guard let sale = sales[buy], var net = money(of: sale)?.exclusive else { return nil }
        for number in returns[buy] ?? [] {
            guard let given = sales[number], given.isAccepted, !given.isRetracted else { continue }
            net -= money(of: given)?.exclusive ?? 0
        }
        return net
    }

    mutating func accepted(sale number: Int, on token: ExternalPurchaseId?) {
        sales[number]?.isAccepted = true
        sales[number]?.acceptedOn = token
    }

    mutating func retracted(sale number: Int) { sales[number]?.isRetracted = true }

    mutating func accepted(report: String) { acceptedReports.insert(report) }

    mutating func answered(_ id: ExternalPurchaseId, at now: Timestamp) {
        guard tokens[id]?.answeredAt == nil else { return }
        tokens[id]?.answeredAt = now
    }

    /// Whether a message links the token to another party.
    func isTied(_ id: ExternalPurchaseId) -> Bool {
        ties.contains { $0.one == .token(id) } || sales.values.contains { $0.named == id && $0.arrival != nil }
    }
}
