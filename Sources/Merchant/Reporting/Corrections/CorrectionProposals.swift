import ExternalPurchaseCore
import Ledger

/// Plans corrections that follow from a change of an accepted sale, within the caller's transaction.
struct CorrectionProposals: Sendable {
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let dependencies: ReportingDependencies

    private var preparation: CorrectionPreparation {
        CorrectionPreparation(settings: settings, uuid: dependencies.uuid)
    }

    enum Proposal: Sendable {
        /// The correction is stored and can be confirmed if its plan is allowed.
        case dryRun(CorrectionDryRun)
        /// Apple has it so already, such as an amount that is the same once it is converted and rounded.
        case nothing
        /// No correction can express the change; contains the reason.
        case impossible(String)
    }

    /// Plans the correction that changes an accepted sale to the given content.
    ///
    /// If an identical request waits for confirmation, it is planned again under its existing identifier.
    ///
    /// - Parameter content: the sale after the correction; nil retracts it.
    func propose(
        _ content: Sale?,
        for known: StoredSale,
        by author: SaleAuthor,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Proposal {
        var buy: Purchase?
        if let refund = (content ?? known.sale).refund {
            buy = try ledger.sale(refund.refundOf, of: known.sale.bundleId)?.sale.purchase
        }
        let token = try known.whereItIs(in: ledger).attribution.externalPurchaseId
        let wish: CorrectionCommand
        do throws(CorrectionCommand.Inexpressible) {
            wish = try CorrectionCommand(from: known.sale, to: content, on: token, buy: buy, by: author)
        } catch {
            return .impossible(error.reason)
        }
        if apps[wish.bundleId] == nil { return .impossible(FieldError.unregistered(among: apps).description) }
        let planned: CorrectionPreparation.Prepared
        switch try preparation.plan(wish, now: now, in: ledger) {
        case .success(let value): planned = value
        case .failure(let refusal): return .impossible(refusal.description)
        }
        if content != nil, planned.plan.changesNothing { return .nothing }
        if var same = try ledger.unconfirmedCorrection(asking: wish) {
            if same.dryRun?.encoded() != planned.record.encoded() {
                same.dryRun = planned.record
                try ledger.update(same)
            }
            return .dryRun(planned.shown(of: same.correctionId))
        }
        let id = CorrectionId(dependencies.uuid().uuidString.lowercased())
        try preparation.keep(planned, of: wish, as: id, in: ledger, now: now)
        return .dryRun(planned.shown(of: id))
    }
}

extension CorrectionCommand {
    /// A change that no correction can express.
    struct Inexpressible: Error {
        let reason: String
    }

    /// Creates the correction that changes one sale into another (RR-80, RR-81).
    ///
    /// Customer and checkout are not reported and need no correction.
    ///
    /// - Parameters:
    ///   - old: the sale as it was reported.
    ///   - new: the sale after the correction; nil retracts it.
    ///   - token: the token that the sale was reported on.
    ///   - buy: the purchase of a refund.
    ///   - author: the person and the reason.
    init(
        from old: Sale,
        to new: Sale?,
        on token: ExternalPurchaseId?,
        buy: Purchase?,
        by author: SaleAuthor
    ) throws(Inexpressible) {
        var (fields, action) = (Fields(), Action.retract)
        if let new {
            try fields.change(old, to: new, on: token, buy: buy)
            action = fields.isMove ? .move : .restate
        }
        self.init(
            bundleId: old.bundleId,
            saleId: old.saleId,
            action: action,
            fields: fields,
            requestedBy: author.by,
            reason: author.reason ?? "the sale was \(new == nil ? "voided" : "amended")"
        )
    }
}

extension CorrectionCommand.Fields {
    fileprivate var isMove: Bool { occurredAt != nil || externalPurchaseId != nil }

    fileprivate mutating func change(
        _ old: Sale,
        to new: Sale,
        on token: ExternalPurchaseId?,
        buy: Purchase?
    ) throws(CorrectionCommand.Inexpressible) {
        func other(_ name: String) -> CorrectionCommand.Inexpressible {
            .init(reason: "its \(name) cannot be corrected; void it, and send what happened as a new sale")
        }
        if new.occurredAt != old.occurredAt { occurredAt = new.occurredAt }
        if let named = new.externalPurchaseId, named != old.externalPurchaseId, named != token {
            externalPurchaseId = named
        }
        switch (old.kind, new.kind) {
        case (.purchase(let mine), .purchase(let its)):
            try change(mine, to: its)
        case (.subscription(let mine), .subscription(let its)):
            guard mine.subscriptionId == its.subscriptionId else { throw other("subscriptionId") }
            try change(mine.purchase, to: its.purchase)
            if mine.period.start != its.period.start { periodStart = its.period.start }
            if mine.period.end != its.period.end { periodEnd = its.period.end }
            if mine.event != its.event {
                guard let event = its.event else {
                    throw .init(reason: "its event cannot be left open any more")
                }
                self.event = event
            }
        case (.refund(let mine), .refund(let its)):
            guard mine.refundOf == its.refundOf else { throw other("refundOf") }
            // A chargeback is reported as a refund (SA-43).
            guard mine.isChargeback == its.isChargeback else { throw other("type") }
            guard mine.inclusive != its.inclusive || mine.tax != its.tax else { break }
            guard let buy, let tax = its.tax ?? RefundTax.share(of: its.inclusive, from: buy) else {
                throw .init(reason: "the tax of its purchase is not known")
            }
            inclusive = its.inclusive
            self.tax = tax.rounded(toDigits: Currency.code(buy.currency)?.exponent ?? 2)
        default:
            throw other("type")
        }
        if names.isEmpty { throw .init(reason: "nothing that was reported differs") }
    }

    private mutating func change(
        _ old: Purchase,
        to new: Purchase
    ) throws(CorrectionCommand.Inexpressible) {
        if !new.productId.hasSameScalars(as: old.productId) { productId = new.productId }
        if new.quantity != old.quantity { quantity = new.quantity }
        if new.taxCountry != old.taxCountry {
            guard let country = new.taxCountry else { throw .init(reason: "its taxCountry is missing") }
            taxCountry = country
        }
        let isSameMoney =
            new.currency == old.currency && new.inclusive == old.inclusive && new.tax == old.tax
            && (new.exchangeRate == old.exchangeRate || new.exchangeRate?.into(nil) == old.exchangeRate)
        if isSameMoney { return }
        if new.currency != old.currency { currency = new.currency }
        inclusive = new.inclusive
        switch new.tax {
        case .amount(let amount): tax = amount
        case .rate(let rate): taxRate = rate
        case nil:
            guard new.inclusive == 0 else { throw .init(reason: "its tax is missing") }
            tax = 0
        }
        if let quote = new.exchangeRate, new.exchangeRate != old.exchangeRate || new.currency != old.currency {
            exchangeRate = quote
        }
    }
}

extension LedgerQueries {
    /// Finds the unconfirmed correction with the same request, person and reason.
    fileprivate func unconfirmedCorrection(asking wish: CorrectionCommand) throws(LedgerError) -> StoredCorrection? {
        let request = wish.request.encoded()
        let filter = ListFilter([.state: "planned", .saleId: wish.saleId.rawValue])
        var page = LedgerPage(limit: 500)
        while true {
            let rows = try corrections(matching: filter, page)
            let same = rows.first { row in
                row.bundleId == wish.bundleId && row.requestedBy == wish.requestedBy
                    && row.reason == wish.reason && row.request.encoded() == request
            }
            if let same { return same }
            guard rows.count == page.limit, let last = rows.last else { return nil }
            page.after = last.sequence
        }
    }
}
