import ExternalPurchaseCore

extension Scenario {
    /// The scenario as text with one step per line.
    package var timeline: String {
        var lines = [
            "a world of \(world.appCount) app\(world.appCount == 1 ? "" : "s"), ledger in \(world.store.rawValue), "
                + "SERVICES \(world.servicesDays) d, ACQUISITION \(world.acquisitionDays) d, "
                + "\(world.isRefreshing ? "refreshed tokens" : "identical tokens"), send.delay \(world.sendDelay / 1_000) s, "
                + "figures corrected \(world.correctsFigures ? "by themselves" : "by a person")"
        ]
        if let notices = world.notices {
            let about = notices.isAboutAll ? "all tokens" : "custom link tokens"
            let again = notices.repeatsEvery.map { ", unreported ones again every \($0 / 3_600_000) h" } ?? ""
            lines.append(
                "  Apple tells of \(about)\(again); history is read every \(notices.historyEvery / 3_600_000) h"
            )
        }
        for (number, customer) in world.customers.enumerated() {
            let name = customer.isNamed ? "with customer id" : "without customer id"
            lines.append(
                "  customer \(number): \(customer.environment.rawValue), \(customer.family.rawValue), "
                    + "\(customer.market.rawValue), \(name)"
            )
        }
        for step in steps {
            let moment = SimulatedWorld.start + .milliseconds(step.at)
            lines.append("  \(moment)  \(describe(step.action))")
        }
        return lines.joined(separator: "\n")
    }

    private func describe(_ action: Action) -> String {
        switch action {
        case .install(let event):
            let verb = event.isUpdate ? "updates" : "installs"
            let configured = event.isConfigured ? "" : ", a version without custom links"
            return "customer \(event.customer) \(verb) app \(event.app) on device \(event.device)\(configured)"
        case .query(let question):
            let type = question.type?.rawValue ?? "plain"
            return "app \(question.app) asks for a \(type) token t\(question.token) of customer \(question.customer)"
        case .handOver(let delivery):
            let way = delivery.way == .app ? "from the app" : "by a visit to the website"
            let customer = delivery.saysCustomer ? ", with the customer id" : ""
            return "t\(delivery.token) reaches the merchant \(way)\(customer): checkout k\(delivery.checkout)"
        case .pay(let payment): return describe(payment)
        case .payFormerly(let payment): return "\(describe(payment)), reported by the system before"
        case .adopt(let token, let app):
            return "what the system before reported on t\(token) is imported for app \(app)"
        case .giveBack(let giving):
            let what = giving.isChargeback ? "the bank takes back" : "the shop refunds"
            let tax = giving.statesTax ? ", tax stated" : ""
            let total = giving.isTotal ? ", told as the sum so far" : ""
            return "s\(giving.sale): \(what) \(giving.share) ‰ of what is left of s\(giving.of)\(tax)\(total)"
        case .end(let ending):
            let what = ending.isLapse ? "a payment fails for" : "the customer cancels"
            return "s\(ending.sale): \(what) subscription \(ending.subscription)"
        case .reverse(let reversal): return "s\(reversal.sale): the merchant wins s\(reversal.chargeback) back"
        case .submit(let sale): return "the shop tells s\(sale)"
        case .contradict(let sale, let what): return "the shop tells s\(sale) with another \(what.rawValue)"
        case .correct(let correction):
            switch correction.way {
            case .restate(let share, let quantity):
                return "somebody corrects s\(correction.sale): \(share) ‰ of its price, quantity \(quantity)"
            case .retract: return "somebody corrects s\(correction.sale): it never happened"
            case .undo: return "somebody corrects s\(correction.sale): it happened after all"
            case .move(let difference):
                return "somebody corrects s\(correction.sale): it happened \(difference / 1_000) s later"
            }
        case .submitInvalid(let nonsense, _, _): return "the shop tells nonsense: \(nonsense.rawValue)"
        case .handOverNonsense: return "a text that is no token arrives"
        case .appleFails(let fault, let app): return "Apple fails at app \(app): \(fault)"
        case .silence(let app, let length):
            return "Apple's notifications about app \(app) do not come through for \(length / 3_600_000) h"
        case .storeFails(let fault):
            let moment = fault.isLate ? "at the commit" : "at once"
            return "after \(fault.after) commits the store fails \(fault.count) times, \(moment)"
        case .crash(let after, let downFor):
            return "after \(after) more commits and requests the process dies, for \(downFor / 1_000) s"
        case .restart: return "the operator restarts the process"
        case .merchantClock(let error): return "the merchant's clock is wrong by \(error / 1_000) s"
        }
    }

    private func describe(_ payment: Action.Payment) -> String {
        let market = world.customers[payment.customer].market
        var names: [String] = []
        if let token = payment.token { names.append("t\(token)") }
        if let checkout = payment.checkout { names.append("k\(checkout)") }
        if payment.saysCustomer { names.append("the customer") }
        if let charge = payment.charge {
            let (from, to) = (SimulatedWorld.start + .milliseconds(charge.start), charge.end - charge.start)
            names.append("\(charge.event.rawValue) of subscription \(charge.subscription) from \(from) for \(to) ms")
        }
        let price = "\(SimulatedWorld.decimal(payment.price, market.digits)) \(market.currency)"
        var missing: [String] = []
        if payment.lines.isEmpty ? payment.tax == nil : payment.lines.contains(where: { $0.tax == nil }) {
            missing.append("tax")
        }
        if !payment.hasCountry { missing.append("country") }
        if market.foreignCurrency != nil, payment.rate == nil { missing.append("rate") }
        let without = missing.isEmpty ? "" : ", without \(missing.joined(separator: " and "))"
        let naming = names.isEmpty ? "nothing" : names.joined(separator: ", ")
        let lines = payment.lines.map { "s\($0.sale) of \(SimulatedWorld.decimal($0.price, market.digits))" }
        let order = lines.isEmpty ? "" : " for \(lines.joined(separator: " and "))"
        return "s\(payment.sale): customer \(payment.customer) pays \(price)\(order) in app \(payment.app), "
            + "naming \(naming)\(without)"
    }
}
