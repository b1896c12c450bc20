import ExternalPurchaseCore
public import Foundation

extension PurchaseTokens {
    /// Adds the query item `externalPurchaseId` of the token that StoreKit made for this purchase, never the token itself
    /// (EK-60).
    ///
    /// In Japan and Brazil the sale names it, because no customer leads to a token of one purchase (RR-66). Tokens with a
    /// period are found by the customer: for them the URL stays as it is. Where the purchase has no token,
    /// `externalPurchaseSystem` takes its place, with ``tokenlessSystem`` (EK-62).
    ///
    /// - Parameter url: the page of the website.
    /// - Returns: the URL with the item in place of an earlier one; `url` itself if there is neither.
    public func appendingId(to url: URL) -> URL {
        let id = tokens.lazy.compactMap(\.idWithoutPeriod).first
        let name = id == nil ? "externalPurchaseSystem" : "externalPurchaseId"
        guard let value = (id ?? tokenlessSystem)?.addingPercentEncoding(withAllowedCharacters: .unreserved),
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        // Items as they are encoded, because decoding and encoding turns %2B into a plus sign.
        let others = (components.percentEncodedQueryItems ?? []).filter { $0.name != name }
        components.percentEncodedQueryItems = others + [URLQueryItem(name: name, value: value)]
        return components.url ?? url
    }
}

extension PurchaseToken {
    fileprivate var idWithoutPeriod: String? {
        guard let token = (try? ExternalPurchaseToken.decode(text))?.token else { return nil }
        return token.family == .customLink ? nil : token.externalPurchaseId.rawValue
    }
}

extension CharacterSet {
    // RFC 3986, section 2.3.
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}
