import ExternalPurchaseCore
import Ledger

/// Reads changes from entries of the audit log, each with its subject as it is now.
///
/// A subject that several changes of a page are about is read once.
struct ChangeReader {
    private struct Key: Hashable {
        let subject: ChangeSubject
        let bundleId: BundleId?
        let environment: AppStoreEnvironment?
    }

    private let ledger: LedgerQueries
    private var known: [Key: JSONValue] = [:]

    init(in ledger: LedgerQueries) {
        self.ledger = ledger
    }

    /// Returns the changes of an entry that are selected.
    ///
    /// - Parameters:
    ///   - entry: the entry.
    ///   - skipped: the number of its changes that were read before.
    ///   - isSelected: whether the data of a change is read.
    mutating func changes(
        of entry: AuditEntry,
        skipping skipped: Int = 0,
        where isSelected: (ToldChange) -> Bool
    ) throws(LedgerError) -> (changes: [Change], end: ChangeCursor) {
        let told = try ledger.changes(toldBy: entry)
        var changes: [Change] = []
        for (index, change) in told.enumerated().dropFirst(skipped) where isSelected(change) {
            let key = Array("\(entry.hash.hexadecimal)\n\(index)".utf8)
            changes.append(
                Change(
                    cursor: ChangeCursor(entry, count: index + 1),
                    at: entry.time,
                    type: change.type,
                    bundleId: change.bundleId,
                    subject: change.subject,
                    data: try data(of: change),
                    eventId: "evt_\(key.sha256.hexadecimal.prefix(32))"
                )
            )
        }
        return (changes, ChangeCursor(entry, count: told.count))
    }

    private mutating func data(of change: ToldChange) throws(LedgerError) -> JSONValue {
        if let data = change.data { return data }
        let key = Key(subject: change.subject, bundleId: change.bundleId, environment: change.environment)
        if let data = known[key] { return data }
        let data = try ledger.members(of: change).map { .object(JSONObject($0)) } ?? JSONValue.null
        known[key] = data
        return data
    }
}

extension LedgerQueries {
    /// Returns the members of a subject as its list has them, with the pseudonym of its customer; nil if there is none.
    fileprivate func members(of change: ToldChange) throws(LedgerError) -> [JSONObject.Member]? {
        let id = change.subject.id
        if change.subject.kind == .payment { return try paymentEvent(PaymentEventId(id))?.changeMembers }
        if change.subject.kind == .review {
            return try Int64(id).flatMap { number throws(LedgerError) in try reviewItem(number) }?.changeMembers
        }
        guard let app = change.bundleId else { return nil }
        switch change.subject.kind {
        case .token:
            guard let token = try token(ExternalPurchaseId(id), of: app) else { return nil }
            let pseudonym = try pseudonym(of: token.customerId, app: app)
            return StoredToken.fields.listMembers(of: token).map { member in
                guard member.key == "customerId" else { return member }
                return .init("customer", pseudonym.map(JSONValue.string) ?? .null)
            }
        case .sale:
            guard let sale = try sale(SaleId(id), of: app) else { return nil }
            let receipt = try statingCurrency(sale).receipt(isNew: false, in: self)
            let customer = receipt.sale.sale.customerId
            let pseudonym = try pseudonym(of: customer, app: app)
            var pseudonyms: [CustomerId: String] = [:]
            if let customer, let pseudonym { pseudonyms[customer] = pseudonym }
            return receipt.listMembers(of: receipt.sale.sale.asGiven.json(naming: pseudonyms))
        case .report:
            guard let identifier = RequestIdentifier(id), let environment = change.environment else { return nil }
            return try report(identifier, in: ReportingScope(bundleId: app, environment: environment))?.listMembers
        case .correction:
            return try correction(CorrectionId(id), of: app)?.changeMembers
        case .export:
            let export = ManualExportId(id)
            guard let stored = try manualExport(export, of: app) else { return nil }
            return stored.changeMembers(sales: try sales(in: export, of: app).map(\.sale.saleId))
        case .customer: return [.init("customer", .string(id))]
        case .review, .payment, .ledger: return nil
        }
    }

    /// Returns the pseudonym of a customer, also of one whose id was erased.
    private func pseudonym(of customer: CustomerId?, app: BundleId) throws(LedgerError) -> String? {
        try customer.flatMap { id throws(LedgerError) in try self.customer(id, of: app)?.pseudonym }
    }
}

extension ReviewItem {
    /// The item without its text, which may quote what a sender wrote.
    fileprivate var changeMembers: [JSONObject.Member] {
        let (about, id) = subject.columns
        return [
            .init("sequence", .integer(sequence)), .init("bundleId", .string(bundleId.rawValue)),
            .init("kind", .string(kind.rawValue)), .init("about", .string(about)), .init("id", .string(id)),
            .init("state", .string(resolution == nil ? "open" : "resolved")),
            .init("openedAt", .string(openedAt.description)),
            .init("correctionId", correctionId.map { .string($0.rawValue) } ?? .null),
            .init("resolvedAt", resolution.map { .string($0.resolvedAt.description) } ?? .null),
            .init("resolvedBy", resolution.map { .string($0.by) } ?? .null),
        ]
    }
}

extension StoredCorrection {
    /// The correction without its request and its plan, which name the customer.
    fileprivate var changeMembers: [JSONObject.Member] {
        let state = closing != nil ? "closed" : confirmation == nil ? "planned" : "confirmed"
        return Self.fields.listMembers(of: self).filter { $0.key != "request" && $0.key != "plan" } + [
            .init("saleId", request.objectValue?["saleId"] ?? .null), .init("state", .string(state)),
        ]
    }
}

extension StoredPaymentEvent {
    /// The event without its content, which is the provider's.
    fileprivate var changeMembers: [JSONObject.Member] { Self.fields.listMembers(of: self) }
}

extension ManualExport {
    fileprivate func changeMembers(sales: [SaleId]) -> [JSONObject.Member] {
        let state = withdrawal != nil ? "withdrawn" : submission == nil ? "made" : "handedIn"
        return [
            .init("exportId", .string(exportId.rawValue)), .init("bundleId", .string(bundleId.rawValue)),
            .init("programme", .string(programme)), .init("month", .string(month)), .init("state", .string(state)),
            .init("madeAt", .string(madeAt.description)),
            .init("sales", .array(sales.map { .string($0.rawValue) })),
        ]
    }
}
