package import ExternalPurchaseCore
package import Ledger

/// The lists of the HTTP interface, named by the last component of their path.
package enum MerchantList: String, Hashable, Sendable, CaseIterable {
    case sales
    case tokens
    case reports
    case due
    case review
    case corrections
    case notifications
    case events
    case exports
    case audit

    /// The filter parameters of the list besides `from` and `until`.
    package var parameters: [ListParameter] {
        switch self {
        case .sales:
            [
                ListParameter(.bundleId), ListParameter(.environment, AppStoreEnvironment.self),
                ListParameter(.state, SaleFilter.State.self), ListParameter(.standing, SaleStanding.self),
                ListParameter(.kind, known: Sale.typeNames), ListParameter(.externalPurchaseId),
                ListParameter(.customerId), ListParameter(.checkoutId), ListParameter(.productId),
                ListParameter(.flag, known: SaleFlag.known.map(\.rawValue)),
            ]
        case .tokens: StoredToken.listFields.parameters + [ListParameter(.checkoutId)]
        case .reports: StoredReport.listFields.parameters + Self.ofTokens
        case .due:
            [
                ListParameter(.bundleId), ListParameter(.environment, AppStoreEnvironment.self),
                ListParameter(.state, known: ["open", "warned", "overdue", "noDeadline", "unconfirmed"]),
                ListParameter(.kind, known: ["token", "lineItem"]), ListParameter(.externalPurchaseId),
                ListParameter(.saleId), ListParameter(.customerId), ListParameter(.productId),
            ]
        case .review: ReviewItem.listFields.parameters
        case .corrections: StoredCorrection.listFields.parameters
        case .notifications: StoredNotification.listFields.parameters + Self.ofTokens
        case .events: StoredPaymentEvent.listFields.parameters
        case .exports: ManualExport.listFields.parameters
        case .audit: AuditEntry.listFields.parameters
        }
    }

    /// Parameters of a row's token, for lists whose rows name a token.
    private static var ofTokens: [ListParameter] { [ListParameter(.customerId), ListParameter(.checkoutId)] }

    /// The names of all filter parameters of the list.
    package var parameterNames: [String] { parameters.map(\.name.rawValue) + ["from", "until"] }

    /// An invalid filter parameter.
    package struct Fault: Hashable, Sendable {
        package let name: String
        package let message: String
    }

    /// Parses filter parameters.
    ///
    /// - Parameters:
    ///   - texts: names and values of the parameters in order; an unknown name is a fault.
    ///   - apps: the known apps; nil accepts any app.
    ///   - programmes: the ids of the known programmes; nil accepts any programme.
    package func filter(
        _ texts: [(name: String, value: String)],
        apps: (some Collection<BundleId>)?,
        programmes: [String]?
    ) -> (filter: ListFilter, faults: [Fault]) {
        var (filter, faults): (ListFilter, [Fault]) = (ListFilter(), [])
        for (name, value) in texts {
            func fault(_ message: String) { faults.append(Fault(name: name, message: message)) }
            let parameter = parameters.first { $0.name.rawValue == name }
            if value.isEmpty {
                fault("is empty")
            } else if value.utf8.contains(0) {
                fault("contains U+0000, which no value has")
            } else if name == "from" || name == "until" {
                guard let time = Timestamp(rfc3339: value) else {
                    fault("is not a time such as 2026-11-20T12:00:00Z")
                    continue
                }
                if name == "from" { filter.from = time } else { filter.until = time }
            } else if let parameter {
                let known = parameter.name == .programme ? programmes : parameter.known
                if let known, !known.containsName(value) {
                    fault("is none of \(known.joined(separator: ", "))")
                } else if parameter.name == .month, !Self.isMonth(value) {
                    fault("is not a month such as 2026-10")
                } else if parameter.name == .bundleId, let apps, !apps.contains(BundleId(value)) {
                    let known = apps.map(\.rawValue).sorted().joined(separator: ", ")
                    fault("is none of the apps registered here: \(known)")
                }
                filter[parameter.name] = value
            } else {
                fault("is not known here; known are \(parameterNames.joined(separator: ", "))")
            }
        }
        return (filter, faults)
    }

    private static func isMonth(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 7, bytes[4] == UInt8(ascii: "-"), (bytes[..<4] + bytes[5...]).allSatisfy(\.isDigit) else {
            return false
        }
        return (1...12).contains(Int(text.suffix(2)) ?? 0)
    }
}
