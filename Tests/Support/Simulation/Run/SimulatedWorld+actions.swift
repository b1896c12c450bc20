import AppStoreEmulator
import ExternalPurchaseCore
import Ledger
import Reporting
import ReportingServer

// The actions of the scenario's steps.
extension SimulatedWorld {
    func perform(_ action: Action) async {
        switch action {
        case .install(let installation): await install(installation)
        case .query(let question): await query(question)
        case .handOver(let delivery): await handOver(delivery)
        case .pay(let payment): pay(payment)
        case .payFormerly(let payment): await payFormerly(payment)
        case .adopt(let token, let app): await adopt(token: token, app: app)
        case .giveBack(let giving): giveBack(giving)
        case .end(let ending):
            guard referenceModel.with({ $0.hasBegun(subscription: ending.subscription) }) else { return }
            let sale = ReferenceModel.Sale(
                number: ending.sale,
                customer: ending.customer,
                app: ending.app,
                at: clock.now,
                kind: .ended(ending)
            )
            referenceModel.with { $0.add(sale) }
        case .reverse(let reversal): reverse(reversal)
        case .submit(let sale): await submit(sale)
        case .contradict(let sale, let what): await contradict(sale, what)
        case .correct(let correction): await correct(correction)
        case .submitInvalid(let nonsense, let app, let sale): await submit(nonsense, app: app, sale: sale)
        case .handOverNonsense(let number): await handOverNonsense(number)
        case .appleFails(let fault, let app): await inject(fault, app: app)
        case .silence(let app, let length):
            let until = clock.now + .milliseconds(length)
            inbox?.unheardUntil.with { $0[app] = max($0[app] ?? until, until) }
        case .storeFails(let fault):
            noteTrouble()
            storeFails(fault)
        case .crash(let after, let downFor):
            noteTrouble()
            crash(after: after, downFor: downFor)
        case .restart: restart()
        case .merchantClock(let error):
            noteTrouble()
            clock.setMerchantError(error)
            referenceModel.with { $0.clockWasWrong = true }
        }
    }

    // MARK: Apple's side

    private func install(_ installation: Action.Installation) async {
        let customer = scenario.world.customers[installation.customer]
        let number = device(installation.device, of: installation.customer)
        let body =
            JSONValue.object([
                "event": .string(installation.isUpdate ? "update" : "install"),
                "bundleId": .string(Self.bundleId(installation.app).rawValue),
                "environment": .string(customer.environment.rawValue),
                "configured": .bool(installation.isConfigured),
            ])
        _ = await emulators[installation.app]
            .answer("POST", "/emulator/v1/devices/\(number)/events", body: body.encoded())
    }

    private func query(_ question: Action.Question) async {
        let customer = scenario.world.customers[question.customer]
        let number = device(question.device, of: question.customer)
        let body =
            JSONValue.object([
                "bundleId": .string(Self.bundleId(question.app).rawValue),
                "environment": .string(customer.environment.rawValue),
                "tokenType": question.type.map { .string($0.rawValue) } ?? .null,
            ])
        let answer = await emulators[question.app]
            .answer("POST", "/emulator/v1/devices/\(number)/calls", body: body.encoded())
        guard case .answered(200, _, let bytes) = answer,
            let members = (try? JSONReader().read(bytes))?.objectValue?["token"]?.objectValue,
            let text = members["token"]?.stringValue, let decoded = members["decoded"]?.objectValue,
            let id = decoded["externalPurchaseId"]?.stringValue,
            let created = decoded["tokenCreationDate"]?.int64Value
        else { return }
        let token = ReferenceModel.Token(
            id: ExternalPurchaseId(id),
            text: text,
            app: question.app,
            customer: question.customer,
            type: decoded["tokenType"]?.stringValue.map { TokenType(rawValue: $0) },
            created: Timestamp(milliseconds: created),
            expires: decoded["tokenExpirationDate"]?.int64Value.map { Timestamp(milliseconds: $0) }
        )
        referenceModel.with { $0.mint(token, number: question.token) }
    }

    private func inject(_ fault: Action.AppleFault, app: Int) async {
        noteTrouble()
        var behaviour: JSONObject = [:]
        var times: Int64 = 1
        switch fault {
        case .status(let code, let count, let retryAfter):
            behaviour["status"] = .integer(Int64(code))
            if let retryAfter { behaviour["retryAfterMs"] = .integer(retryAfter) }
            times = count
        case .dropAfterAccept: behaviour["dropAfterAccept"] = .bool(true)
        case .closeConnection: behaviour["closeConnection"] = .bool(true)
        case .closeMidBody: behaviour["closeMidBody"] = .bool(true)
        case .malformed: behaviour["malformedJSON"] = .bool(true)
        case .slow(let milliseconds): behaviour["delayMs"] = .integer(milliseconds)
        }
        let body =
            JSONValue.object([
                "match": .object(JSONObject()), "behaviour": .object(behaviour),
                "times": .integer(times),
            ])
        _ = await emulators[app].answer("POST", "/emulator/v1/faults", body: body.encoded())
    }

    // MARK: Tokens

    private func handOver(_ delivery: Action.Delivery) async {
        guard let id = referenceModel.with({ $0.tokenNumbers[delivery.token] }),
            let token = referenceModel.with({ $0.tokens[id] })
        else { return }
        let number = delivery.checkout
        if delivery.way == .app { referenceModel.with { $0.checkoutNames[number] = "k\(number)" } }
        guard let merchant else {
            owedTokens.append(delivery)
            return
        }
        switch delivery.way {
        case .app:
            await post(token, delivery, to: merchant)
        case .website:
            let bundleId = Self.bundleId(token.app)
            let query = "\(WebsiteURL.tokenParameter)=\(token.text)&\(WebsiteURL.bundleParameter)=\(bundleId)"
            if seededDefect == .losesAToken, token.type == nil {
                learn(token, delivery, named: "lost\(number)")
                return
            }
            switch await merchant.visits.receive(query: query) {
            case .recorded(let receipt):
                learn(token, delivery, named: receipt.token.checkoutId.rawValue)
                await checkStored(token)
            case .spooled(let checkout):
                // The sender stores the spooled visit in its next run, before any attribution.
                learn(token, delivery, named: checkout.rawValue)
                spooled[number] = delivery
            case .forwarded:
                // The redirect carries the token to the shop, which then delivers it itself.
                var again = delivery
                again.way = .app
                referenceModel.with { $0.checkoutNames[number] = $0.checkoutNames[number] ?? "k\(number)" }
                owedTokens.append(again)
                await learnIfStored(token, delivery)
            case .withoutToken, .quarantined:
                report(.truthIsTaken, "the visit with token \(token.id) was not taken")
            }
        }
    }

    private func post(_ token: ReferenceModel.Token, _ delivery: Action.Delivery, to merchant: ReportingSystem) async {
        var arrival = TokenArrival(text: token.text, source: .app)
        arrival.checkoutId = referenceModel.with { $0.checkoutNames[delivery.checkout] }.map { CheckoutId($0) }
        if delivery.saysCustomer, let customer = token.customer {
            arrival.customerId = CustomerId("customer\(customer)")
        }
        if seededDefect == .losesAToken, token.type == nil {
            learn(token, delivery, named: nil)
            await checkStored(token)
            return
        }
        do {
            _ = try await merchant.tokens.receive(arrival)
            learn(token, delivery, named: nil)
            await checkStored(token)
        } catch {
            if case .notStored = error {
                owedTokens.append(delivery)
                await learnIfStored(token, delivery)
            } else {
                report(.truthIsTaken, "token \(token.id) was refused: \(error)")
            }
        }
    }

    private func learn(_ token: ReferenceModel.Token, _ delivery: Action.Delivery, named name: String?) {
        let moment = clock.merchantNow
        referenceModel.with { referenceModel in
            if let name { referenceModel.checkoutNames[delivery.checkout] = name }
            referenceModel.arrived(
                token.id,
                checkout: delivery.checkout,
                saysCustomer: delivery.saysCustomer,
                at: moment
            )
        }
    }

    /// After a request without a response, checks the ledger to find out whether the token is stored.
    private func learnIfStored(_ token: ReferenceModel.Token, _ delivery: Action.Delivery) async {
        if await isDelivered(token) { learn(token, delivery, named: nil) }
    }

    /// Whether the ledger has the token from a source other than Apple.
    private func isDelivered(_ token: ReferenceModel.Token) async -> Bool {
        await stored(token).map { !$0.isKnownFromNotificationsOnly } ?? false
    }

    func takeInSpooled() async {
        for (number, delivery) in spooled.sorted(by: { $0.key < $1.key }) {
            guard let id = referenceModel.with({ $0.tokenNumbers[delivery.token] }),
                let token = referenceModel.with({ $0.tokens[id] }), await isDelivered(token)
            else { continue }
            spooled[number] = nil
        }
    }

    private func handOverNonsense(_ number: Int) async {
        guard let merchant else { return }
        do {
            _ = try await merchant.tokens.receive(TokenArrival(text: "nonsense-\(number)", source: .website))
            report(.nonsenseIsRefused, "nonsense-\(number) was taken for a token")
        } catch {
            // Both a refusal and a lost request are valid.
        }
    }

    // MARK: Sales

    private func pay(_ payment: Action.Payment) {
        // A charge of a subscription without a start is skipped.
        if let charge = payment.charge, charge.event != .start, !referenceModel.with({ $0.isPossible(charge) }) {
            return
        }
        var sale = ReferenceModel.Sale(
            number: payment.sale,
            customer: payment.customer,
            app: payment.app,
            at: clock.now,
            kind: .paid(payment)
        )
        referenceModel.with { referenceModel in
            sale.named = payment.token.flatMap { referenceModel.tokenNumbers[$0] }
            if let checkout = payment.checkout {
                if payment.isCheckoutNamed { referenceModel.checkoutNames[checkout] = "k\(checkout)" }
                if referenceModel.checkoutNames[checkout] != nil { sale.checkout = checkout }
            }
            if payment.lines.isEmpty { referenceModel.add(sale) } else { referenceModel.order(payment, sale) }
        }
    }

    private func giveBack(_ giving: Action.Return) {
        guard let buy = referenceModel.with({ $0.sales[giving.of] }) else { return }
        let payment: Action.Payment
        switch buy.kind {
        case .paid(let own), .ordered(let own): payment = own
        case .givenBack, .ended, .reversed: return
        }
        let left = referenceModel.with { $0.left(of: giving.of) }
        let minor = giving.share == 1_000 ? left : max(1, left * giving.share / 1_000)
        guard minor > 0, minor <= left else { return }
        var tax: Int64?
        if giving.statesTax, case .amount(let whole) = payment.tax { tax = whole * minor / payment.price }
        let now = clock.now
        referenceModel.with { [tax] in $0.giveBack(giving, minor: minor, tax: tax, at: now) }
    }

    private func reverse(_ reversal: Action.Reversal) {
        guard let chargeback = referenceModel.with({ $0.sales[reversal.chargeback] }) else { return }
        let sale = ReferenceModel.Sale(
            number: reversal.sale,
            customer: chargeback.customer,
            app: chargeback.app,
            at: clock.now,
            kind: .reversed(chargeback: reversal.chargeback)
        )
        referenceModel.with { $0.add(sale) }
    }

    private func submit(_ number: Int) async {
        guard let sale = referenceModel.with({ $0.sales[number] }), sale.partOf == nil, var body = body(of: sale) else {
            return
        }
        guard let merchant else {
            owe(number)
            return
        }
        if forgets(sale) {
            referenceModel.with { $0.acknowledged(sale: number) }
            await checkStored(sale)
            return
        }
        if seededDefect == .ignoresTotals { body = withoutTotal(body) }
        do {
            _ = try await merchant.sales.receive(SaleCommand(body: body, apps: merchant.apps, caller: .anybody))
            referenceModel.with { $0.acknowledged(sale: number) }
            await checkStored(sale)
        } catch {
            owe(number)
            switch error {
            case .notStored:
                if await stored(sale) != nil { referenceModel.with { $0.arrived(sale: number) } }
            case .invalid, .foreignApp, .conflict, .unknown, .impossible, .needsCorrection, .unanswered:
                if !isExcusable(error, sale) { report(.truthIsTaken, "\(sale.lineItemId) was refused: \(error)") }
            }
        }
    }

    /// Whether a defect makes the system acknowledge the sale without storing it.
    private func forgets(_ sale: ReferenceModel.Sale) -> Bool {
        guard !sale.isAcknowledged else { return false }
        switch sale.kind {
        case .givenBack(let buy, let given, _):
            return referenceModel.with { referenceModel in
                switch seededDefect {
                case .forgetsEarlyReturns: referenceModel.sales[buy]?.arrival == nil
                case .forgetsReturnsWithoutRoom:
                    referenceModel.sales[buy]?.arrival != nil && referenceModel.leftAsTold(of: buy) < given.minor
                default: false
                }
            }
        case .paid, .ordered, .ended, .reversed: return seededDefect == .losesASale
        }
    }

    /// Replaces a refund's total by an amount of its own.
    private func withoutTotal(_ body: JSONValue) -> JSONValue {
        guard let object = body.objectValue, let total = object["refundedTotal"] else { return body }
        let members = object.members.filter { $0.key != "refundedTotal" }
        let amount = JSONValue.object(["inclusive": total])
        return .object(JSONObject(members + [.init("amount", amount)]))
    }

    /// Whether a refusal is valid: the clock is behind the sale's date.
    ///
    /// Money that went back is taken whatever is known of its purchase, because what is left of that may arrive later.
    private func isExcusable(_ refusal: RequestError, _ sale: ReferenceModel.Sale) -> Bool {
        clock.merchantNow < sale.at
    }

    private func owe(_ number: Int) {
        if !owedSales.contains(number) { owedSales.append(number) }
    }

    func repeatWhatIsOwed() async {
        guard merchant != nil else { return }
        let (tokens, sales) = (owedTokens, owedSales.sorted())
        owedTokens = []
        owedSales = []
        for delivery in tokens { await handOver(delivery) }
        for sale in sales { await submit(sale) }
    }

    /// Repeats a sale with other content, which must change nothing.
    private func contradict(_ number: Int, _ what: Action.Contradiction) async {
        guard let merchant, let sale = referenceModel.with({ $0.sales[number] }), sale.isAcknowledged,
            case .paid(let payment) = sale.kind, var object = sale.told?.objectValue
        else { return }
        let digits = referenceModel.with { $0.market(of: sale).digits }
        switch what {
        case .amount:
            var amount = object["amount"]?.objectValue ?? JSONObject()
            amount.replace("inclusive", by: .string(Self.decimal(payment.price + 1, digits)))
            object.replace("amount", by: .object(amount))
        case .moment:
            object.replace("occurredAt", by: .string(sale.at.advanced(by: .seconds(-1)).description))
        case .product:
            object.replace("productId", by: .string("pearls"))
        }
        if seededDefect == .losesASale { return }
        do {
            _ = try await merchant.sales.receive(
                SaleCommand(body: .object(object), apps: merchant.apps, caller: .anybody)
            )
            report(.nonsenseIsRefused, "\(sale.lineItemId) was taken again with another \(what.rawValue)")
        } catch {
            if case .invalid(let faults) = error {
                report(.nonsenseIsRefused, "\(sale.lineItemId) with another \(what.rawValue) is no conflict: \(faults)")
            }
        }
        await checkStored(sale)
    }
}

extension JSONObject {
    fileprivate mutating func replace(_ key: String, by value: JSONValue) {
        for index in members.indices where members[index].key == key { members[index].value = value }
    }
}
