import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

extension MerchantList {
    /// Reads the filter parameters of a request; throws a 422 problem with the names of invalid ones.
    ///
    /// The list of a caller with access to one app contains only that app.
    func filter(of request: Request, by caller: Caller, in system: ReportingSystem) async throws
        -> ListFilter
    {
        let known = try await system.lists.knownApps(naming: request.uri.queryParameters["bundleId"].map(String.init))
        let apps = caller.apps.map { own in known.filter(own.contains) } ?? known
        let names = parameterNames
        let texts = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        var (filter, faults) = filter(
            texts.filter { names.containsName($0.name) },
            apps: apps,
            programmes: system.settings.programmes.ids
        )
        if !faults.isEmpty {
            throw Problem.invalid(faults.map { FieldError("?\($0.name)", $0.message) })
        }
        if let own = caller.bundleId { filter[.bundleId] = own.rawValue }
        return filter
    }
}

extension Request {
    /// Returns the app of a query for records, which may be one that only the ledger has.
    func bundleId(in system: ReportingSystem, by caller: Caller) async throws -> BundleId? {
        let named = uri.queryParameters["bundleId"].map(String.init)
        return try bundleId(among: await system.lists.knownApps(naming: named), by: caller)
    }

    /// Returns the app of a query: the named one, or the only one that the caller has access to.
    func bundleId(among apps: some Sequence<BundleId>, by caller: Caller) throws -> BundleId? {
        guard let text = uri.queryParameters["bundleId"] else { return caller.bundleId }
        let apps = caller.apps.map { own in apps.filter(own.contains) } ?? Array(apps)
        guard let bundleId = apps.first(where: { $0.rawValue.hasSameScalars(as: text) }) else {
            throw Problem.invalid("?bundleId", "is none of the apps registered here")
        }
        return bundleId
    }

    /// Returns the app of a query whose use case knows the apps: the named one, or the only one that the caller has
    /// access to.
    func bundleId(for caller: Caller) throws -> BundleId? {
        if let own = caller.bundleId { return try bundleId(among: [own], by: caller) }
        return uri.queryParameters["bundleId"].map { BundleId(String($0)) }
    }
}
