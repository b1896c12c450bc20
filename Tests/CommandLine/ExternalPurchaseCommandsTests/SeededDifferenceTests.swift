import Foundation
import Testing

// One after another: eight at once would keep both threads of a small machine from the tests with a time limit.
@Suite("An endpoint that departs from the rules is told from one that follows them (CS-10, CS-11)", .serialized)
struct SeededDifferenceTests {
    @Test("There are at least thirty ways, each with a title of its own")
    func count() {
        #expect(SeededDifference.all.count >= 30)
        #expect(Set(SeededDifference.all.map(\.title)).count == SeededDifference.all.count)
    }

    @Test(
        "Each way is found, its setting is named, and an emulator with the profile of the report answers the same",
        arguments: SeededDifference.all
    )
    func found(_ seed: SeededDifference) async throws {
        let result = try await ConformanceInProcess().run(seed.change)
        try Self.expect(result, names: seed)
        let again = try await ConformanceInProcess(profile: result).run()
        Self.expect(again, answersAs: result)
    }

    @Test("The built programs find one and answer the same, over the network and with the report as the profile")
    func builtPrograms() async throws {
        let seed = try #require(SeededDifference.all.first { $0.setting == "messages.12" })
        let fixture = try await ConformanceFixture()
        let endpoint = try SeededEndpoint(before: fixture.emulator.url, change: seed.change)
        let result = try await fixture.run(try await fixture.tokens(), url: endpoint.url)
        #expect(result.exitCode == 1, "\(result.error)")
        try Self.expect(result, names: seed)
        fixture.emulator.terminate()

        let profile = try fixture.scratch.write(result.output, to: "report.json")
        let other = try await ConformanceFixture(["--profile", profile])
        let again = try await other.run(try await other.tokens())
        Self.expect(again, answersAs: result)
        other.emulator.terminate()
    }

    private static func expect(_ result: some ConformanceResult, names seed: SeededDifference) throws {
        #expect(!result.different.isEmpty)
        let value = try #require(result.settings[seed.setting], "\(result.settings) \(words(result))")
        #expect(seed.accepts(value), "\(value)")
        #expect(result.settings.count == 1, "\(result.settings)")
        #expect(result.summary["unexplained"] == 0, "\(words(result))")
        for entry in result.different {
            let names = (entry["differences"] as? [[String: Any]] ?? []).map {
                ($0["setting"] as? [String: Any])?["name"] as? String
            }
            #expect(names.allSatisfy { $0 == seed.setting }, "\(entry["id"] ?? "")")
        }
    }

    private static func expect(_ again: some ConformanceResult, answersAs result: some ConformanceResult) {
        #expect(again.summary["asked"] == result.summary["asked"])
        let (first, second) = (answers(of: result), answers(of: again))
        #expect(!first.isEmpty)
        for (id, answer) in first { #expect(second[id] == answer, "\(id)") }
    }

    private static func words(_ result: some ConformanceResult) -> String {
        result.different.map { entry in
            let differences = (entry["differences"] as? [[String: Any]] ?? []).map {
                "\($0["kind"] ?? "") \($0["rule"] ?? "")"
            }
            return "\(entry["id"] ?? ""): \(differences.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
