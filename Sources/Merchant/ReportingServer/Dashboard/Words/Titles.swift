import ExternalPurchaseCore
import Ledger
import Reporting

// What a record is, in words: its kind, product, amount and date. Its id stands beside them.

extension Sale {
    /// Such as `Purchase of gems.500, 19.99 EUR, 20 Nov 2026`.
    var title: String { "\(name), \(Shown.day(occurredAt))" }

    /// The sale without its date.
    var name: String {
        let what = Self.nouns[typeName] ?? Shown.words(typeName).capitalizedFirst
        let product: String? =
            if case .order(let lines) = kind { Shown.count(lines.count, "line") } else { purchase?.productId }
        return what + (product.map { " of \($0)" } ?? "") + (amountText.map { ", \($0)" } ?? "")
    }

    private static let nouns = [
        "subscription": "Subscription charge", "cancellation": "Cancellation of a subscription",
        "lapse": "Lapse of a subscription", "chargebackReversal": "Reversal of a chargeback",
    ]
}

extension StoredToken {
    /// Such as `Services token of 20 Nov 2026 11:55`.
    var title: String {
        let kind = token.tokenType.map { Shown.words($0.rawValue.lowercased()).capitalizedFirst + " token" } ?? "Token"
        return "\(kind) of \(Shown.time(token.tokenCreationDate))"
    }
}

extension StoredReport {
    /// Such as `Report of 20 Nov 2026 12:00`.
    var title: String { "Report of \(Shown.time(writtenAt))" }
}

extension StoredNotification {
    /// Such as `External purchase token, unreported`.
    var title: String {
        [type.rawValue, subtype?.rawValue].compactMap(\.self).map { Shown.words($0.lowercased()) }
            .joined(separator: ", ").capitalizedFirst
    }
}

extension StoredPaymentEvent {
    /// Such as `Checkout session completed, 20 Nov 2026`.
    var title: String {
        let words = Shown.words(type.replacing(".", with: " ")).capitalizedFirst
        return "\(words), \(Shown.day(createdAt))"
    }
}

extension StoredCorrection {
    /// The sale that the correction is about.
    var saleName: SaleName? {
        request.objectValue?["saleId"]?.stringValue.map { SaleName(SaleId($0), of: bundleId) }
    }

    /// Such as `Restatement of a purchase of gems.500, 19.99 EUR`.
    func title(_ sale: StoredSale?) -> String {
        let action = request.objectValue?["action"]?.stringValue.flatMap(CorrectionCommand.Action.init(rawValue:))
        let what = action?.noun ?? "Correction"
        return sale.map { "\(what): \($0.sale.name)" } ?? what
    }
}

extension CorrectionCommand.Action {
    var noun: String {
        switch self {
        case .restate: "Restatement"
        case .retract: "Retraction"
        case .undo: "Undone retraction"
        case .move: "Move"
        case .recount: "Recount"
        }
    }

    /// The choice in the form of a sale.
    var choice: String {
        switch self {
        case .restate: "Restate fields"
        case .retract: "Retract: it never happened"
        case .undo: "Undo the retraction"
        case .move: "Move to another time or token"
        case .recount: "Recount the subscription"
        }
    }
}

extension Cell {
    /// A token by what it is; `–` without one, and its id where its record is not known.
    static func token(_ id: ExternalPurchaseId?, in related: RelatedRecords, sub: String? = nil) -> Cell {
        id.map { .link(related.tokens[$0]?.title ?? $0.rawValue, PagePath.token($0), sub: sub) }
            ?? Cell(text: "–", sub: sub)
    }

    /// A sale by what it is.
    static func sale(_ name: SaleName?, in related: RelatedRecords) -> Cell {
        name.map { name in
            .link(related.sales[name]?.sale.title ?? name.saleId.rawValue, PagePath.sale(name.saleId.rawValue))
        } ?? .none
    }
}
