import ExternalPurchaseCore
import Foundation
import Testing

@testable import Reporting

@Suite("Programmes and overlays")
struct ProgrammeTests {
    @Test("Every built-in entry is read whole and without remarks (OB-1)")
    func builtIn() {
        let catalog = ProgrammeCatalog.builtIn
        #expect(catalog.notes == [])
        #expect(
            catalog.programmes.map(\.id) == [
                "eu-2026-10", "eu-2025-06", "eea-streaming", "nl-dating", "kr", "ru", "jp", "br", "us-none",
                "outside-app-store",
            ]
        )
        #expect(catalog.programmes == ReportingProgramme.all)
        #expect(catalog.programmes.map(\.rates.count) == [6, 9, 2, 1, 1, 0, 6, 5, 0, 3])
        #expect(catalog.programmes.allSatisfy { $0.rates.allSatisfy { $0.percent >= 0 } })
    }

    /// The columns of the overview in spec/07, section 2.
    static let overview: [(id: String, from: String, to: String?, calendar: String?, days: Int?, tokens: [String?])] = [
        ("eu-2026-10", "2026-10-01", nil, "civilMonth", 15, ["ACQUISITION", "SERVICES", nil]),
        ("eu-2025-06", "2025-06-26", "2026-09-30", "appleFiscalMonth", 15, ["ACQUISITION", "SERVICES", nil]),
        ("eea-streaming", "2025-06-26", nil, "appleFiscalMonth", 15, ["ACQUISITION", "SERVICES", nil]),
        ("nl-dating", "2024-03-05", nil, "appleFiscalMonth", 15, [nil]),
        ("kr", "2024-03-05", nil, "appleFiscalMonth", 15, [nil]),
        ("ru", "2024-03-05", nil, "appleFiscalMonth", 15, [nil]),
        ("jp", "2025-12-18", nil, "civilMonth", 15, ["IN_APP", "LINK_OUT"]),
        ("br", "2026-07-06", nil, "civilMonth", 15, ["IN_APP", "LINK_OUT"]),
        ("us-none", "2025-05-01", nil, nil, nil, []),
        ("outside-app-store", "2025-12-18", nil, "civilMonth", 15, ["CORE_TECHNOLOGY"]),
    ]

    @Test("The overview's dates, months, days and tokens are those of the data (OB-1, OB-20)", arguments: overview)
    func entryOfOverview(
        row: (id: String, from: String, to: String?, calendar: String?, days: Int?, tokens: [String?])
    ) throws {
        let programme = try #require(ProgrammeCatalog.builtIn.programmes.first { $0.id == row.id })
        #expect(programme.effectiveFrom == row.from)
        #expect(programme.effectiveTo == row.to)
        #expect(programme.calendar?.rawValue == row.calendar)
        #expect(programme.deadlineDays == row.days)
        #expect(programme.tokenTypes.map { $0?.rawValue } == row.tokens)
        #expect(programme.effectiveFrom >= "2024-03-05")
    }

    @Test("A programme survives being written and read")
    func roundTrip() throws {
        let data = try JSONEncoder().encode(ReportingProgramme.all)
        #expect(try JSONDecoder().decode([ReportingProgramme].self, from: data) == ReportingProgramme.all)
    }

    @Test("iOS and iPadOS 26.0 begin apps outside the App Store (OB-44)")
    func platformsOutsideTheAppStore() throws {
        let programme = try #require(ReportingProgramme.all.first { $0.id == "outside-app-store" })
        #expect(programme.platforms.map(\.os) == [.iOS, .iPadOS])
        #expect(programme.platforms.map(\.minimum) == ["26.0", "26.0"])
    }

    @Test("What qualifies a figure stands beside it: conflicting accounts, what was not found (OB-2)")
    func notesOfConfidence() throws {
        func programme(_ id: String) throws -> ReportingProgramme {
            try #require(ReportingProgramme.all.first { $0.id == id })
        }
        let review = try programme("us-none").confidence["mustReport"]
        #expect(review?.level == .secondHand)
        #expect(review?.note?.contains("the Supreme Court granted review on 2026-06-30") == true)
        let perInstall = try #require(programme("eu-2025-06").fixedFees?.first).confidence
        #expect(perInstall.note?.contains("until 2026-09-30") == true)
        let since = try programme("outside-app-store").confidence["effectiveFrom"]
        #expect(since?.note?.contains("from 2026-10-01 or the signature of the terms") == true)
        for id in ["eu-2026-10", "jp", "br", "outside-app-store"] {
            let window = try programme(id).confidence["attributionWindowDays"]
            #expect(window?.note?.contains("calendar days") == true, "\(id)")
        }

        let origin = ObligationOrigin(storefront: StorefrontCode("USA"), token: .none)
        let reason = try ProgrammeCatalog.builtIn.select(origin, at: moment("2026-11-20")).reason
        #expect(
            reason.hasPrefix("us-none (storefront USA): nothing is to be reported since 2025-05-01, second-hand as of")
        )
        #expect(reason.contains("granted review on 2026-06-30"))
        let due = try #require(builtInRules.deadline(of: item(created: "2026-11-20", taxCountry: "BRA")))
        #expect(due.reason.hasSuffix("assumed (as Japan and the EU): look at Apple's page before relying on it"))
    }

    @Test("A rate shows what qualifies it in the reason of the estimate (OB-2)")
    func noteOfRate() throws {
        let programme = try #require(ReportingProgramme.all.first { $0.id == "eu-2025-06" })
        let subject = EstimateSubject(
            id: "i",
            createdAt: try moment("2026-03-15"),
            flow: .outOfApp,
            taxExclusive: MilliUnits(100_000),
            tax: MilliUnits(0),
            currency: "EUR",
            events: CustomerEvents()
        )
        let estimate = programme.estimate(subject, developerProgrammes: ["externalPurchaseLinkAddendum"])
        #expect(estimate.amount == 5)
        #expect(estimate.reason.hasPrefix("5 % core-technology (the percentage is Apple's; of apps"))
    }

    // MARK: Selection

    struct Choice: Sendable {
        let name: String
        var storefront: String?
        var tax: [String] = []
        var token: ObligationOrigin.Token = .none
        var app: [String] = []
        var at = "2026-11-20"
        let left: [String]
    }

    static let choices = [
        Choice(name: "a storefront with one programme", storefront: "KOR", token: .type(nil), left: ["kr"]),
        Choice(
            name: "a storefront beats the tax country",
            storefront: "KOR",
            tax: ["NLD"],
            token: .type(nil),
            left: ["kr"]
        ),
        Choice(name: "without a storefront the tax country", tax: ["JPN"], token: .type(.inApp), left: ["jp"]),
        Choice(
            name: "without a region the type tells EU or EEA streaming",
            token: .type(.services),
            left: ["eu-2026-10", "eea-streaming"]
        ),
        Choice(name: "ACQUISITION likewise", token: .type(.acquisition), left: ["eu-2026-10", "eea-streaming"]),
        Choice(name: "IN_APP tells Japan or Brazil", token: .type(.inApp), left: ["jp", "br"]),
        Choice(name: "LINK_OUT likewise", token: .type(.linkOut), left: ["jp", "br"]),
        Choice(name: "before July 2026 only Japan", token: .type(.linkOut), at: "2026-07-05", left: ["jp"]),
        Choice(name: "CORE_TECHNOLOGY tells itself", token: .type(.coreTechnology), left: ["outside-app-store"]),
        Choice(
            name: "the app's programmes come last",
            token: .type(nil),
            app: ["ru-link", "kr-in-app"],
            left: ["kr", "ru"]
        ),
        Choice(
            name: "a region with several takes the configured one (OB-12)",
            storefront: "NLD",
            token: .type(nil),
            app: ["nl-dating"],
            left: ["nl-dating"]
        ),
        Choice(
            name: "entries can be configured by their own id",
            storefront: "NLD",
            token: .type(.services),
            app: ["eu-2026-10"],
            left: ["eu-2026-10"]
        ),
        Choice(
            name: "unconfigured, several remain in the Netherlands",
            storefront: "NLD",
            token: .type(nil),
            left: ["eu-2026-10", "eea-streaming", "nl-dating"]
        ),
        Choice(name: "Iceland has streaming only", storefront: "ISL", token: .type(.services), left: ["eea-streaming"]),
        Choice(name: "no programme in Switzerland (OB-13)", storefront: "CHE", token: .type(nil), left: []),
        Choice(name: "no programme in Kosovo, whose code matches no entry", storefront: "XKS", token: .none, left: []),
        Choice(
            name: "a type that the region does not have is passed over",
            storefront: "KOR",
            token: .type(.services),
            left: ["kr"]
        ),
        Choice(
            name: "tax countries of several sales",
            tax: ["KOR", "RUS"],
            token: .type(nil),
            left: ["kr", "ru"]
        ),
        Choice(
            name: "the last day of the old terms",
            tax: ["DEU"],
            app: ["eu-custom-link"],
            at: "2026-09-30",
            left: ["eu-2025-06"]
        ),
        Choice(
            name: "the first day of the new ones",
            tax: ["DEU"],
            app: ["eu-custom-link"],
            at: "2026-10-01",
            left: ["eu-2026-10"]
        ),
        Choice(
            name: "outside the App Store the EU joined later than Japan",
            storefront: "DEU",
            token: .type(.coreTechnology),
            at: "2026-09-30",
            left: ["eu-2025-06", "eea-streaming"]
        ),
        Choice(name: "before the report API nothing (OB-20)", token: .type(nil), at: "2024-03-04", left: []),
        Choice(
            name: "an American with a token of a European app",
            tax: ["USA"],
            token: .type(.services),
            app: ["eu-custom-link"],
            left: ["eu-2026-10"]
        ),
        Choice(
            name: "an Icelander with a token of a European app that is not for music",
            tax: ["ISL"],
            token: .type(.acquisition),
            app: ["eu-custom-link"],
            left: ["eu-2026-10"]
        ),
        Choice(
            name: "the tax country decides between the programmes that token and app leave",
            tax: ["ISL"],
            token: .type(.services),
            left: ["eea-streaming"]
        ),
        Choice(
            name: "a Swiss with a plain token of a Korean app",
            tax: ["CHE"],
            token: .type(nil),
            app: ["kr-in-app"],
            left: ["kr"]
        ),
        Choice(
            name: "a storefront without a programme decides against the token",
            storefront: "USA",
            token: .type(.services),
            app: ["eu-custom-link"],
            left: ["us-none"]
        ),
        Choice(name: "without a token, the United States", tax: ["USA"], left: ["us-none"]),
        Choice(
            name: "without a token, a country outside the app's programmes has none",
            tax: ["USA"],
            app: ["eu-custom-link"],
            left: []
        ),
        Choice(name: "nor has the country of another programme", tax: ["ISL"], app: ["eu-custom-link"], left: []),
        Choice(name: "without any fact about the region, the app's programmes", app: ["kr-in-app"], left: ["kr"]),
    ]

    /// Every type of token with the programmes that have it, in November 2026.
    static let types: [(type: TokenType?, programmes: Set<String>)] = [
        (.services, ["eu-2026-10", "eea-streaming"]), (.acquisition, ["eu-2026-10", "eea-streaming"]),
        (nil, ["eu-2026-10", "eea-streaming", "nl-dating", "kr", "ru"]), (.inApp, ["jp", "br"]),
        (.linkOut, ["jp", "br"]), (.coreTechnology, ["outside-app-store"]),
    ]

    @Test("A sale with a token has a programme of its type, whatever its tax country (OB-11)", arguments: types)
    func everyCountry(row: (type: TokenType?, programmes: Set<String>)) throws {
        let configured = [nil] + row.programmes.sorted().map { Optional($0) }
        for country in Country.all {
            for app in configured {
                let origin = ObligationOrigin(
                    taxCountries: [country.alpha3],
                    token: .type(row.type),
                    appProgrammes: app.map { [$0] } ?? []
                )
                let selection = try ProgrammeCatalog.builtIn.select(origin, at: moment("2026-11-20"))
                let ids = Set(selection.programmes.map(\.id))
                let expected = app.map { [$0] } ?? row.programmes
                #expect(!ids.isEmpty && ids.isSubset(of: expected), "\(country.alpha3): \(selection.reason)")
                let programme = try builtInRules.exportProgramme(for: origin, at: moment("2026-11-20"))
                #expect(ids.contains(programme.id))
            }
        }
    }

    @Test("Of two programmes of an app a token keeps one for its life, with its sales and their refunds (OB-11)")
    func oneForLife() throws {
        let names = Set(ProgrammeCatalog.builtIn.programmes.flatMap(\.clientProgrammes)).sorted()
        let months = (8...12).map { "2026-\($0 < 10 ? "0" : "")\($0)" } + (1...9).map { "2027-0\($0)" }
        let days = try months.flatMap { month in try ["01", "14", "28"].map { try moment("\(month)-\($0)") } }
        for (one, other) in names.flatMap({ one in names.filter { one < $0 }.map { (one, $0) } }) {
            for type in [nil, TokenType.services, .inApp] {
                for created in days.prefix(9) {
                    let life = days.filter { $0 >= created }.map { day in
                        let origin = ObligationOrigin(
                            taxCountries: ["USA"],
                            token: .type(type),
                            appProgrammes: [one, other],
                            decidedAt: created
                        )
                        // The terms of the European Union from October follow those before.
                        return builtInRules.exportProgramme(for: origin, at: day).id
                            .replacing("eu-2025-06", with: "eu-2026-10")
                    }
                    #expect(Set(life).count == 1, "\(one), \(other), \(String(describing: type)), \(created): \(life)")
                }
            }
        }
    }

    @Test(
        "The programme is taken from storefront, type, configuration and tax country, in this order (OB-11, OB-13)",
        arguments: choices
    )
    func selection(choice: Choice) throws {
        let origin = ObligationOrigin(
            storefront: try choice.storefront.map(storefront),
            taxCountries: choice.tax,
            token: choice.token,
            appProgrammes: choice.app
        )
        let selection = try ProgrammeCatalog.builtIn.select(origin, at: moment(choice.at))
        #expect(selection.programmes.map(\.id) == choice.left, "\(choice.name): \(selection.reason)")
        #expect(selection.isOpen == (choice.left.count > 1))
        #expect(!selection.reason.isEmpty)
    }

    @Test("While several remain the strictest deadline holds (OB-11)")
    func strictest() throws {
        // Fiscal November 2027 ends on 2026-11-28, civil November on the 30th.
        let first = try token(type: .services, created: "2026-11-20", expires: "2027-11-20")
        let due = try #require(builtInRules.deadline(of: first))
        #expect(due.month?.programme == "eea-streaming")
        #expect(try due.moment == endOfDay("2026-12-13"))
        // Fiscal December ends on 2026-12-26, but civil November on 2026-11-30.
        let later = try token(type: .services, created: "2026-11-29", expires: "2027-11-29")
        #expect(builtInRules.deadline(of: later)?.month?.programme == "eu-2026-10")
        #expect(try builtInRules.deadline(of: later)?.moment == endOfDay("2026-12-15"))
    }

    // MARK: Channels

    static let channels: [(programme: String, hasToken: Bool, system: OSVersion?, way: ReportingChannel.Way)] = [
        ("eu-2026-10", true, OSVersion(26, 4), .api), ("eu-2026-10", true, OSVersion(26, 3), .manual),
        ("eu-2026-10", true, nil, .api), ("eu-2026-10", false, OSVersion(26, 3), .manual),
        ("eu-2026-10", false, OSVersion(26, 4), .manual), ("jp", false, OSVersion(26, 2), .manual),
        ("jp", true, OSVersion(26, 4), .api), ("kr", true, nil, .api), ("kr", false, nil, .manual),
        ("nl-dating", false, nil, .manual), ("br", true, nil, .api), ("br", false, nil, .none),
        ("ru", true, nil, .api),
    ]

    @Test(
        "What the API cannot take goes by hand where the programme has that channel (OB-60, OB-61)",
        arguments: channels
    )
    func channel(row: (programme: String, hasToken: Bool, system: OSVersion?, way: ReportingChannel.Way)) throws {
        let programme = try #require(ProgrammeCatalog.builtIn.programmes.first { $0.id == row.programme })
        let channel = programme.channel(hasToken: row.hasToken, system: row.system)
        #expect(channel.way == row.way, "\(channel.reason)")
        #expect(!channel.reason.isEmpty)
    }

    // MARK: Overlays

    func overlay(_ text: String, acceptance: [String: CalendarDate] = [:]) throws -> ProgrammeCatalog {
        try ProgrammeCatalog(overlay: text, named: "programmes.json", acceptance: acceptance)
    }

    @Test("An empty overlay changes nothing")
    func emptyOverlay() throws {
        #expect(try overlay(#"{"programmes":[]}"#) == ProgrammeCatalog.builtIn)
    }

    @Test("An entry with the date of an existing one changes what it states, with the confidence of an overlay (OB-1)")
    func changedFigure() throws {
        let text = #"{"programmes":[{"id":"br","effectiveFrom":"2026-07-06","deadlineDays":20}]}"#
        let catalog = try overlay(text)
        let br = try #require(catalog.programmes.first { $0.id == "br" })
        #expect(br.deadlineDays == 20)
        #expect(br.confidence["deadlineDays"]?.level == .overlay)
        #expect(br.confidence["calendar"]?.level == .assumed)
        #expect(br.rates.count == 5)
        #expect(catalog.programmes.count == 10)
        let rules = DeadlineRules(catalog: catalog, appProgrammes: [shop: ["br-custom-link"]])
        let due = try #require(rules.deadline(of: item(created: "2026-10-31", taxCountry: "BRA")))
        #expect(try due.moment == endOfDay("2026-11-20"))
    }

    @Test("An entry with a new date is the next version and ends the one before (OB-1)")
    func nextVersion() throws {
        let text = """
            {"programmes":[{"id":"kr","effectiveFrom":"2027-02-01","calendar":"civilMonth","deadlineDays":10,
            "confidence":{"calendar":{"level":"apple"},"deadlineDays":{"level":"apple"}}}]}
            """
        let catalog = try overlay(text)
        let versions = catalog.programmes.filter { $0.id == "kr" }
        #expect(versions.map(\.effectiveFrom) == ["2024-03-05", "2027-02-01"])
        #expect(versions.map(\.effectiveTo) == ["2027-01-31", nil])
        #expect(versions.last?.rates == versions.first?.rates)
        let rules = DeadlineRules(catalog: catalog)
        let before = try #require(rules.deadline(of: item(created: "2027-01-31T23:59:59.999Z", taxCountry: "KOR")))
        #expect(try before.moment == endOfDay("2027-03-14"))
        let after = try #require(rules.deadline(of: item(created: "2027-02-01T00:00:00Z", taxCountry: "KOR")))
        #expect(try after.moment == endOfDay("2027-03-10"))
        #expect(after.month?.confidence.level == .apple)
    }

    @Test("A new file can be tried on what is stored before it takes effect (OB-95)")
    func dryRun() throws {
        let text = #"{"programmes":[{"id":"kr","effectiveFrom":"2026-11-01","deadlineDays":10}]}"#
        let changes = try DeadlineChange.changes(
            of: [
                token(created: "2026-11-20", storefront: "KOR"), token(created: "2026-11-20", storefront: "JPN"),
                item("before", created: "2026-10-31", taxCountry: "KOR"),
                item("after", created: "2026-11-01", taxCountry: "KOR"),
            ].map { DeadlineSubject(row: $0, readiness: .scheduled) },
            from: builtInRules,
            to: DeadlineRules(catalog: overlay(text))
        )
        #expect(try changes.map { $0.before?.moment } == [moment("2026-11-30"), endOfDay("2026-12-13")])
        // The token's own horizon stays the earlier one, but the other rule moved.
        #expect(try changes.map { $0.after?.moment } == [moment("2026-11-30"), endOfDay("2026-12-08")])
        #expect(try changes.map { $0.after?.month?.moment } == [endOfDay("2026-12-08"), endOfDay("2026-12-08")])
    }

    @Test("A later programme replaces the switch for the United States by a date (OB-43)")
    func switchOver() throws {
        let text = """
            {"programmes":[{"id":"us-none","effectiveTo":"2027-03-31"},
            {"id":"us-2027","title":"United States","effectiveFrom":"2027-04-01","regions":["us"],"clientProgrammes":[],
            "platforms":[],"tokenTypes":[null],"channel":[],"mustReport":[],"calendar":"civilMonth","deadlineDays":15,
            "attributionAppliesTo":[],"renewalsCount":true,"rates":[],"confidence":{}}]}
            """
        let catalog = try overlay(text)
        #expect(catalog.notes == [])
        let rules = DeadlineRules(catalog: catalog)
        #expect(try rules.deadline(of: item(created: "2027-03-31", taxCountry: "USA")) == nil)
        let due = try #require(rules.deadline(of: item(created: "2027-04-01", taxCountry: "USA")))
        #expect(try due.moment == endOfDay("2027-05-15"))
        #expect(due.month?.confidence.level == .assumed)
    }

    @Test("Terms begin with the account's acceptance if that is later, the old ones stay until then (OB-30)")
    func acceptance() throws {
        let catalog = try overlay(
            #"{"programmes":[]}"#,
            acceptance: [
                "eu-2026-10": #require(CalendarDate("2026-10-09")), "kr": #require(CalendarDate("2020-01-01")),
            ]
        )
        #expect(catalog.programmes.first { $0.id == "kr" }?.effectiveFrom == "2024-03-05")
        let origin = ObligationOrigin(taxCountries: ["DEU"], token: .none, appProgrammes: ["eu-custom-link"])
        #expect(try catalog.select(origin, at: endOfDay("2026-10-08")).programmes.map(\.id) == ["eu-2025-06"])
        #expect(try catalog.select(origin, at: moment("2026-10-09")).programmes.map(\.id) == ["eu-2026-10"])
    }

    @Test("Unknown conditions and events are reported on load and never hold (OB-70)")
    func unknownConditions() throws {
        let text = """
            {"programmes":[{"id":"kr","effectiveFrom":"2024-03-05","rates":[
            {"id":"moon","flow":"any","tier":"x","percent":"1","base":"netOfTax","confidence":{"level":"overlay"},
            "when":[{"condition":"always"},{"condition":"anyOf","of":[{"condition":"moonPhase","phase":"full"}]}]},
            {"id":"tap","flow":"any","tier":"x","percent":"2","base":"netOfTax","confidence":{"level":"overlay"},
            "when":[{"condition":"withinDaysOf","event":"linkTapp","days":7}]}]}]}
            """
        let catalog = try overlay(text)
        #expect(
            catalog.notes.map(\.description) == [
                "programmes.json: programmes[0].rates[0].when[1].of: condition \"moonPhase\" is unknown and never holds "
                    + "(OB-70)",
                "programmes.json: programmes[0].rates[1].when: event \"linkTapp\" is unknown, so the condition never "
                    + "holds (OB-70); did you mean \"linkTap\"?",
            ]
        )
        let kr = try #require(catalog.programmes.first { $0.id == "kr" })
        let moment = try moment("2026-11-20")
        let subject = EstimateSubject(
            id: "i",
            createdAt: moment,
            flow: .withinApp,
            taxExclusive: MilliUnits(1_000_000),
            tax: MilliUnits(0),
            currency: "KRW",
            events: CustomerEvents(taps: [moment])
        )
        let estimate = kr.estimate(subject)
        // No fee is computed from it, and nothing says that none is owed (OB-71).
        #expect(estimate.amount == nil)
        #expect(estimate.outcome == .unknown)
    }

    @Test("A file may name further programmes for developers and ask about them (OB-70)")
    func ownDeveloperProgramme() throws {
        let text = """
            {"developerProgrammes":["gamesPartner"],"programmes":[{"id":"kr","rates":[
            {"id":"news","flow":"any","tier":"reduced","percent":"11","base":"netOfTax","confidence":{"level":"overlay"},
            "when":[{"condition":"anyOf","of":[{"condition":"developerProgramme","id":"gamesPartner"}]}]}]}]}
            """
        let catalog = try overlay(text)
        #expect(catalog.developerProgrammes.contains("gamesPartner"))
        #expect(!ProgrammeCatalog.builtIn.developerProgrammes.contains("gamesPartner"))
        // Named, but asked about by nothing.
        let unused = try overlay(#"{"developerProgrammes":["gamesPartner"],"programmes":[]}"#)
        #expect(!unused.developerProgrammes.contains("gamesPartner"))
    }

    @Test("The names that count are those that some entry uses (OB-12, OB-70)")
    func usedNames() {
        let catalog = ProgrammeCatalog.builtIn
        #expect(
            catalog.developerProgrammes == [
                "externalPurchaseLinkAddendum", "miniAppsPartner", "newsPartner", "smallBusiness", "smallMarketplace",
                "storeServicesTier1", "videoPartner",
            ]
        )
        #expect(
            catalog.appProgrammes == [
                "br", "br-custom-link", "eea-link", "eea-streaming", "eu-2025-06", "eu-2026-10", "eu-custom-link",
                "eu-in-app", "jp", "jp-custom-link", "kr", "kr-in-app", "nl-dating", "outside-app-store", "ru",
                "ru-link",
                "us-none",
            ]
        )
    }

    static let faults: [(text: String, fault: String)] = [
        (
            #"{"programmes":[{"id":"kr","rates":[{"id":"a","flow":"any","tier":"t","percent":"1","base":"netOfTax","when":[{"condition":"developerProgramme","id":"smallBusinesses"}],"confidence":{"level":"apple"}}]}]}"#,
            "programmes[0].rates[0].when: no programme for developers is \"smallBusinesses\"; known are "
                + "externalPurchaseLinkAddendum, miniAppsPartner, newsPartner, smallBusiness, smallMarketplace, "
                + "storeServicesTier1, videoPartner"
        ),
        (#"{"programmes":[],"developerProgrammes":"a"}"#, "developerProgrammes: not an array of names"),
        ("{\"programmes\":[\n{\"id\":}]}", "programmes.json: is not JSON at line 2, column 7: a value is expected"),
        ("[]", "programmes.json: not an object with an array `programmes`"),
        (#"{"programmes":[{"id":"kr","programes":1}]}"#, "programmes[0].programes: unknown member"),
        (#"{"programmes":[],"program":1}"#, "program: unknown member"),
        (
            #"{"programmes":[{"id":"kr","deadlineDay":1}]}"#,
            "programmes[0].deadlineDay: unknown member; did you mean \"deadlineDays\"?"
        ),
        (#"{"programmes":[{"id":"kr","title":"a","title":"b"}]}"#, "programmes[0].title: stands twice"),
        (#"{"programmes":[{"effectiveFrom":"2026-01-01"}]}"#, "programmes[0].id: missing"),
        (#"{"programmes":[{"id":"kr"},{"id":"kr"}]}"#, "programmes[1]: kr stands twice with the same date"),
        (#"{"programmes":["kr"]}"#, "programmes[0]: not an object"),
        (#"{"programmes":[],"schemaVersion":2}"#, "schemaVersion: 1 would be right"),
        (#"{"programmes":[{"id":"kr","deadlineDays":"15"}]}"#, "programmes[0].deadlineDays: not a whole number"),
        (#"{"programmes":[{"id":"kr","deadlineDays":400}]}"#, "programmes[0].deadlineDays: 400 is not in 0 to 366"),
        (
            #"{"programmes":[{"id":"kr","calendar":null}]}"#,
            "programmes[0].deadlineDays: calendar and deadlineDays stand"
        ),
        (#"{"programmes":[{"id":"kr","calendar":"lunar"}]}"#, "programmes[0].calendar: \"lunar\" is not one of"),
        (
            #"{"programmes":[{"id":"kr","effectiveTo":"2026-02-30"}]}"#,
            "programmes[0].effectiveTo: \"2026-02-30\" is no day"
        ),
        (#"{"programmes":[{"id":"kr","effectiveTo":"2024-03-04"}]}"#, "effectiveTo: 2024-03-04 lies before 2024-03-05"),
        (
            #"{"programmes":[{"id":"kr","regions":["KR"]}]}"#,
            "programmes[0].regions[0]: \"KR\" is no region in lower case; did you mean \"kr\"?"
        ),
        (
            #"{"programmes":[{"id":"kr","regions":["@EU28"]}]}"#,
            "programmes[0].regions[0]: no set \"@EU28\"; known are @EEA-EFTA"
        ),
        (#"{"programmes":[{"id":"kr","regions":[]}]}"#, "programmes[0].regions: empty"),
        (
            #"{"programmes":[{"id":"new","effectiveFrom":"2027-01-01","regions":["gb"]}]}"#,
            "programmes[0].title: missing"
        ),
        (
            #"{"programmes":[{"id":"kr","rates":[{"id":"a","flow":"any","tier":"t","percent":"1,5","base":"netOfTax","when":[],"confidence":{"level":"apple"}}]}]}"#,
            "programmes[0].rates[0].percent: \"1,5\" is not a decimal"
        ),
        (
            #"{"programmes":[{"id":"kr","rates":[{"id":"a","flow":"sideways","tier":"t","percent":"1","base":"netOfTax","when":[],"confidence":{"level":"apple"}}]}]}"#,
            "programmes[0].rates[0].flow: \"sideways\" is not one of withinApp, outOfApp, inAppPurchase, any"
        ),
        (
            #"{"programmes":[{"id":"kr","rates":[{"id":"a","flow":"any","tier":"t","percent":"1","base":"netOfTax","when":[{"condition":"withinDaysOf","event":"linkTap"}],"confidence":{"level":"apple"}}]}]}"#,
            "programmes[0].rates[0].when[0].days: missing"
        ),
        (
            #"{"programmes":[{"id":"kr","rates":[{"id":"a","flow":"any","tier":"t","percent":"101","base":"netOfTax","when":[],"confidence":{"level":"apple"},"adds":true,"addsTo":"b"}]}]}"#,
            "programmes[0].rates[0].percent: 101 is not in 0 to 100"
        ),
    ]

    @Test("A fault in an overlay says where it is and what would be right (OB-1)", arguments: faults)
    func fault(row: (text: String, fault: String)) {
        #expect { try overlay(row.text) } throws: { error in
            let text = "\(error)"
            if !text.contains(row.fault) { Issue.record("\(text)") }
            return text.contains(row.fault) && text.hasPrefix("programmes.json: ")
        }
    }

    @Test("Every fault is told at once, and the size is bounded")
    func bounds() {
        let text = #"{"programmes":[{"id":"kr","deadlineDays":400},{"id":"jp","regions":["zz"]}]}"#
        #expect { try overlay(text) } throws: { ($0 as? ProgrammeFileRefusal)?.faults.count == 2 }
        let large = #"{"programmes":[]}"# + String(repeating: " ", count: 1 << 20)
        #expect { try overlay(large) } throws: { "\($0)" == "programmes.json: larger than 1 MiB" }
        let many = (0..<20_000).map { "\"x\($0)\":1" }.joined(separator: ",")
        #expect { try overlay(#"{"programmes":[{"id":"kr",\#(many)}]}"#) } throws: { error in
            (error as? ProgrammeFileRefusal)?.faults.count == 100
        }
        let deep = String(repeating: "[", count: 100_000)
        #expect { try overlay(deep) } throws: { "\($0)".contains("is nested too deep at line 1, column 17") }
    }
}
