import ExternalPurchaseCore
import Hummingbird
import Ledger
import Reporting

extension MerchantList {
    /// Reads the filter parameters of a request; throws a 422 problem with the names of invalid ones.
    func filter(of request: Request, apps: some Collection<BundleId>) throws -> ListFilter {
        let names = Set(parameterNames)
        let texts = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        let (filter, faults) = filter(texts.filter { names.contains($0.name) }, apps: apps)
        if !faults.isEmpty {
            throw Problem.invalid(faults.map { FieldError("?\($0.name)", $0.message) })
        }
        return filter
    }
}

extension Request {
    func bundleId(among apps: some Sequence<BundleId>) throws -> BundleId? {
        guard let text = uri.queryParameters["bundleId"] else { return nil }
        guard let bundleId = apps.first(where: { $0.rawValue == text }) else {
            throw Problem.invalid("?bundleId", "is none of the apps registered here")
        }
        return bundleId
    }
}
