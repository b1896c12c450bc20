import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import Testing

@Suite("Truth table of SK-27")
struct TruthTableTests {
    @Test("The engine agrees with each row of the table", arguments: TruthTable.rows)
    func rows(_ row: TruthTable.Row) throws {
        let engine = try row.engine()
        #expect(row.expected.count == EligibilityQuestion.allCases.count)
        for (question, expected) in zip(EligibilityQuestion.allCases, row.expected) {
            let evaluation = engine.evaluate(question)
            let answer = evaluation.failed.map(\.description) ?? "yes"
            #expect(answer == expected, "\(row.id) \(question.rawValue)\n\(evaluation)")
            #expect(evaluation.isEligible == (expected == "yes"))
            #expect(evaluation.error?.rawValue == TruthTable.errors[expected], "\(row.id) \(question.rawValue)")
        }
    }

    @Test("The table has forty rows")
    func count() {
        #expect(TruthTable.rows.map(\.id) == (1...40).map { "T\($0)" })
    }
}

enum TruthTable {
    struct Row: Sendable, CustomTestStringConvertible {
        let id: String
        let samples: String
        let storefront: String?
        let differences: [String]
        let expected: [String]
        var testDescription: String { id }

        func engine() throws -> EligibilityEngine {
            let names = samples.replacing("-E", with: "").split(separator: "+").map(String.init)
            var configuration = UsableConfiguration(try names.map { try #require(Sample(rawValue: $0)) })
            if samples.hasSuffix("-E") { configuration.entitlements = [:] }
            var engine = EligibilityEngine(storefront: storefront, configuration: configuration)
            for difference in differences {
                switch difference {
                case "-": break
                case "payments": engine.canMakePayments = false
                case "person": engine.isPersonEligible = false
                case "macOS": engine.device.platform = .macOS
                case let sdk where sdk.hasPrefix("sdk"):
                    let version: OSVersion = try #require(OSVersion(String(sdk.dropFirst(3))))
                    engine.device.linkedSDK = version
                case let pack where pack.hasPrefix("pack"):
                    engine.pack = try #require(RegionTables.builtIn.pack(String(pack.dropFirst(4))))
                case let version where version.contains("."):
                    engine.device.osVersion = try #require(OSVersion(version))
                case let mode:
                    engine.device.mode = try #require(AppMode(rawValue: mode))
                }
            }
            return engine
        }
    }

    /// The error of each condition (SK-20); the device is older than 27.0.
    static let errors = [
        "C1": "unsupported", "C2": "unsupported", "C3": "notEntitled", "C4": "notAvailableInStorefront",
        "C5": "notAvailableInStorefront", "C6": "notAvailableInStorefront", "C7": "unsupported", "C8": "systemError",
        "C9": "systemError",
    ]

    // row, configuration, storefront, what differs | canPresent, canOpen, eligibleURLs, isEligible, token(for:)
    static let text = """
        T1 P DEU - | yes C3 C3 C3 C3
        T2 P KOR - | yes C3 C3 C3 C3
        T3 P FRA - | C6 C3 C3 C3 C3
        T4 P CHE - | C5 C3 C3 C3 C3
        T5 P-E DEU - | C3 C3 C3 C3 C3
        T6 P none - | C4 C3 C3 C3 C3
        T7 P DEU payments | C8 C3 C3 C3 C3
        T8 P DEU person | C9 C3 C3 C3 C3
        T9 P DEU 17.3 | C1 C3 C1 C1 C1
        T10 P DEU 17.3,catalyst | C1 C2 C1 C1 C1
        T11 P DEU 17.4,catalyst | yes C3 C1 C1 C1
        T12 P DEU 17.4,compatible-visionos,sdk17.2 | C2 C2 C1 C1 C1
        T13 L DEU - | C3 yes C6 C6 C6
        T14 L RUS - | C3 yes C6 C5 C5
        T15 L FRA - | C3 C6 C6 C6 C6
        T16 L USA - | C3 C5 C5 C5 C5
        T17 L DEU 17.3 | C1 yes C1 C1 C1
        T18 L DEU 17.3,compatible-macos | C1 C2 C1 C1 C1
        T19 M DEU - | C3 C6 yes C6 C6
        T20 M DEU 17.4 | C3 C6 C1 C1 C1
        T21 L+M DEU 17.4 | C3 yes C1 C1 C1
        T22 P+L DEU - | yes yes C6 C6 C6
        T23 C DEU - | C3 C6 C6 yes yes
        T24 C DEU 18.0 | C3 C6 C6 C1 C1
        T25 C ISL - | C3 C6 C6 C5 C5
        T26 S ISL - | C3 C3 C3 yes yes
        T27 S ISL 18.1 | C3 C3 C3 C7 C7
        T28 S ISL macOS,15.4 | C3 C3 C3 C7 C7
        T29 A JPN - | yes C5 C3 yes yes
        T30 A JPN 26.3 | yes C5 C3 yes C7
        T31 A JPN 26.1 | C7 C5 C3 C7 C7
        T32 A BRA - | yes C5 C3 yes yes
        T33 A BRA 26.4 | C7 C5 C3 C7 C7
        T34 A DEU - | yes C6 C3 yes yes
        T35 A DEU 26.1 | C7 C6 C3 C7 C7
        T36 A+L DEU - | yes yes C6 yes yes
        T37 A JPN pack2026-02 | C3 C3 C3 yes yes
        T38 A BRA pack2026-02 | C3 C3 C3 C5 C5
        T39 A JPN pack2025-07 | C3 C3 C3 C3 C3
        T40 A JPN payments | C8 C5 C3 C8 C8
        """

    static let rows: [Row] = text.split(separator: "\n").map { line in
        let words = line.split(separator: " ").map(String.init)
        return Row(
            id: words[0],
            samples: words[1],
            storefront: words[2] == "none" ? nil : words[2],
            differences: words[3].split(separator: ",").map(String.init),
            expected: Array(words[5...])
        )
    }
}
