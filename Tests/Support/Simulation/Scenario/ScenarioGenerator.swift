import ExternalPurchaseCore

/// Generates the scenario of a seed.
///
/// Each kind of event adds steps with their own times; the scenario contains all steps sorted by time.
package struct ScenarioGenerator {
    private let kinds: Set<ScenarioKind>
    private let seed: UInt64
    private var numbers: SeededNumbers
    private var world: Scenario.Configuration
    private var steps: [Step] = []
    /// The number of steps after the end of the year.
    private var late: Int64 = 0
    private var tokenCount = 0
    private var checkoutCount = 0
    private var saleCount = 0
    private var subscriptionCount = 0

    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 86_400_000
    private static let year = 365 * day

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - seed: the seed; equal seeds and kinds give equal scenarios.
    ///   - kinds: the kinds of events that may occur.
    package init(seed: UInt64, kinds: Set<ScenarioKind> = ScenarioKind.usual) {
        self.seed = seed
        self.kinds = kinds
        numbers = SeededNumbers(seed: seed)
        world = Scenario.Configuration(
            appCount: 1,
            customers: [],
            servicesDays: 365,
            acquisitionDays: 180,
            isRefreshing: false,
            store: .memory,
            signsRequests: false,
            sendDelay: 0,
            correctsFigures: false
        )
    }

    /// Generates the scenario.
    package mutating func scenario() -> Scenario {
        populate()
        for _ in 0..<numbers.index(3...12) { addVisit() }
        if has(.imports), world.notices == nil, numbers.chance(60) { addAdoption() }
        let calm = steps
        addFaults(near: calm.map(\.at))
        let inOrder = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        return Scenario(seed: seed, world: world, steps: inOrder.map(\.element))
    }

    private func has(_ kind: ScenarioKind) -> Bool { kinds.contains(kind) }

    private mutating func add(_ at: Int64, _ action: Action) {
        guard at > Self.year else { return steps.append(Step(at: max(0, at), action)) }
        // Later steps move to distinct times at the end of the year, because refunds at equal times count in another
        // order.
        late += 1
        steps.append(Step(at: Self.year + late, action))
    }

    // MARK: Customers

    private mutating func populate() {
        world.appCount = numbers.chance(35) ? 2 : 1
        // With short periods, a year contains many of them.
        world.servicesDays = numbers.pick([365, 365, 90, 40]) ?? 365
        world.acquisitionDays = numbers.pick([180, 180, 60, 20]) ?? 180
        world.isRefreshing = numbers.chance(40)
        world.signsRequests = numbers.chance(6)
        world.sendDelay = numbers.chance(20) ? numbers.number(1...48) * Self.hour : 0
        world.correctsFigures = has(.shuffledEvents) && numbers.chance(50)
        if has(.notifications), numbers.chance(60) {
            world.notices = Scenario.Notices(
                isAboutAll: numbers.chance(50),
                repeatsEvery: numbers.chance(40) ? numbers.number(6...120) * Self.hour : nil,
                historyEvery: numbers.number(10...60) * Self.day
            )
        }
        if has(.sqlite), numbers.chance(3) {
            // The database runs on a thread of its own; with only one app the order of events stays deterministic.
            world.store = .sqlite
            world.appCount = 1
        }
        let onlyEnvironment: AppStoreEnvironment? = world.store == .sqlite ? .production : nil
        var families: [Scenario.Customer.Family] = []
        if has(.plainTokens) { families.append(.plain) }
        if has(.transactionTokens) { families.append(.transaction) }
        if has(.customLinkTokens) { families += [.customLink, .customLink] }
        let markets = Market.allCases.filter { has(.foreignCurrencies) || $0.foreignCurrency == nil }
        for number in 0..<numbers.index(1...5) {
            let isTester = has(.sandbox) && numbers.chance(25)
            let customer = Scenario.Customer(
                environment: onlyEnvironment ?? (isTester ? .sandbox : .production),
                family: numbers.pick(families) ?? .plain,
                deviceCount: numbers.index(1...2),
                isNamed: numbers.chance(70),
                market: numbers.pick(markets) ?? .netherlands
            )
            world.customers.append(customer)
            if customer.family == .customLink { install(number, customer) }
        }
    }

    /// Adds the installation of the app on the customer's devices, and updates over the year.
    private mutating func install(_ number: Int, _ customer: Scenario.Customer) {
        for app in 0..<world.appCount {
            for device in 0..<customer.deviceCount {
                let moment = device == 0 ? 0 : numbers.number(0...200) * Self.day
                let isConfigured = numbers.chance(90)
                add(moment, .install(installation(number, device, app, isUpdate: false, isConfigured)))
            }
            for _ in 0..<numbers.index(0...4) {
                let moment = numbers.number(1...360) * Self.day
                let device = numbers.index(0...customer.deviceCount - 1)
                add(moment, .install(installation(number, device, app, isUpdate: true, true)))
            }
        }
    }

    private func installation(
        _ customer: Int,
        _ device: Int,
        _ app: Int,
        isUpdate: Bool,
        _ isConfigured: Bool
    ) -> Action.Installation {
        Action.Installation(
            customer: customer,
            device: device,
            app: app,
            isUpdate: isUpdate,
            isConfigured: isConfigured
        )
    }

    // MARK: Visits

    /// Adds a visit: a customer requests tokens, goes to the shop, and may buy and ask for a refund.
    private mutating func addVisit() {
        let number = numbers.index(0...world.customers.count - 1)
        let customer = world.customers[number]
        let app = numbers.index(0...world.appCount - 1)
        let device = numbers.index(0...customer.deviceCount - 1)
        var now = numbers.number(0...340 * 24) * Self.hour + numbers.number(0...Self.hour)
        var types: [TokenType?]
        switch customer.family {
        case .plain: types = [nil]
        case .transaction: types = [numbers.chance(50) ? .inApp : .linkOut]
        case .customLink:
            types = [.acquisition, .services]
            if numbers.chance(15) { types.remove(at: numbers.index(0...1)) }
        }
        let saysCustomer = customer.isNamed && numbers.chance(60)
        var asked: [Asked] = []
        for type in types {
            let token = tokenCount
            tokenCount += 1
            let question = Action.Question(token: token, customer: number, device: device, app: app, type: type)
            add(now, .query(question))
            asked.append(addDelivery(of: token, after: now, saysCustomer: saysCustomer))
            now += numbers.number(0...2_000)
        }
        for _ in 0..<(numbers.pick([0, 1, 1, 1, 2]) ?? 1) {
            now += numbers.chance(90) ? numbers.number(1...30) * Self.minute : numbers.number(1...2_000) * Self.minute
            addSale(to: number, in: app, asked: asked, at: now)
        }
        if has(.subscriptions), numbers.chance(30) {
            addSubscription(of: number, in: app, asked: asked, at: now + numbers.number(1...30) * Self.minute)
        }
    }

    /// Adds sales on a token that a former system reports, the import of its reports, and later sales.
    private mutating func addAdoption() {
        let markets = world.customers.indices.filter { world.customers[$0].market.foreignCurrency == nil }
        // For a customer with several tokens at a time, all of them would have to be imported.
        guard let number = numbers.pick(markets.filter { world.customers[$0].family == .plain }) else { return }
        let app = numbers.index(0...world.appCount - 1)
        let token = tokenCount
        tokenCount += 1
        var now = numbers.number(0...100 * 24) * Self.hour
        add(now, .query(Action.Question(token: token, customer: number, device: 0, app: app, type: nil)))
        let asked = [Asked(token: token, checkout: checkoutCount, isVisit: false)]
        checkoutCount += 1
        var plan = payment(of: number, in: app, asked: asked, isSimple: true)
        (plan.token, plan.checkout) = (token, nil)
        plan.price = max(1, plan.price)
        plan.tax = tax(of: plan.price, in: world.customers[number].market)
        now += numbers.number(1...600) * Self.minute
        var former: [Action.Payment] = []
        // A report does not contain the customer.
        var reported = plan
        reported.saysCustomer = false
        // A later charge also finds its token by its subscription.
        if numbers.chance(40) { plan.token = nil }
        for _ in 0..<numbers.index(0...2) {
            reported.sale = nextSale()
            former.append(reported)
            add(now, .payFormerly(reported))
            now += numbers.number(1...5 * 24) * Self.hour
        }
        let subscription = subscriptionCount
        subscriptionCount += 1
        let length = (numbers.pick([7, 30, 30]) ?? 30) * Self.day
        let count = numbers.index(1...4)
        for place in 0..<count {
            reported.sale = nextSale()
            reported.charge = Action.Charge(
                subscription: subscription,
                event: place == 0 ? .start : .renewal,
                start: now,
                end: now + length
            )
            former.append(reported)
            add(now, .payFormerly(reported))
            now += length
        }
        let moment = now - numbers.number(1...length - 1)
        add(moment, .adopt(token: token, app: app))
        for _ in 0..<numbers.index(0...4) where now < 350 * Self.day {
            charge(subscription, plan, .renewal, from: now, to: now + length)
            now += length
        }
        if has(.cancellations), numbers.chance(30) {
            addEnding(subscription, plan, at: now - 1, isLapse: numbers.chance(50), effectiveAt: nil)
        }
        for payment in former where (has(.refunds) || has(.chargebacks)) && numbers.chance(30) {
            addReturns(of: payment, at: moment, hasTotals: has(.refundTotals) && payment.charge == nil)
        }
    }

    private struct Asked {
        var token: Int
        var checkout: Int
        var isVisit: Bool
    }

    private mutating func addDelivery(of token: Int, after now: Int64, saysCustomer: Bool) -> Asked {
        let checkout = checkoutCount
        checkoutCount += 1
        let isVisit = has(.websites) && numbers.chance(50)
        let asked = Asked(token: token, checkout: checkout, isVisit: isVisit)
        let delivery = Action.Delivery(
            checkout: checkout,
            token: token,
            way: isVisit ? .website : .app,
            saysCustomer: saysCustomer && !isVisit
        )
        guard has(.lateTokens) else {
            add(now + 1, .handOver(delivery))
            return asked
        }
        if numbers.chance(8) { return asked }
        let delay = numbers.chance(75) ? numbers.number(1...5_000) : numbers.number(1...20 * 24) * Self.hour
        add(now + delay, .handOver(delivery))
        while numbers.chance(20) { add(now + delay + numbers.number(0...30) * Self.hour, .handOver(delivery)) }
        return asked
    }

    private mutating func addSale(
        to customer: Int,
        in app: Int,
        asked: [Asked],
        at now: Int64
    ) {
        let market = world.customers[customer].market
        let isOrder = has(.orders) && market.foreignCurrency == nil && numbers.chance(20)
        var payment = payment(of: customer, in: app, asked: asked, isSimple: isOrder)
        payment.sale = nextSale()
        if isOrder { addLines(to: &payment, in: market) }
        let isCorrected = !isOrder && has(.corrections) && payment.price > 0 && numbers.chance(20)
        let isReturned =
            (has(.refunds) || has(.chargebacks)) && payment.price > 0 && numbers.chance(isOrder ? 60 : 35)
        // Simulates a shop that sends refunds while its purchases are delayed in a queue.
        let isStuck = isReturned && has(.earlyRefunds) && numbers.chance(20)
        add(now, .pay(payment))
        submit(payment.sale, of: now, after: isStuck ? numbers.number(1...50 * 24) * Self.hour : 0)
        if isCorrected { addCorrections(of: payment.sale, at: now) }
        guard isReturned else { return }
        // Corrections of totals are not simulated.
        let hasTotals =
            !isCorrected && has(.refundTotals) && market.foreignCurrency == nil && numbers.chance(isOrder ? 50 : 30)
        addReturns(of: payment, at: now, hasTotals: hasTotals)
    }

    /// Turns a payment into an order.
    private mutating func addLines(to payment: inout Action.Payment, in market: Market) {
        let lacksTax = has(.missingFacts) && numbers.chance(5)
        for place in 0..<numbers.index(2...4) {
            let price = max(1, market.usualPrice * numbers.number(1...400) / 100)
            payment.lines.append(
                Action.Line(
                    sale: nextSale(),
                    price: price,
                    quantity: numbers.number(1...3),
                    tax: lacksTax && place == 1 ? nil : tax(of: price, in: market)
                )
            )
        }
        payment.price = payment.lines.reduce(0) { $0 + $1.price }
    }

    private mutating func nextSale() -> Int {
        defer { saleCount += 1 }
        return saleCount
    }

    private mutating func payment(
        of customer: Int,
        in app: Int,
        asked: [Asked],
        isSimple: Bool
    ) -> Action.Payment {
        let market = world.customers[customer].market
        let chosen = numbers.pick(asked)
        let price = !isSimple && numbers.chance(5) ? 0 : max(1, market.usualPrice * numbers.number(1...400) / 100)
        let rate = market.usualRate.map { max(1, $0 + numbers.number(-($0 / 10)...($0 / 10))) }
        let isComplete = isSimple || !has(.missingFacts) || numbers.chance(94)
        let missing = isComplete ? 3 : numbers.index(0...2)
        let isNamed = world.customers[customer].isNamed
        // A shop that names the customer may omit other ids; otherwise it must name what it has.
        let form = numbers.index(0...9)
        return Action.Payment(
            sale: 0,
            customer: customer,
            app: app,
            token: form < 4 || form == 9 ? chosen?.token : nil,
            checkout: (4...7).contains(form) || form == 9 ? chosen?.checkout : nil,
            isCheckoutNamed: chosen?.isVisit == false,
            saysCustomer: isNamed && (form >= 7 || numbers.chance(50)),
            price: price,
            quantity: numbers.number(1...3),
            // A price of 0 has no tax.
            tax: missing == 0 && price > 0 ? nil : tax(of: price, in: market),
            hasCountry: missing != 1,
            rate: missing == 2 ? nil : rate
        )
    }

    /// Adds a subscription with its charges, sometimes started again after its end.
    private mutating func addSubscription(of customer: Int, in app: Int, asked: [Asked], at begin: Int64) {
        let subscription = subscriptionCount
        subscriptionCount += 1
        let plan = payment(of: customer, in: app, asked: asked, isSimple: true)
        let hasTrial = numbers.chance(25)
        guard let end = addRun(of: subscription, plan, from: begin, hasTrial: hasTrial, most: 8),
            has(.shuffledEvents), numbers.chance(50)
        else { return }
        _ = addRun(of: subscription, plan, from: end + numbers.number(1...400) * Self.hour, hasTrial: false, most: 4)
    }

    /// Adds the charges from a start to an end.
    ///
    /// - Returns: the end after a cancellation; nil while the subscription continues.
    private mutating func addRun(
        of subscription: Int,
        _ plan: Action.Payment,
        from begin: Int64,
        hasTrial: Bool,
        most: Int
    ) -> Int64? {
        var now = begin
        let length = (numbers.pick([7, 30, 30, 90]) ?? 30) * Self.day
        for place in 0..<numbers.index(1...most) where now < 350 * Self.day {
            let isFree = place == 0 && hasTrial
            let period = isFree ? 7 * Self.day : length
            charge(subscription, plan, place == 0 ? .start : .renewal, from: now, to: now + period, isFree: isFree)
            var end = now + period
            if numbers.chance(10), !isFree {
                let moment = now + numbers.number(1...period - 1)
                charge(subscription, plan, .payment, from: now, to: end, at: moment)
            }
            if numbers.chance(10), !isFree {
                let moment = end - numbers.number(1...Self.day)
                charge(subscription, plan, .change, from: moment, to: moment + length)
                end = moment + length
            }
            if has(.lapses), numbers.chance(10) {
                addEnding(subscription, plan, at: end, isLapse: true, effectiveAt: nil)
                end += numbers.number(1...10 * 24) * Self.hour
            }
            now = end
        }
        if has(.cancellations), numbers.chance(40), now < 350 * Self.day {
            let moment = now - numbers.number(1...5 * 24) * Self.hour
            addEnding(subscription, plan, at: moment, isLapse: false, effectiveAt: numbers.chance(50) ? now : nil)
            return now
        }
        return nil
    }

    private mutating func charge(
        _ subscription: Int,
        _ plan: Action.Payment,
        _ event: Action.Charge.Event,
        from start: Int64,
        to end: Int64,
        at moment: Int64? = nil,
        isFree: Bool = false
    ) {
        var payment = plan
        payment.sale = nextSale()
        payment.charge = Action.Charge(subscription: subscription, event: event, start: start, end: end)
        if isFree {
            payment.price = 0
            payment.tax = .amount(0)
        }
        let now = moment ?? start
        add(now, .pay(payment))
        submitEvent(payment.sale, of: now)
        if has(.refunds), !isFree, numbers.chance(8) { addReturns(of: payment, at: now, hasTotals: false) }
    }

    private mutating func addEnding(
        _ subscription: Int,
        _ plan: Action.Payment,
        at now: Int64,
        isLapse: Bool,
        effectiveAt: Int64?
    ) {
        let ending = Action.Ending(
            sale: nextSale(),
            subscription: subscription,
            customer: plan.customer,
            app: plan.app,
            isLapse: isLapse,
            effectiveAt: effectiveAt
        )
        add(now, .end(ending))
        submitEvent(ending.sale, of: now)
    }

    /// Adds the request for a subscription event: usually soon, sometimes after later ones, sometimes repeated.
    private mutating func submitEvent(_ sale: Int, of now: Int64) {
        guard has(.shuffledEvents) else {
            add(now + numbers.number(1...3_000), .submit(sale: sale))
            return
        }
        let delay =
            switch numbers.index(0...9) {
            case 0...4: numbers.number(1...3_000)
            case 5, 6: numbers.number(1...48) * Self.hour
            default: numbers.number(1...100 * 24) * Self.hour
            }
        add(now + delay, .submit(sale: sale))
        while numbers.chance(15) { add(now + delay + numbers.number(0...50) * Self.hour, .submit(sale: sale)) }
    }

    private mutating func tax(of price: Int64, in market: Market) -> Action.Payment.Tax {
        if numbers.chance(50) { return .rate(market.taxRate) }
        return .amount(price * market.taxRate / (10_000 + market.taxRate))
    }

    /// - Parameter wait: the minimum delay of the shop's request.
    private mutating func submit(_ sale: Int, of now: Int64, after wait: Int64 = 0) {
        guard has(.lateSales) else {
            add(now + wait + 1, .submit(sale: sale))
            return
        }
        let delay = wait + (numbers.chance(75) ? numbers.number(1...3_000) : numbers.number(1...10 * 24) * Self.hour)
        add(now + delay, .submit(sale: sale))
        while numbers.chance(15) { add(now + delay + numbers.number(0...50) * Self.hour, .submit(sale: sale)) }
        if has(.nonsense), numbers.chance(4) {
            let what = numbers.pick(Action.Contradiction.allCases) ?? .amount
            add(now + delay + numbers.number(0...5) * Self.hour, .contradict(sale: sale, what))
        }
    }

    private mutating func addReturns(of payment: Action.Payment, at bought: Int64, hasTotals: Bool) {
        var now = bought
        let isDerived = hasTotals || !payment.lines.isEmpty
        for place in 0..<numbers.index(1...6) {
            let isChargeback = has(.chargebacks) && (!has(.refunds) || numbers.chance(25))
            now += numbers.chance(50) ? numbers.number(0...600) * Self.minute : numbers.number(1...60) * Self.day
            // At equal times, two refunds would be sorted by arrival.
            if isDerived { now += 1 }
            let giving = nextSale()
            let line = numbers.chance(30) ? numbers.pick(payment.lines)?.sale : nil
            let share = numbers.chance(30) ? 1_000 : numbers.number(1...999)
            let isTotal = hasTotals && line == nil && !isChargeback && numbers.chance(70)
            let shares = line == nil ? payment.lines.map { _ in nextSale() } : []
            add(
                now,
                .giveBack(
                    Action.Return(
                        sale: giving,
                        of: line ?? payment.sale,
                        share: share,
                        statesTax: !isDerived && place == 0 && numbers.chance(25),
                        isChargeback: isChargeback,
                        isTotal: isTotal,
                        isInMinorUnits: numbers.chance(20),
                        shares: shares
                    )
                )
            )
            submit(giving, of: now, after: disputeDelay(isChargeback ? 30 : 10))
            if isChargeback, has(.reversals), numbers.chance(60) {
                let reversal = Action.Reversal(sale: nextSale(), chargeback: giving)
                now += numbers.number(1...40) * Self.day
                add(now, .reverse(reversal))
                submit(reversal.sale, of: now, after: disputeDelay(50))
                // What was won back can be given back again, and the shop may tell that before the reversal.
                continue
            }
            if share == 1_000, line == nil { break }
        }
    }

    /// The time by which the shop tells a movement of a dispute late, so that later ones arrive before it.
    private mutating func disputeDelay(_ chance: Int64) -> Int64 {
        has(.reversals) && numbers.chance(chance) ? numbers.number(1...60 * 24) * Self.hour : 0
    }

    private mutating func addCorrections(of sale: Int, at bought: Int64) {
        var now = bought
        for _ in 0..<numbers.index(1...4) {
            now += numbers.chance(50) ? numbers.number(1...72) * Self.hour : numbers.number(1...60) * Self.day
            let way: Action.Correction.Way
            switch numbers.index(0...9) {
            case 0...3: way = .restate(share: numbers.number(300...1_800), quantity: numbers.number(1...3))
            case 4, 5: way = .retract
            case 6, 7: way = .undo
            default: way = .move(by: numbers.number(1...600) * Self.minute)
            }
            add(now, .correct(Action.Correction(sale: sale, way: way)))
            if case .retract = way, numbers.chance(50) {
                now += numbers.number(1...400) * Self.hour
                add(now, .correct(Action.Correction(sale: sale, way: .undo)))
            }
        }
    }

    // MARK: Faults

    private mutating func addFaults(near moments: [Int64]) {
        if has(.nonsense) { addNonsense() }
        for _ in 0..<numbers.index(0...5) where has(.appleFaults) {
            add(moment(near: moments), .appleFails(appleFault(), app: numbers.index(0...world.appCount - 1)))
        }
        if has(.appleFaults), numbers.chance(8) {
            // Two in a row stop the app until the operator acts.
            let now = moment(near: moments)
            add(now, .appleFails(.status(401, times: 2, retryAfter: nil), app: 0))
            add(now + numbers.number(1...20) * Self.hour, .restart)
        }
        for _ in 0..<numbers.index(0...3) where has(.appleFaults) && world.notices != nil {
            let app = numbers.index(0...world.appCount - 1)
            add(moment(near: moments), .silence(app: app, for: numbers.number(1...300) * Self.hour))
        }
        for _ in 0..<numbers.index(0...2) where has(.storeFaults) {
            let fault = Action.StoreFault(
                after: numbers.index(0...8),
                count: numbers.index(1...4),
                isLate: numbers.chance(50)
            )
            add(moment(near: moments), .storeFails(fault))
        }
        for _ in 0..<numbers.index(0...4) where has(.crashes) {
            let down = numbers.chance(70) ? numbers.number(0...5_000) : numbers.number(1...48) * Self.hour
            add(moment(near: moments), .crash(after: numbers.index(0...25), downFor: down))
        }
        if has(.clockErrors), has(.appleFaults), numbers.chance(8) {
            // The clock is corrected while the sender waits by the wrong time.
            let now = moment(near: moments)
            add(now, .merchantClock(error: numbers.number(-40...40) * Self.day))
            add(now, .appleFails(.status(503, times: numbers.number(1...6), retryAfter: nil), app: 0))
            add(now + numbers.number(1...60) * 1_000, .merchantClock(error: 0))
        }
        if has(.clockErrors), numbers.chance(25) {
            let now = moment(near: moments)
            let error =
                numbers.chance(50) ? numbers.number(-60...60) * Self.minute : numbers.number(-40...40) * Self.day
            add(now, .merchantClock(error: error))
            add(now + numbers.number(1...200) * Self.hour, .merchantClock(error: 0))
        }
    }

    /// A time just before another event, where a fault has the most effect.
    private mutating func moment(near moments: [Int64]) -> Int64 {
        (numbers.pick(moments) ?? 0) - 1
    }

    private mutating func appleFault() -> Action.AppleFault {
        switch numbers.index(0...9) {
        case 0: .status(429, times: numbers.number(1...4), retryAfter: numbers.number(1...7_200) * 1_000)
        case 1: .status(429, times: numbers.number(1...4), retryAfter: nil)
        case 2: .status(500, times: numbers.number(1...6), retryAfter: nil)
        case 3: .status(503, times: numbers.number(1...6), retryAfter: nil)
        case 4: .status(401, times: 1, retryAfter: nil)
        case 5: .closeConnection
        case 6: .closeMidBody
        case 7: .malformed
        case 8: .slow(milliseconds: numbers.number(1...90) * 1_000)
        default: .dropAfterAccept
        }
    }

    private mutating func addNonsense() {
        for _ in 0..<numbers.index(0...2) {
            let nonsense = numbers.pick(Action.Nonsense.allCases) ?? .future
            let sale = numbers.index(0...max(0, saleCount - 1))
            let app = numbers.index(0...world.appCount - 1)
            add(numbers.number(0...364) * Self.day, .submitInvalid(nonsense, app: app, sale: sale))
        }
        if numbers.chance(20) {
            add(numbers.number(0...364) * Self.day, .handOverNonsense(number: numbers.index(0...99)))
        }
    }
}
