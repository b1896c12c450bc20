import ExternalPurchaseCore
import Testing

@Suite("What programmes ask of an app's screens")
struct ProgrammeTermsTests {
    @Test("Every programme of the newest rules has terms with a source; In-App Purchase is as SK-87 says")
    func inAppPurchase() throws {
        for programme in RulePack.newest.programmes {
            let terms = try #require(programme.terms, "\(programme.id)")
            for source in [terms.inAppPurchaseSource, terms.minorsSource] {
                #expect(source.confidence.asOf == "2026-11-26")
                #expect(source.page?.hasPrefix("https://developer.apple.com/") ?? (source.confidence.level == .assumed))
            }
        }
        let expected: [String: ProgrammeTerms.InAppPurchase?] = [
            "JPN": .required, "BRA": .required, "DEU": .allowed, "NLD": .allowed, "ISL": .allowed, "KOR": .forbidden,
            "RUS": nil as ProgrammeTerms.InAppPurchase?, "USA": nil as ProgrammeTerms.InAppPurchase?,
        ]
        for (storefront, rule) in expected {
            #expect(ProgrammeTerms.inStorefront(storefront)?.inAppPurchase == rule, "\(storefront)")
        }
        #expect(ProgrammeTerms.inStorefront("CHE") == nil)
        #expect(ProgrammeTerms.inStorefront("XYZ") == nil)
        #expect(ProgrammeTerms.inStorefront("KOR")?.isOwnApp == true)
        #expect(ProgrammeTerms.inStorefront("JPN")?.platforms == [.iOS])
        #expect(ProgrammeTerms.inStorefront("DEU")?.platforms == nil)
    }

    // By hand: the countries' laws on Article 8 of the General Data Protection Regulation.
    @Test(
        "The age of consent takes the place of 13 where it is higher, in the EU only (SK-88)",
        arguments: [
            ("DEU", 16), ("NLD", 16), ("IRL", 16), ("FRA", 15), ("CZE", 15), ("DNK", 15), ("AUT", 14), ("ITA", 14),
            ("ESP", 14),
            ("BEL", 13), ("SWE", 13), ("EST", 13), ("PRT", 13), ("ISL", 13), ("NOR", 13), ("JPN", 13),
        ]
    )
    func ageOfConsent(_ storefront: String, _ age: Int) throws {
        let terms = try #require(ProgrammeTerms.inStorefront(storefront))
        func treatment(_ years: Int) -> ProgrammeTerms.Treatment {
            terms.treatment(of: .outOfApp, age: AgeBand(years), storefront: storefront)
        }
        #expect(treatment(age - 1) == .notOffered)
        #expect(treatment(age) == .parentalGate)
        #expect(treatment(17) == .parentalGate)
        #expect(treatment(18) == .offered)
    }

    @Test("Where nothing was found nobody is refused, and the Kids category counts as the youngest (SK-88)")
    func unknown() throws {
        for storefront in ["KOR", "RUS", "USA"] {
            let terms = try #require(ProgrammeTerms.inStorefront(storefront))
            #expect(terms.minors.isEmpty)
            #expect(
                terms.treatment(of: .outOfApp, age: AgeBand(5), isKidsCategory: true, storefront: storefront)
                    == .offered
            )
        }
        let japan = try #require(ProgrammeTerms.inStorefront("JPN"))
        #expect(japan.treatment(of: .outOfApp, age: .adult, isKidsCategory: true, storefront: "JPN") == .notOffered)
        #expect(japan.treatment(of: .withinApp, age: .adult, isKidsCategory: true, storefront: "JPN") == .parentalGate)
    }

    @Test("A band of ages in the wrong order and below zero is a band")
    func bands() {
        #expect(AgeBand(from: 15, to: 13) == AgeBand(from: 13, to: 15))
        #expect(AgeBand(from: -3, to: nil) == .child)
        #expect(AgeBand(12).lowest == 12 && AgeBand(12).highest == 12)
        #expect(AgeBand().lowest == 0 && AgeBand().highest == nil)
    }
}
