import StoreKit

// StoreKit is the only import, as in many apps, because Apple's module re-exports Foundation.

/// The offer page of a shop.
struct OfferPage: Codable, Hashable {
    let url: URL
    let since: Date

    init?(_ text: String, since: Date) {
        guard let url = URL(string: text), url.scheme == "https" else { return nil }
        self.url = url
        self.since = since
    }

    /// The form in which the app stores the page between launches.
    func stored() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// The text beside the link.
    ///
    /// Formatters are in Foundation, not in FoundationEssentials.
    func day() -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyy-MM-dd"
        return formatter.string(from: since)
    }
}

/// Opens the page if the storefront allows it.
func open(_ page: OfferPage) async -> Bool {
    guard let links = await ExternalPurchaseLink.eligibleURLs, links.contains(page.url) else { return false }
    do {
        try await ExternalPurchaseLink.open(url: page.url)
        return true
    } catch StoreKitError.networkError(let error) where error.code == .timedOut {
        return false
    } catch {
        return false
    }
}
