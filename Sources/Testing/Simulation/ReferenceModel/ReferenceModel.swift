import ExternalPurchaseCore

/// What is true in a world, kept by the simulation itself: who holds which token, who paid what, who got what back,
/// what the merchant was told and answered, what Apple accepted.
struct ReferenceModel: Sendable {
    struct Token: Sendable {
        var id: ExternalPurchaseId
        var text: String
        var app: Int
        /// Nil while only Apple named it.
        var customer: Int?
        var type: TokenType?
        var created: Timestamp
        var expires: Timestamp?
        /// When the merchant's ledger got it, counted in ``ReferenceModel/knowledge`` and by the merchant's clock.
        var arrival: (knowledge: Int, at: Timestamp)?
        /// When the merchant's ledger got a notification about it, counted and timed likewise.
        var heard: (knowledge: Int, at: Timestamp)?
        /// Whether Apple ever told of it, heard or not.
        var isTold = false
        /// When the merchant was told that it is unreported, by the true clock.
        var unreportedAt: Timestamp?
        var answeredAt: Timestamp?

        var isAnswered: Bool { answeredAt != nil }
        /// When the ledger knew of it at all.
        var knownSince: Int? { [arrival?.knowledge, heard?.knowledge].compactMap { $0 }.min() }
    }

    struct Sale: Sendable {
        var number: Int
        var customer: Int
        var app: Int
        var at: Timestamp
        var kind: Kind
        /// What the shop names, as far as it was known when the customer paid.
        var named: ExternalPurchaseId?
        var checkout: Int?
        /// When the merchant's ledger got it, counted in ``ReferenceModel/knowledge``.
        var arrival: Int?
        var isAcknowledged = false
        var isAccepted = false
        /// The right money of a return that was reported, which settles that of later ones.
        var reported: PaidMoney?
        /// Whether its retraction was accepted too.
        var isRetracted = false
        var acceptedOn: ExternalPurchaseId?
        /// What the shop said of it first, which it says again and again.
        var told: JSONValue?
        /// Whether somebody corrected it or what it gives back.
        var isCorrected = false
        /// What the newest accepted item of a charge states.
        var figures: Figures?
        /// The lines of an order, or the shares of a refund of one.
        var parts: [Int] = []
        /// The order of a line, or the refund of a share, and its place there from 1 on.
        var partOf: Int?
        var place = 0
        /// Of a refund that is told as a sum: all that was refunded up to and with it, in minor units.
        var total: Int64?
        /// Minor units of a return that was reported, where they follow from other returns too.
        var derived: Int64?
        var isInMinorUnits = false

        enum Kind: Sendable {
            case paid(Action.Payment)
            /// Several products at once; each line is a sale of its own.
            case ordered(Action.Payment)
            case givenBack(of: Int, PaidMoney.GivenBack, isChargeback: Bool)
            case ended(Action.Ending)
            case reversed(chargeback: Int)
        }

        /// Of the sale, and of its line item until it is reported anew under a number behind a point.
        var lineItemId: String { partOf.map { "s\($0)/\(place)" } ?? "s\(number)" }
        var product: String { partOf == nil ? "gems" : "gems.\(place)" }
    }

    /// A report of one sale that the system before the merchant's side sent.
    struct FormerReport: Sendable {
        var sale: Int
        var token: ExternalPurchaseId
        var body: JSONValue
    }

    /// What a message tied together.
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

    let world: Scenario.World
    /// The token that a number of the story stands for; several may stand for one.
    var tokenNumbers: [Int: ExternalPurchaseId] = [:]
    var tokens: [ExternalPurchaseId: Token] = [:]
    private(set) var tokenOrder: [ExternalPurchaseId] = []
    /// What the shop calls a checkout.
    var checkoutNames: [Int: String] = [:]
    var sales: [Int: Sale] = [:]
    private(set) var saleOrder: [Int] = []
    /// The returns of a sale in the order in which the ledger got them.
    private(set) var returns: [Int: [Int]] = [:]
    /// Counts what the merchant learnt.
    var knowledge = 0
    private var ties: [Tie] = []
    private(set) var acceptedReports: Set<String> = []
    /// What the system before the merchant's side reported, by the key of the report.
    var formerReports: [String: FormerReport] = [:]
    private(set) var violations: [Violation] = []
    /// A clock that was wrong once makes moments that the merchant noted worth nothing.
    var clockWasWrong = false

    init(_ world: Scenario.World) {
        self.world = world
    }

    mutating func report(_ invariant: Invariant, _ at: Timestamp, _ detail: String) {
        violations.append(Violation(invariant: invariant, at: at, detail: detail))
    }

    func market(of sale: Sale) -> Market { world.customers[sale.customer].market }

    // MARK: What happens

    mutating func mint(_ token: Token, number: Int) {
        tokenNumbers[number] = token.id
        add(token)
        // Apple may have told of it before the app asked.
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

    // MARK: What the merchant learns

    /// The ledger has the token; what came along ties it.
    mutating func arrived(_ id: ExternalPurchaseId, checkout: Int, saysCustomer: Bool, at moment: Timestamp) {
        knowledge += 1
        if tokens[id]?.arrival == nil { tokens[id]?.arrival = (knowledge, moment) }
        tie(.token(id), .checkout(checkout))
        if saysCustomer, let customer = tokens[id]?.customer { tie(.token(id), .customer(customer)) }
    }

    /// The ledger has the sale.
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

    // MARK: Which token

    /// The tokens that may carry a sale by what the merchant knew at a time; empty when none may (RR-60 to RR-66).
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
            // The one received first, by the order of arrival or by a clock that may have been wrong then.
            let byOrder = period.min { ($0.knownSince ?? 0) < ($1.knownSince ?? 0) }
            let byArrival = period.filter { $0.arrival != nil }
                .min { ($0.arrival?.knowledge ?? 0) < ($1.arrival?.knowledge ?? 0) }
            let byClock = period.min {
                ($0.arrival?.at ?? $0.heard?.at ?? $0.created, $0.id)
                    < ($1.arrival?.at ?? $1.heard?.at ?? $1.created, $1.id)
            }
            // What an earlier sale was reported on stays the choice, also when another one becomes known as theirs.
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

    /// All that messages tied to some parties, directly or by way of others.
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

    /// The tokens that may carry a sale by what the merchant knew at some time since it was told.
    func permissibleTokens(for sale: Sale) -> Set<ExternalPurchaseId> {
        guard let first = sale.arrival else { return [] }
        return (first...max(first, knowledge)).reduce(into: []) { found, limit in
            found.formUnion(laterTokens(for: sale, knowing: limit))
        }
    }

    /// As ``tokens(for:knowing:)``, for the later charges of a subscription too (RR-63, RR-64).
    func laterTokens(for sale: Sale, knowing limit: Int) -> Set<ExternalPurchaseId> {
        guard let start = start(of: sale, knowing: limit), start.number != sale.number else {
            return tokens(for: sale, knowing: limit)
        }
        let first = start.acceptedOn.map { [$0] } ?? tokens(for: start, knowing: limit)
        // Tokens that expire carry only what was sold before.
        let active = first.filter { id in tokens[id]?.expires.map { sale.at <= $0 } ?? true }
        let isForAll = first.contains { id in tokens[id]?.expires == nil }
        return isForAll ? Set(active) : Set(active).union(tokens(for: sale, knowing: limit))
    }

    func hasBegun(subscription: Int) -> Bool {
        charges(of: subscription).contains { $0.1.event == .start }
    }

    /// Whether a later charge goes on from something: from a beginning, and inside a period from that period.
    func isPossible(_ charge: Action.Charge) -> Bool {
        hasBegun(subscription: charge.subscription)
            && (charge.event != .payment
                || charges(of: charge.subscription).contains { $0.1.start == charge.start && $0.1.event != .payment })
    }

    /// The charges of a subscription in the order of payment.
    func charges(of subscription: Int) -> [(Sale, Action.Charge)] {
        saleOrder.compactMap { number in
            guard let sale = sales[number], case .paid(let payment) = sale.kind, let charge = payment.charge,
                charge.subscription == subscription
            else { return nil }
            return (sale, charge)
        }
    }

    /// Whether the merchant won the money of a chargeback back, as far as it was told.
    ///
    /// - Parameter moment: of what happened up to then; nil for all.
    func isReversed(_ number: Int, before moment: Timestamp? = nil, knowing limit: Int) -> Bool {
        let chargeback = sales[number]?.partOf ?? number
        return saleOrder.contains { other in
            guard let sale = sales[other], case .reversed(chargeback) = sale.kind else { return false }
            return moment.map { sale.at <= $0 } ?? true && sale.arrival.map { $0 <= limit } ?? false
        }
    }

    /// Whether a sale can be reported by all that the merchant knows now.
    func isReportable(_ sale: Sale) -> Bool {
        guard sale.arrival != nil else { return false }
        switch sale.kind {
        case .givenBack(let buy, _, _):
            return sales[buy].map { isReportable($0) && !$0.isRetracted } ?? false
        case .paid(let payment):
            // The lines of an order go into one report.
            let others = sale.partOf.flatMap { sales[$0]?.parts }?.compactMap { sales[$0] } ?? []
            return (others + [sale]).allSatisfy { money(of: $0) != nil } && payment.hasCountry
                && !laterTokens(for: sale, knowing: knowledge).isEmpty
                && (payment.charge == nil
                    || start(of: sale, knowing: knowledge).map { $0.number == sale.number || isReportable($0) } ?? false)
        case .ended, .reversed, .ordered:
            return false
        }
    }

    // MARK: What was paid

    /// The money of a sale or return.
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

    /// Settles the right money of returns of one sale that one report tells.
    ///
    /// Which of them uses up the sale depends on their order; that of arrival and that of the events are both right.
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

    /// What is left of a sale after the returns that Apple accepted.
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

    /// Whether a message tied the token to anything.
    func isTied(_ id: ExternalPurchaseId) -> Bool {
        ties.contains { $0.one == .token(id) } || sales.values.contains { $0.named == id && $0.arrival != nil }
    }
}
