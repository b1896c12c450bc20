import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

/// Reads the query parameters that lists are filtered by; one that cannot be read is 422 by its name.
extension Request {
    private func parameter(_ name: String) throws -> String? {
        guard let text = uri.queryParameters[name[...]] else { return nil }
        if text.isEmpty { throw Problem.invalid("?\(name)", "is empty") }
        return String(text)
    }

    func id<Value: Identifier>(_ name: String) throws -> Value? {
        try parameter(name).map { Value(rawValue: $0) }
    }

    func text(_ name: String) throws -> String? { try parameter(name) }

    func choice<Value: RawRepresentable & CaseIterable>(_ name: String) throws -> Value?
    where Value.RawValue == String {
        guard let text = try parameter(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.invalid("?\(name)", "is none of \(known)")
        }
        return value
    }

    func moment(_ name: String) throws -> Timestamp? {
        guard let text = try parameter(name) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw Problem.invalid("?\(name)", "is not a time such as 2026-11-20T12:00:00Z")
        }
        return time
    }

    func bundleId(among apps: some Sequence<BundleId>) throws -> BundleId? {
        guard let bundleId: BundleId = try id("bundleId") else { return nil }
        guard apps.contains(bundleId) else {
            throw Problem.invalid("?bundleId", "is none of the apps registered here")
        }
        return bundleId
    }
}

extension SaleListFilter {
    init(of request: Request, apps: some Sequence<BundleId>) throws {
        self.init()
        bundleId = try request.bundleId(among: apps)
        state = try request.choice("state")
        standing = try request.choice("standing")
        customerId = try request.id("customerId")
        checkoutId = try request.id("checkoutId")
        externalPurchaseId = try request.id("externalPurchaseId")
        productId = try request.text("productId")
        from = try request.moment("from")
        until = try request.moment("until")
        flag = try request.text("flag").map(SaleFlag.init(rawValue:))
    }
}

extension TokenListFilter {
    init(of request: Request, apps: some Sequence<BundleId>) throws {
        self.init()
        bundleId = try request.bundleId(among: apps)
        state = try request.choice("state")
        customerId = try request.id("customerId")
        checkoutId = try request.id("checkoutId")
        externalPurchaseId = try request.id("externalPurchaseId")
        from = try request.moment("from")
        until = try request.moment("until")
        flag = try request.text("flag").map(TokenFlag.init(rawValue:))
    }
}

extension ReportListFilter {
    init(of request: Request, apps: some Sequence<BundleId>) throws {
        self.init()
        bundleId = try request.bundleId(among: apps)
        state = try request.choice("state")
        externalPurchaseId = try request.id("externalPurchaseId")
        from = try request.moment("from")
        until = try request.moment("until")
    }
}
