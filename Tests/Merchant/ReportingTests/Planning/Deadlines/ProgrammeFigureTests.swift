import ExternalPurchaseCore
import Testing

@testable import Reporting

@Suite("Figures of single programmes")
struct ProgrammeFigureTests {
    private func programme(_ id: String) throws -> ReportingProgramme {
        try #require(ReportingProgramme.all.first { $0.id == id })
    }

    @Test("EEA music streaming: tokens and API are Apple's, rates, months and days assumed (OB-35)")
    func streaming() throws {
        let streaming = try programme("eea-streaming")
        #expect(streaming.tokenTypes == [.acquisition, .services, nil])
        #expect(streaming.channel.map(\.channel) == [.externalPurchaseServerAPI])
        for figure in ["tokenTypes", "channel", "regions"] {
            #expect(streaming.confidence[figure]?.level == .apple, "\(figure)")
        }
        #expect(streaming.rates.map { "\($0.percent) \($0.tier)" } == ["27 standard", "12 reduced"])
        #expect(streaming.rates.allSatisfy { $0.confidence.level == .assumed })
        #expect(streaming.calendar == .appleFiscalMonth && streaming.deadlineDays == 15)
        for figure in ["rates", "calendar", "deadlineDays"] {
            #expect(streaming.confidence[figure]?.level == .assumed, "\(figure)")
        }
        // Iceland and Norway have no other programme.
        for region in ["is", "no"] {
            let others = ReportingProgramme.all.filter { other in
                other.regions.contains { name in
                    (name.hasPrefix("@") ? ReportingProgramme.regionSets[String(name.dropFirst())] : [name])?
                        .contains(region) == true
                }
            }
            #expect(others.map(\.id) == ["eea-streaming"], "\(region)")
        }
    }

    struct Channel: Sendable, CustomTestStringConvertible {
        let programme: String
        let hasToken: Bool
        let system: OSVersion?
        let way: ReportingChannel.Way
        var testDescription: String { "\(programme), token \(hasToken), \(system.map { "\($0)" } ?? "any system")" }
    }

    @Test(
        "South Korea has the API and a manual report; Japan's API begins with 26.4, before it the report is manual (OB-38, OB-41)",
        arguments: [
            Channel(programme: "kr", hasToken: true, system: nil, way: .api),
            Channel(programme: "kr", hasToken: false, system: nil, way: .manual),
            Channel(programme: "jp", hasToken: true, system: OSVersion(26, 4), way: .api),
            Channel(programme: "jp", hasToken: true, system: OSVersion(26, 3), way: .manual),
            Channel(programme: "jp", hasToken: false, system: OSVersion(26, 2), way: .manual),
        ]
    )
    func channels(_ row: Channel) throws {
        #expect(try programme(row.programme).channel(hasToken: row.hasToken, system: row.system).way == row.way)
    }

    @Test("Russia has no rate, so that no estimate is shown (OB-39)")
    func russia() throws {
        let russia = try programme("ru")
        #expect(russia.rates.isEmpty && russia.payment == nil)
        #expect(russia.confidence["rates"]?.note == "not found")
        let subject = EstimateSubject(
            id: "i",
            createdAt: try moment("2026-11-20"),
            flow: .outOfApp,
            taxExclusive: MilliUnits(100_000),
            tax: MilliUnits(0),
            currency: "RUB",
            events: CustomerEvents()
        )
        let estimate = russia.estimate(subject)
        #expect(estimate.amount == nil, "\(estimate.reason)")
    }
}
