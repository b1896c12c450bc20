import ExternalPurchaseCore
import Foundation
import Reporting
import Testing

@testable import ExternalPurchaseCommands

/// Keys that YAML 1.1 reads as Booleans, null or numbers: `no` is Norway.
@Suite("A key of YAML is its text in every file that is read")
struct YAMLKeyTests {
    static let words = ["no", "No", "NO", "on", "off", "y", "n", "yes", "true", "null", "1"]

    private static let app = """
        apps:
          - bundleId: com.example.shop
            appAppleId: 1234567890
            key: {file: key.p8, keyId: 2X9R4HXF34, issuerId: 57246542-96fe-1a63-e053-0824d011072a}

        """

    private static func configuration(_ more: String) throws -> ServeConfiguration {
        let scratch = try ScratchFolder()
        _ = try scratch.write("x", to: "key.p8")
        _ = try scratch.write("0123456789abcdef0123456789abcdef", to: "custom.secret")
        return try ServeConfiguration.read(
            path: scratch.write(app + more, to: "serve.yaml"),
            sources: ConfigurationSources(environment: [:])
        )
    }

    private static func profile(_ more: String) throws -> SalesProfile {
        let scratch = try ScratchFolder()
        return try SalesProfile.read(scratch.write(more, to: "profile.yaml"))
    }

    @Test("Links, products and words keep it", arguments: words)
    func texts(_ word: String) throws {
        let link = "https://shop.example.com/x"
        let links = try Self.configuration("    links: {\(word): \"\(link)\"}\n").apps[0].links
        #expect(links.keys.sorted() == [word])

        let payment = "payments: [{provider: custom, bundleId: com.example.shop, secretFile: custom.secret, "
        let products = try Self.configuration(payment + "products: {\(word): gems.100}}]\n").payments[0].terms.products
        #expect(products == [word: "gems.100"])

        let profile = try Self.profile(
            """
            times: {zones: {\(word): "+01:00"}}
            type: {column: Art, words: {\(word): purchase}}
            fields:
              saleId: Id
              taxCountry: {column: Land, words: {\(word): NOR}}
            """
        )
        #expect(profile.times.zones.keys.sorted() == [word.uppercased()])
        #expect(profile.fields["taxCountry"]?.words == [word.lowercased(): "NOR"])
        guard case .words(let words) = profile.type else { throw CancellationError() }
        #expect(words.meanings.keys.sorted() == [word.lowercased()])
    }

    @Test("A storefront of the policy, alpha-2", arguments: ["NO", "\"NO\""])
    func policy(_ word: String) throws {
        let app = try Self.configuration(
            "    policy: {default: {offered: true}, storefronts: {\(word): {offered: false}}}\n"
        ).apps[0]
        #expect(app.policy.storefronts.map { "\($0.key.alpha3) \($0.value.isOffered)" } == ["NOR false"])
    }

    // Of two keys that YAML takes for different ones, the second does not win in silence.
    @Test("The same text twice, once in quotes, is an error", arguments: words)
    func twice(_ word: String) throws {
        let link = "\"https://shop.example.com/x\""
        let payment = "payments: [{provider: custom, bundleId: com.example.shop, secretFile: custom.secret, "
        for yaml in [
            "    links: {\(word): \(link), \"\(word)\": \(link)}\n",
            payment + "products: {\(word): gems.100, \"\(word)\": gems.200}}]\n",
        ] {
            #expect { try Self.configuration(yaml) } throws: { "\($0)".contains("more than once") }
        }
        let fields = "fields: {saleId: Id, taxCountry: {column: Land, words: {\(word): NOR, \"\(word)\": SWE}}}"
        for yaml in [
            "type: purchase\n\(fields)\n",
            "type: purchase\ntimes: {zones: {\(word): \"+01:00\", \"\(word)\": \"+02:00\"}}\nfields: {saleId: Id}\n",
            "type: {column: Art, words: {\(word): purchase, \"\(word)\": refund}}\nfields: {saleId: Id}\n",
        ] {
            #expect { try Self.profile(yaml) } throws: {
                "\($0)".contains("twice") || "\($0)".contains("more than once")
            }
        }
    }
}
