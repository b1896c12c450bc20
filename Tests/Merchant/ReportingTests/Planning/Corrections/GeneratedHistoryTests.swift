import ExternalPurchaseCore
import Testing

@testable import ReportValidation
@testable import Reporting

@Suite("Plans over generated histories (RR-20 to RR-23, RR-80 to RR-84)")
struct GeneratedHistoryTests {
    private static let seedsPerBatch = 75

    @Test(
        "A plan without refusal is accepted step by step, ends at the nets of the books, and can be undone",
        arguments: 0..<8
    )
    func corrections(batch: Int) throws {
        for seed in batch * Self.seedsPerBatch..<(batch + 1) * Self.seedsPerBatch {
            var history = GeneratedHistory(seed: UInt64(seed))
            try history.sell()
            for _ in 0..<4 { try history.correct() }
            #expect(history.problems.isEmpty, "seed \(seed)")
            if !history.problems.isEmpty { return }
        }
    }

    @Test("The generated requests reach every path: each kind is allowed often and refused often")
    func coverage() throws {
        var allowed: [String: Int] = [:]
        var refused: [String: Int] = [:]
        var severalReports = 0
        for seed in 10_000..<UInt64(10_150) {
            var history = GeneratedHistory(seed: seed)
            try history.sell()
            for _ in 0..<4 { try history.correct() }
            allowed.merge(history.allowed, uniquingKeysWith: +)
            refused.merge(history.refused, uniquingKeysWith: +)
            severalReports += history.severalReports
        }
        for kind in GeneratedHistory.Kind.allCases {
            #expect(allowed[kind.rawValue, default: 0] > 8, "\(kind)")
            #expect(refused[kind.rawValue, default: 0] > 3, "\(kind)")
        }
        #expect(severalReports > 40)
    }
}

extension GeneratedHistoryTests {
    @Test(
        "Whatever is asked for together, what the plan allows is accepted with the nets that follow",
        arguments: 0..<4
    )
    func mixtures(batch: Int) throws {
        var allowed = 0
        for seed in 20_000 + batch * 75..<20_000 + (batch + 1) * 75 {
            var history = GeneratedHistory(seed: UInt64(seed))
            try history.sell()
            for _ in 0..<3 { allowed += try history.correctAnyhow() ? 1 : 0 }
            #expect(history.problems.isEmpty, "seed \(seed)")
            if !history.problems.isEmpty { return }
        }
        #expect(allowed > 30)
    }
}

/// One shop's sales and corrections, played against the rules and written into the books.
struct GeneratedHistory {
    enum Kind: String, CaseIterable {
        case amounts, country, currency, retract, undo, date, token
    }

    private(set) var problems: [String] = []
    private(set) var allowed: [String: Int] = [:]
    private(set) var refused: [String: Int] = [:]
    private(set) var severalReports = 0
    private var dice: SplitMix64
    private var shop = Shop()
    private var books = BookOfSales()
    private let tokens: [ExternalPurchaseId] = [Shop.plain, Shop.otherPlain, Shop.services]
    private static let year = 365 * Shop.day
    private static let countries = ["AUT", "DEU", "FRA", "ITA"]

    init(seed: UInt64) {
        dice = SplitMix64(seed: seed)
    }

    // MARK: The history

    /// Sells, refunds and retracts, each in a report of its own, and leaves some refunds behind.
    mutating func sell() throws {
        for number in 1...Int(dice.number(1...3)) {
            let token = dice.pick(tokens)
            let date = Shop.now.advanced(by: .milliseconds(-dice.number(20...380) * Shop.day))
            let id = LineItemId("b\(number)")
            let isSubscription = dice.happens(40)
            guard try add(id, nil, isRefund: false, isSubscription: isSubscription, token, date) else { continue }
            try addRefunds(of: id)
            guard isSubscription else { continue }
            for event in 0..<Int(dice.number(0...3)) {
                let eventId = LineItemId("\(id)e\(event)")
                let later = date.advanced(by: .milliseconds(dice.number(0...9) * Shop.day))
                let place = dice.happens(60) ? token : dice.pick(tokens)
                guard try add(eventId, id, isRefund: false, isSubscription: true, place, later) else { continue }
                try addRefunds(of: eventId)
            }
        }
        for id in books.rows.keys.sorted() where books.rows[id]?.isLive == true && dice.happens(15) {
            // Outermost first, each alone, as a careful person would.
            for item in books.tree(of: id).reversed() {
                guard isRecent(item) else { break }
                books.rows[item.id]?.isLive = false
                try sendRow(item.id, .retraction)
            }
        }
        for id in books.rows.keys.sorted() {
            guard let row = books.rows[id], row.isLive, !row.isRefund, isRecent(row), dice.happens(15) else { continue }
            books.rows[id]?.country = dice.pick(Self.countries)
            try sendRow(id, .restatement)
        }
    }

    private mutating func addRefunds(of buy: LineItemId) throws {
        for number in 0..<Int(dice.number(0...3)) {
            guard let row = books.rows[buy] else { return }
            let token = dice.happens(70) ? row.token : dice.pick(tokens)
            let date = row.date.advanced(by: .milliseconds(dice.number(0...9) * Shop.day))
            _ = try add(LineItemId("\(buy)r\(number)"), buy, isRefund: true, isSubscription: false, token, date)
        }
    }

    private mutating func add(
        _ id: LineItemId,
        _ reference: LineItemId?,
        isRefund: Bool,
        isSubscription: Bool,
        _ token: ExternalPurchaseId,
        _ date: Timestamp
    ) throws -> Bool {
        guard isRefund || covers(token, date) else { return false }
        let most = isRefund ? books.net(of: reference ?? id) : 2_000
        let exclusive = dice.happens(20) ? most : dice.number(0...most)
        books.rows[id] = BookOfSales.Row(
            id: id,
            token: token,
            reference: reference,
            isRefund: isRefund,
            isSubscription: isSubscription,
            date: date,
            exclusive: exclusive,
            tax: dice.number(0...300)
        )
        try sendRow(id, .original)
        return true
    }

    private mutating func sendRow(_ id: LineItemId, _ version: LineItem.Version) throws {
        guard let row = books.rows[id] else { return }
        let errors = try shop.send([item(row, version)], on: row.token)
        if !errors.isEmpty { problems.append("the history itself is refused: \(id) \(errors)") }
    }

    private func item(_ row: BookOfSales.Row, _ version: LineItem.Version) -> LineItem {
        let net = books.net(for: row)
        var item: LineItem =
            if row.isRefund {
                refund(row.id, of: row.reference ?? "", row.exclusive, net: net, at: row.date)
            } else if row.isSubscription {
                event(
                    row.id,
                    row.exclusive,
                    row.reference == nil ? .start : .renewal,
                    of: row.reference,
                    at: row.date
                )
            } else {
                buy(row.id, row.exclusive, at: row.date)
            }
        item.amounts.tax = MilliUnits(row.tax)
        item.amounts.netTaxExclusive = MilliUnits(net)
        item.taxCountry = row.country
        item.version = version
        return item
    }

    private func covers(_ token: ExternalPurchaseId, _ date: Timestamp) -> Bool {
        token != Shop.services
            || Shop.date("2025-11-15T00:00:00Z") <= date && date <= Shop.date("2026-11-15T00:00:00Z")
    }

    private func isRecent(_ row: BookOfSales.Row) -> Bool {
        Shop.now.milliseconds - row.date.milliseconds <= Self.year
    }

    // MARK: Corrections

    /// Asks for one correction, knows from the books alone whether it can be, and compares.
    mutating func correct() throws {
        let ids = books.rows.keys.sorted()
        guard !ids.isEmpty, let row = books.rows[dice.pick(ids)] else { return }
        let kind = dice.pick(Kind.allCases)
        let before = books
        shop.limits = ReportLimits()
        let (requests, isPossible) = ask(kind, row)
        guard !requests.isEmpty else { return }
        let plan = shop.plan(requests)
        if isPossible {
            allowed[kind.rawValue, default: 0] += 1
        } else {
            refused[kind.rawValue, default: 0] += 1
            books = before
        }
        var told: [String] = []
        defer { problems += told.map { "\($0)\n\(requests)\n\(plan.text)" } }
        func tell(_ text: String) { told.append(text) }
        if plan.isAllowed != isPossible { return tell("possible \(isPossible), allowed \(plan.isAllowed)") }
        guard plan.isAllowed else { return }
        if plan.steps.count > 1 { severalReports += 1 }
        if plan.steps.contains(where: { !$0.predictedErrors.isEmpty }) { tell("errors are predicted") }
        let known = shop.accepted.newest
        if kind == .currency { adoptDerivedAmounts(from: plan, tell) }
        for (step, errors) in zip(plan.steps, try shop.send(plan)) where !errors.isEmpty {
            tell("\(step.externalPurchaseId) is refused: \(errors)")
        }
        compare(with: plan, tell)
        if kind == .retract || kind == .amounts || kind == .undo, dice.happens(50) {
            try undo(plan, to: before, known: known, tell)
        }
    }

    /// Asks for several things at once, sensible or not; only the endpoint and a sum over what it holds decide.
    mutating func correctAnyhow() throws -> Bool {
        let ids = shop.accepted.newest.keys.sorted()
        guard !ids.isEmpty else { return false }
        shop.settings.restatementAcrossTokens = dice.happens(50) ? .allow : .refuse
        shop.settings.refundWindowEnd = dice.happens(50) ? .now : .refundDate
        shop.limits = ReportLimits(lineItems: dice.happens(80) ? 1_000 : Int(dice.number(1...4)))
        let requests = (1...dice.number(1...3)).map { _ in anyRequest(ids) }
        let plan = shop.plan(requests)
        let answers = try shop.send(plan)
        if !answers.allSatisfy(\.isEmpty) { problems.append("refused: \(answers)\n\(requests)\n\(plan.text)") }
        if !doubled(in: plan).isEmpty { problems.append("\(doubled(in: plan)) stand twice\n\(plan.text)") }
        if !plan.isAllowed { return false }
        var last: [LineItemId: Int64] = [:]
        for item in plan.steps.flatMap(\.items).map(\.item.asReceived) {
            guard let id = item.eventType == .refund ? item.referenceLineItemId : item.lineItemId else { continue }
            last[id] = item.netAmountTaxExclusive
        }
        for (buy, net) in last {
            var sum = shop[buy]?.amountTaxExclusive ?? 0
            for refund in shop.accepted.newest.values.map(\.item)
            where refund.eventType == .refund && refund.referenceLineItemId == buy
                && refund.erroneouslySubmitted != true
            {
                sum -= refund.amountTaxExclusive ?? 0
            }
            if shop[buy]?.erroneouslySubmitted == true { sum = 0 }
            if sum != net { problems.append("net of \(buy): \(net) instead of \(sum)\n\(requests)\n\(plan.text)") }
        }
        return true
    }

    private mutating func anyRequest(_ ids: [LineItemId]) -> CorrectionRequest {
        let id = dice.pick(ids)
        let reference = dice.pick(ids)
        var fields = CorrectedFields()
        if dice.happens(60) { fields.taxExclusive = MilliUnits(dice.number(0...2_000)) }
        if dice.happens(30) { fields.tax = MilliUnits(dice.number(0...500)) }
        if dice.happens(30) { fields.taxCountry = dice.pick(Self.countries) }
        if dice.happens(15) {
            fields.pricingCurrency = dice.pick(["EUR", "USD", "ISK"])
            fields.reportingCurrency = fields.pricingCurrency == "ISK" ? "EUR" : fields.pricingCurrency
            if fields.pricingCurrency == "ISK" { fields.exchangeRate = ExchangeRate("0.0069") }
        }
        if dice.happens(10) { fields.reference = reference }
        if dice.happens(5) { fields.subscriptionEvent = dice.pick(SubscriptionEvent.all) }
        let days = dice.number(-20...20)
        let bought = shop[id]?.creationDate ?? 0
        let date = Timestamp(milliseconds: bought).advanced(by: .days(days))
        let token = dice.pick(tokens)
        if shop[id]?.erroneouslySubmitted == true, dice.happens(90) {
            return .undo(id, dice.happens(50) ? fields : CorrectedFields())
        }
        switch dice.number(0...9) {
        case 0: return .undo(id)
        case 1: return .chargebackReversal(refund: id)
        case 2: return .retract(id)
        case 3: return .moveDate(id, to: date)
        case 4: return .move(id, Relocation(externalPurchaseId: token, fields: fields))
        default: return .restate(id, fields, refunds: dice.happens(80) ? .along : .leftBehind)
        }
    }

    private mutating func ask(_ kind: Kind, _ row: BookOfSales.Row) -> ([CorrectionRequest], Bool) {
        switch kind {
        case .amounts: askAmounts(row)
        case .country: askCountry(row)
        case .currency: askCurrency(row)
        case .retract: askRetraction(row)
        case .undo: askUndo(row)
        case .date: askDate(row)
        case .token: askToken(row)
        }
    }

    /// Some items of one net group, over whatever tokens they sit on.
    private mutating func askAmounts(_ row: BookOfSales.Row) -> ([CorrectionRequest], Bool) {
        let buy = row.isRefund ? row.reference ?? row.id : row.id
        let group = [buy] + books.standing(on: buy).filter(\.isRefund).map(\.id)
        var chosen = group.filter { _ in dice.happens(60) }
        if chosen.isEmpty { chosen = [row.id] }
        var isPossible = true
        var requests: [CorrectionRequest] = []
        for id in chosen {
            guard let old = books.rows[id] else { continue }
            let exclusive = (old.exclusive + dice.number(1...1_500)) % 2_001
            requests.append(.restate(id, CorrectedFields { $0.taxExclusive = MilliUnits(exclusive) }))
            if !old.isLive || !isRecent(old) || exclusive == old.exclusive { isPossible = false }
            books.rows[id]?.exclusive = exclusive
            if old.isRefund { agree(id) }
        }
        // A buy with other amounts takes its refunds along, one that was left behind included: each keeps what it gave
        // back (RR-83).
        if chosen.contains(buy) { for refund in books.standing(on: buy) where refund.isRefund { agree(refund.id) } }
        return (requests, isPossible && books.net(of: buy) >= 0)
    }

    private mutating func askCountry(_ row: BookOfSales.Row) -> ([CorrectionRequest], Bool) {
        let country = dice.pick(Self.countries.filter { $0 != row.country })
        let request = CorrectionRequest.restate(row.id, CorrectedFields { $0.taxCountry = country })
        let buysCountry = row.reference.flatMap { books.rows[$0]?.country }
        let isPossible = row.isLive && isRecent(row) && (!row.isRefund || buysCountry == country)
        books.rows[row.id]?.country = country
        if !row.isRefund {
            for refund in books.standing(on: row.id) where refund.isRefund { books.rows[refund.id]?.country = country }
        }
        return ([request], isPossible)
    }

    private mutating func askCurrency(_ row: BookOfSales.Row) -> ([CorrectionRequest], Bool) {
        guard !row.isRefund else { return ([], false) }
        let currency = row.currency == "EUR" ? "USD" : "EUR"
        let (exclusive, tax) = (dice.number(0...5_000), dice.number(0...1_000))
        let request = CorrectionRequest.restate(
            row.id,
            CorrectedFields {
                $0.pricingCurrency = currency
                $0.reportingCurrency = currency
                $0.taxExclusive = MilliUnits(exclusive)
                $0.tax = MilliUnits(tax)
            }
        )
        books.rows[row.id]?.currency = currency
        books.rows[row.id]?.exclusive = exclusive
        books.rows[row.id]?.tax = tax
        for refund in books.standing(on: row.id) where refund.isRefund { agree(refund.id) }
        return ([request], row.isLive && isRecent(row))
    }

    private mutating func askRetraction(_ row: BookOfSales.Row) -> ([CorrectionRequest], Bool) {
        if dice.happens(30) { shop.limits = ReportLimits(lineItems: Int(dice.number(1...3))) }
        for item in books.tree(of: row.id) {
            books.rows[item.id]?.isLive = false
            agree(item.id)
        }
        return ([.retract(row.id)], row.isLive && isRecent(row))
    }

    private mutating func askUndo(_ row: BookOfSales.Row) -> ([CorrectionRequest], Bool) {
        // Most rows stand: prefer one that does not, with all that was retracted on it.
        let retracted = books.rows.values.filter { !$0.isLive }.sorted { $0.id < $1.id }
        let root = retracted.isEmpty || dice.happens(15) ? row : dice.pick(retracted)
        var undone = [root]
        if dice.happens(60) {
            var open = [root.id]
            while let id = open.popLast() {
                for item in retracted where item.reference == id {
                    undone.append(item)
                    open.append(item.id)
                }
            }
        }
        if dice.happens(30) { shop.limits = ReportLimits(lineItems: Int(dice.number(1...3))) }
        for item in undone { books.rows[item.id]?.isLive = true }
        var isPossible = true
        for item in undone {
            let target = item.reference.flatMap { books.rows[$0] }
            if item.isLive || !isRecent(item) || target?.isLive == false { isPossible = false }
            if item.isRefund, target?.currency != item.currency { isPossible = false }
            agree(item.id)
        }
        for item in undone where books.net(for: item) < 0 { isPossible = false }
        return (undone.map { .undo($0.id) }, isPossible)
    }

    private mutating func askDate(_ row: BookOfSales.Row) -> ([CorrectionRequest], Bool) {
        let date = row.date.advanced(by: .milliseconds(dice.number(-12...12) * Shop.day + dice.number(1...3)))
        var isPossible = row.isLive && isRecent(row) && date <= Shop.now + .minutes(5)
        if !row.isRefund { isPossible = isPossible && covers(row.token, date) }
        if let target = row.reference.flatMap({ books.rows[$0] }) {
            isPossible = isPossible && target.date <= date
            if row.isRefund { isPossible = isPossible && date.milliseconds - target.date.milliseconds <= Self.year }
        }
        for item in books.standing(on: row.id) { isPossible = isPossible && date <= item.date }
        move(row.id) { $0.date = date }
        return ([.moveDate(row.id, to: date)], isPossible)
    }

    private mutating func askToken(_ row: BookOfSales.Row) -> ([CorrectionRequest], Bool) {
        if dice.happens(30) { shop.limits = ReportLimits(lineItems: Int(dice.number(1...3))) }
        let token = dice.pick(tokens)
        let isPossible =
            row.isLive && isRecent(row) && token != row.token && (row.isRefund || covers(token, row.date))
        move(row.id) { $0.token = token }
        return ([.moveToken(row.id, to: token)], isPossible)
    }

    /// Retracts a tree and writes it down anew, the root changed.
    private mutating func move(_ id: LineItemId, _ change: (inout BookOfSales.Row) -> Void) {
        var successors: [LineItemId: LineItemId] = [:]
        for old in books.tree(of: id) {
            let successor = books.successor(of: old.id)
            successors[old.id] = successor
            var new = BookOfSales.Row(
                id: successor,
                token: old.token,
                reference: old.reference.map { successors[$0] ?? $0 },
                isRefund: old.isRefund,
                isSubscription: old.isSubscription,
                date: old.date,
                exclusive: old.exclusive,
                tax: old.tax,
                country: old.country,
                currency: old.currency
            )
            if old.id == id {
                change(&new)
            } else if let reference = old.reference, let target = books.rows[reference],
                let newTarget = successors[reference].flatMap({ books.rows[$0] }),
                old.isRefund || old.token == target.token && covers(newTarget.token, old.date)
            {
                new.token = newTarget.token
            }
            books.rows[old.id]?.isLive = false
            books.rows[successor] = new
            agree(old.id)
            agree(successor)
        }
    }

    /// A refund says what its buy says.
    private mutating func agree(_ id: LineItemId) {
        guard let row = books.rows[id], row.isRefund, let buy = row.reference.flatMap({ books.rows[$0] }) else {
            return
        }
        books.rows[id]?.country = buy.country
        books.rows[id]?.currency = buy.currency
    }

    // MARK: Comparison

    /// Takes over the amounts of refunds that share a buy's new amounts, after looking that they are its share.
    private mutating func adoptDerivedAmounts(from plan: CorrectionPlan, _ tell: (String) -> Void) {
        guard let buy = plan.steps.flatMap(\.items).first(where: { $0.cause == .requested }), let old = buy.before
        else { return }
        let oldTotal = Double(old.amounts.taxInclusive.value)
        let newTotal = Double(buy.item.amounts.taxInclusive.value)
        for correction in plan.steps.flatMap(\.items) where correction.item.version == .restatement {
            let id = correction.item.lineItemId
            guard let row = books.rows[id], row.isRefund else { continue }
            let share = oldTotal == 0 ? 0 : Double(row.exclusive + row.tax) / oldTotal * newTotal
            let amounts = correction.item.amounts
            // Each rounding is half a milli-unit; clipping and the remainder collect those of the others.
            let isClipped = amounts.taxInclusive.value <= Int64(share) + 1
            if abs(Double(amounts.taxInclusive.value) - share) > 4, !isClipped { tell("\(id) is no share: \(share)") }
            books.rows[id]?.exclusive = amounts.taxExclusive.value
            books.rows[id]?.tax = amounts.tax.value
        }
    }

    /// The new items that are reported before those they replace are retracted: sales that would stand twice (RR-81).
    private func doubled(in plan: CorrectionPlan) -> [LineItemId] {
        var retracted: Set<LineItemId> = []
        var doubled: [LineItemId] = []
        for step in plan.steps {
            retracted.formUnion(step.items.filter { $0.action == .retract }.map(\.item.lineItemId))
            for item in step.items {
                if case .replaces(let old) = item.cause, !retracted.contains(old) {
                    doubled.append(item.item.lineItemId)
                }
            }
        }
        return doubled
    }

    /// Compares what the endpoint holds with the books.
    private func compare(with plan: CorrectionPlan, _ tell: (String) -> Void) {
        if !doubled(in: plan).isEmpty { tell("\(doubled(in: plan)) stand twice for a while") }
        for (id, row) in books.rows {
            guard let accepted = shop.accepted.newest[id] else { return tell("\(id) was never accepted") }
            let item = accepted.item
            let held = BookOfSales.Row(
                id: id,
                token: accepted.externalPurchaseId,
                reference: item.referenceLineItemId,
                isRefund: item.eventType == .refund,
                isSubscription: item.productType == .subscription,
                date: Timestamp(milliseconds: item.creationDate ?? 0),
                exclusive: item.amountTaxExclusive ?? 0,
                tax: item.taxAmount ?? 0,
                country: item.taxCountry ?? "",
                currency: item.reportingCurrency ?? "",
                isLive: item.erroneouslySubmitted != true
            )
            if held != row { tell("\(id): the books say \(row), the endpoint \(held)") }
        }
        if shop.accepted.newest.count != books.rows.count { tell("the endpoint holds items that nobody booked") }
        // The last word on each group is its net at the end.
        var last: [LineItemId: Int64] = [:]
        for item in plan.steps.flatMap(\.items).map(\.item) {
            guard let row = books.rows[item.lineItemId] else { continue }
            last[row.isRefund ? row.reference ?? row.id : row.id] = item.amounts.netTaxExclusive.value
        }
        for (buy, net) in last where net != books.net(of: buy) {
            tell("net of \(buy): \(net) instead of \(books.net(of: buy))")
        }
    }

    /// Undoes the plan and looks that every value is as it was before, except that a retraction made it agree.
    private mutating func undo(
        _ plan: CorrectionPlan,
        to before: BookOfSales,
        known: [LineItemId: AcceptedLineItem],
        _ tell: (String) -> Void
    ) throws {
        shop.limits = ReportLimits()
        let touched = plan.steps.flatMap(\.items).map(\.item.lineItemId)
        let agreed = touched.filter { id in
            before.rows[id]?.country != books.rows[id]?.country || before.rows[id]?.currency != books.rows[id]?.currency
        }
        // A refund that was at odds with its buy comes back in agreement, or not without amounts.
        guard agreed.isEmpty else { return }
        let back = shop.plan(plan.inverse)
        if !back.isAllowed { return tell("cannot be undone:\n\(back.text)") }
        for errors in try shop.send(back) where !errors.isEmpty { tell("the undoing is refused: \(errors)") }
        books = before
        compare(with: back, tell)
        for id in touched {
            var old = known[id]?.item
            var new = shop[id]
            old?.netAmountTaxExclusive = nil
            new?.netAmountTaxExclusive = nil
            old?.restatement = nil
            new?.restatement = nil
            if old != new {
                tell("\(id) came back as \(String(describing: new)) instead of \(String(describing: old))")
            }
        }
    }
}
