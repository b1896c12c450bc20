import Foundation
import TestSupport
import Testing

@testable import ExternalPurchaseCore

@Suite("The tables of Data/ are complete, consistent and compiled in unchanged")
struct TablesTests {
    static let dataFolder = PackageFolder.file("Data")

    @Test("Every file is compiled in word for word")
    func embedded() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.dataFolder.path).sorted()
        #expect(files.filter { $0.hasSuffix(".json") } == EmbeddedTables.all.keys.sorted())
        for (file, text) in EmbeddedTables.all {
            let onDisk = try String(contentsOf: Self.dataFolder.appending(path: file), encoding: .utf8)
            #expect(text + "\n" == onDisk, "\(file) changed: run ./run tables")
        }
    }

    @Test("Every file states its source and date")
    func sources() throws {
        for (file, text) in EmbeddedTables.all {
            let object = try #require(JSONReader().read(text).objectValue, "\(file)")
            #expect(object["source"]?.stringValue?.isEmpty == false, "\(file)")
        }
    }

    @Test("Countries: 249 codes, each once, with lower-case regions (CF-2)")
    func countries() {
        #expect(Country.all.count == 249)
        #expect(Set(Country.all.map(\.alpha2)).count == 249)
        #expect(Set(Country.all.map(\.alpha3)).count == 249)
        #expect(Country.alpha3("NLD")?.region == "nl")
        #expect(Country.alpha3("nld") == nil)
        #expect(Country.region("gr")?.alpha3 == "GRC")
        #expect(Country.region("el") == nil)
        // U+212A, the kelvin sign, is canonically a K.
        #expect(Country.alpha3("\u{212A}OR") == nil)
        #expect(StorefrontCode("\u{212A}OR") == nil)
        #expect(Currency.code("\u{212A}RW") == nil)
    }

    @Test("Storefronts are alpha-3 or XKS, nothing else (CF-3, SK-11)")
    func storefronts() {
        #expect(StorefrontCode("JPN")?.region == "jp")
        #expect(StorefrontCode("XKS") != nil)
        #expect(StorefrontCode("XKS")?.region == nil)
        for wrong in ["jpn", "JP", "", "XXX", "NLDX"] { #expect(StorefrontCode(wrong) == nil, "\(wrong)") }
        #expect(StorefrontCode.suggestion(for: "jp")?.alpha3 == "JPN")
        #expect(StorefrontCode.suggestion(for: "nld")?.alpha3 == "NLD")
        #expect(StorefrontCode.suggestion(for: "uk")?.alpha3 == "GBR")
        #expect(StorefrontCode.suggestion(for: "Narnia") == nil)
    }

    @Test("Currencies: 171 with 44 reportable ones (RR-50)")
    func currencies() {
        #expect(Currency.all.count == 171)
        #expect(Currency.all.filter(\.reportable).count == 44)
        #expect(Currency.code("JPY")?.exponent == 0)
        #expect(Currency.code("KWD")?.exponent == 3)
        #expect(Currency.code("CLF")?.exponent == 4)
        #expect(Currency.code("ISK")?.reportable == false)
        let listed =
            "AED AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KRW KZT MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RUB SAR SEK SGD THB TRY TWD TZS USD VND ZAR"
        #expect(Currency.all.filter(\.reportable).map(\.code) == listed.split(separator: " ").map(String.init))
    }

    @Test("Errors: codes 1 to 40, three of them with a text of our own (S13)")
    func errors() {
        #expect(ReportErrorEntry.all.map(\.code.rawValue) == Array(1...40))
        #expect(ReportErrorEntry.all.filter { !$0.isMessagePublished }.map(\.code.rawValue) == [37, 38, 40])
        #expect(ReportErrorCode(rawValue: 4).entry?.fieldNames.count == 22)
        #expect(ReportErrorCode(rawValue: 41).entry == nil)
    }

    @Test("Rule packs have the sizes of spec/01 section 7 (CF-60)")
    func packs() {
        let tables = RegionTables.builtIn
        #expect(tables.packs.map(\.id) == ["2024-04", "2025-07", "2026-02", "2026-06", "2026-10"])
        func sizes(_ key: PlistKey) -> [Int?] { tables.packs.map { $0.plistKeys[key]?.codes?.count } }
        #expect(sizes(.externalPurchase) == [28, 28, 28, 28, 28])
        #expect(sizes(.link) == [31, 30, 30, 30, 30])
        #expect(sizes(.multiLink) == [31, 30, 30, 30, 30])
        #expect(sizes(.customLinkRegions) == [nil, 27, 27, 27, 27])
        #expect(sizes(.streamingRegions) == [nil, 29, 29, 29, 29])
        let allowed = tables.packs.map { $0.entitlements[.allowedRegions]?.codes?.count }
        #expect(allowed == [nil, nil, 28, 29, 31])
        #expect(tables.newestPack.entitlements[.allowedRegions]?.contested == ["is", "no"])
        #expect(tables.packs.map(\.widenedEntitlement) == [false, false, false, true, true])
        #expect(tables.packs.map(\.typedTokenAPI) == [false, false, false, false, true])
        #expect(tables.pack(inForceOn: "2026-09-30")?.id == "2026-06")
        #expect(tables.pack(inForceOn: "2023-01-01") == nil)
    }

    @Test("The packs of their time take the lists of autumn 2025 as Boolean entitlements, later ones do not (CF-24)")
    func legacyEntitlements() {
        let tables = RegionTables.builtIn
        #expect(tables.packs.filter { !$0.legacyEntitlements.isEmpty }.map(\.id) == ["2025-07", "2026-02"])
        #expect(Set(tables.legacyEntitlements.keys) == Set(tables.droppedEntitlements))
        for (name, stoodFor) in tables.legacyEntitlements {
            #expect(name.rawValue == stoodFor.rawValue + ".allowed-regions")
            #expect(tables.pack("2025-07")?.entitlements[stoodFor]?.type == "boolean")
        }
        #expect((Entitlement.all + tables.droppedEntitlements).filter(\.isRegionList).count == 4)
    }

    @Test("Every region code of every pack is a country")
    func packCodes() {
        for pack in RegionTables.builtIn.packs {
            let lists = pack.plistKeys.values.compactMap(\.codes) + pack.entitlements.values.compactMap(\.codes)
            for code in lists.joined() + pack.programmes.flatMap(\.storefronts) {
                #expect(Country.region(code) != nil, "\(pack.id): \(code)")
            }
        }
    }

    @Test("Programmes of reporting: ids once, dates in order, deadlines where a calendar is (OB-1)")
    func programmes() {
        let all = ReportingProgramme.all
        #expect(Set(all.map(\.id)).count == all.count)
        #expect(all.count == 10)
        for programme in all {
            #expect((programme.calendar == nil) == (programme.deadlineDays == nil), "\(programme.id)")
            if let end = programme.effectiveTo { #expect(programme.effectiveFrom < end) }
        }
    }

    @Test("The fiscal calendar is gapless and its months end on Saturdays (RR-73)")
    func fiscalCalendar() throws {
        let months = FiscalMonth.all
        #expect(months.count == 84)
        func day(_ text: String) throws -> Int64 {
            try #require(Timestamp(rfc3339: text + "T00:00:00Z")).milliseconds / Timestamp.millisecondsPerDay
        }
        for (month, next) in zip(months, months.dropFirst()) {
            #expect(try day(month.end) + 1 == day(next.start), "\(month)")
        }
        for month in months {
            #expect(try day(month.end) - day(month.start) + 1 == Int64(month.weeks * 7), "\(month)")
            #expect(try day(month.reportDue) - day(month.end) == 15, "\(month)")
            // 1970-01-01 was a Thursday.
            #expect(try (day(month.end) + 4) % 7 == 6, "\(month)")
        }
    }
}
