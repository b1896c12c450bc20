import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// The input of `init`.
struct InitRequest: Equatable {
    var family: APIFamily
    /// Distinct region codes in the form of property lists, sorted.
    var countries: [String]
    /// The links of each country, in order.
    var links: [String: [String]]
    /// The bundle id; `$(PRODUCT_BUNDLE_IDENTIFIER)` by default, which Xcode replaces.
    var bundleId: String

    /// - Parameters:
    ///   - countries: alpha-2 or alpha-3 codes in any case.
    ///   - links: `URL` for every country, or `CODE=URL` for one.
    init(family: APIFamily, countries: [String], links: [String], bundleId: String?) throws(CommandFailure) {
        // A value with a variable is judged when the build has replaced it.
        if let bundleId, !bundleId.contains("$("), let fault = BundleId.fault(in: bundleId) {
            throw .input("--bundle-id: \(fault)")
        }
        self.family = family
        self.bundleId = bundleId ?? "$(PRODUCT_BUNDLE_IDENTIFIER)"
        self.countries = Set(countries.map(Self.region)).sorted()
        self.links = [:]
        guard family.needsLinks else {
            guard links.isEmpty else {
                throw .input("--link: \(family.rawValue) declares no links; the app opens them at run time")
            }
            return
        }
        for link in links {
            guard let (country, url) = Self.split(link) else {
                for country in self.countries { self.links[country, default: []].append(link) }
                continue
            }
            guard self.countries.contains(country) else {
                throw .input(
                    "--link \(link.shown()): \(country) is not among the countries; add --country \(country)"
                )
            }
            self.links[country, default: []].append(url)
        }
        for country in self.countries where self.links[country] == nil {
            throw .input(
                "--link is missing for \(country.printable); one looks like \(country.printable)=https://shop.acme.example"
            )
        }
        if family == .link, let country = self.countries.first(where: { (self.links[$0] ?? []).count > 1 }) {
            throw .input("--link: \(country) has several; one is allowed, --api multi-link takes more")
        }
    }

    /// Why no single app can have the countries, whatever it offers (CF-26); nil if one can.
    static func refusal(of countries: [String]) -> String? {
        OwnAppRegion.refusal(of: countries.map(region)).map { "\($0.message). \($0.hint) [korea-needs-own-app]" }
    }

    /// The code in the form of property lists; an unknown code is returned unchanged, so that the linter reports it.
    static func region(_ code: String) -> String {
        let upper = code.uppercased()
        return Country.alpha3(upper)?.region ?? Country.alpha2(upper)?.region ?? code
    }

    /// Splits `nl=https://…` into country and URL; returns nil for a URL alone.
    private static func split(_ link: String) -> (country: String, url: String)? {
        guard let equals = link.firstIndex(of: "=") else { return nil }
        let code = link[..<equals]
        guard (2...3).contains(code.utf8.count), code.utf8.allSatisfy({ ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A })
        else { return nil }
        return (region(String(code)), String(link[link.index(after: equals)...]))
    }
}
