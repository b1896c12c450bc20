import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

/// The folder of this target's fixtures, with a slash at the end.
let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path() + "/"

@Suite("The session file")
struct SessionFileTests {
    @Test("A session file sets the inputs that it names and no others")
    func netherlands() async throws {
        let session = try StoreKitSession(file: fixtures + "netherlands.json")
        #expect(session.storefront == "NLD")
        #expect(session.device == Device(platform: .iOS, osVersion: OSVersion(26, 4), linkedSDK: OSVersion(26, 4)))
        #expect(session.rulePack.id == "2026-10")
        #expect(session.environment == .sandbox)
        #expect(session.configuration.infoPlist?.path == fixtures + "Info.plist")
        #expect(session.configuration.entitlements?.path == fixtures + "App.entitlements")
        #expect(session.clock() == Timestamp(rfc3339: "2026-11-01T12:00:00Z"))
        #expect(session.canMakePayments)
        #expect(try await session.run { try await BookShop().buy() })
        #expect(try await session.run { try await BookShop().buy() })
        #expect(session.outcomes.map(name) == ["cancelled", "continued"])
        #expect(session.diagnostics.allSatisfy { $0.severity != .error })
    }

    @Test("The closure speaks after the file")
    func configure() throws {
        let session = try StoreKitSession(file: fixtures + "netherlands.json") { $0.storefront = "DEU" }
        #expect(session.storefront == "DEU")
    }

    @Test("An empty object changes nothing")
    func empty() throws {
        var inputs = StoreKitSession.SessionInputs()
        inputs.storefront = "NLD"
        try SessionFile.parse(Array("{}".utf8), path: "s.json").fill(&inputs)
        #expect(inputs.storefront == "NLD")
        #expect(inputs.device == Device())
        #expect(inputs.presenter == nil)
    }

    @Test("Every member reaches its input")
    func members() throws {
        let text = """
            {"storefront": null, "os": "visionOS 1.1", "mode": "compatible-visionos", "sdk": "17.2", "canMakePayments": false,
             "personEligible": false, "environment": "production", "asOf": "2026-03-01", "musicStreaming": true,
             "appAppleId": 42, "sheetAnswers": ["cancel"], "seed": 0}
            """
        var inputs = StoreKitSession.SessionInputs()
        inputs.storefront = "NLD"
        try SessionFile.parse(Array(text.utf8), path: "s.json").fill(&inputs)
        #expect(inputs.storefront == nil)
        #expect(
            inputs.device
                == Device(
                    platform: .visionOS,
                    osVersion: OSVersion(17, 4),
                    mode: .compatibleVisionOS,
                    linkedSDK: OSVersion(17, 2)
                )
        )
        #expect(!inputs.canMakePayments)
        #expect(!inputs.personEligible)
        #expect(inputs.environment == .production)
        #expect(inputs.rulePack.id == "2026-02")
        #expect(inputs.musicStreaming == .yes)
        #expect(inputs.appAppleId == 42)
        #expect(inputs.presenter is ScriptedPresenter)
        #expect(inputs.clock() == StoreKitSession.SessionInputs.seededMoment)
        #expect(StoreKitSession.SessionInputs.seededMoment.description == "2026-11-01T00:00:00Z")
        // The first two numbers of SplitMix64 from 0, with the bits of version 4 and variant 1.
        #expect(inputs.uuid().uuidString == "E220A839-7B1D-4DAF-AE78-9E6AA1B965F4")
    }

    @Test(
        "One error names file, member, fault and remedy",
        arguments: [
            (#"{"storefront":"NL"}"#, #"s.json: error: storefront: "NL" is not an alpha-3 code. Did you mean "NLD"?"#),
            (
                #"{"storefront":"nld"}"#,
                #"s.json: error: storefront: "nld" is not an alpha-3 code. Did you mean "NLD"?"#
            ),
            (
                #"{"storefront":"ABC"}"#,
                #"s.json: error: storefront: "ABC" is not an alpha-3 code. Write one such as "NLD", or null for no storefront."#
            ),
            (
                #"{"storeFront":"NLD"}"#,
                #"s.json: error: storeFront: session files have no such member. Did you mean "storefront"?"#
            ),
            (
                #"{"colour":1}"#,
                """
                s.json: error: colour: session files have no such member. Known are storefront, os, mode, sdk, canMakePayments, \
                personEligible, age, environment, rulePack, asOf, musicStreaming, infoPlist, entitlements, appAppleId, \
                sheetAnswers, seed, now.
                """
            ),
            (
                #"{"os":"iOS 26.4","os":"iOS 26.5"}"#,
                "s.json: error: os: it occurs more than once. Leave one of them out."
            ),
            (
                #"{"os":"iSO 26"}"#,
                #"s.json: error: os: "iSO 26" is not an Apple operating system. Did you mean "iOS"?"#
            ),
            (
                #"{"os":26}"#,
                "s.json: error: os: the value is a number, not a string. Write it in quotes, or leave the member out."
            ),
            (
                #"{"os":"tvOS 26.0","mode":"catalyst"}"#,
                """
                s.json: error: os: mode "catalyst" does not exist on tvOS 26.0. \
                Name a version of macOS, or the iOS version that it stands for.
                """
            ),
            (
                #"{"mode":"Catalyst"}"#,
                #"s.json: error: mode: "Catalyst" is not a value of it. Did you mean "catalyst"?"#
            ),
            (#"{"sdk":"new"}"#, #"s.json: error: sdk: "new" is no version. Write one such as "26.4"."#),
            (
                #"{"canMakePayments":"yes"}"#,
                """
                s.json: error: canMakePayments: the value is a string, not true or false. \
                Write true or false without quotes.
                """
            ),
            (
                #"{"environment":"xcode"}"#,
                #"s.json: error: environment: "xcode" is not a value of it. Known are "sandbox", "production"."#
            ),
            (
                #"{"rulePack":"2026-11"}"#,
                """
                s.json: error: rulePack: there is no rule pack "2026-11". \
                Known are 2024-04, 2025-07, 2026-02, 2026-06, 2026-10.
                """
            ),
            (
                #"{"rulePack":"2026-10","asOf":"2026-10-01"}"#,
                #"s.json: error: asOf: "rulePack" and "asOf" both choose the rule pack. Leave one of them out."#
            ),
            (
                #"{"asOf":"2026-02-30"}"#,
                #"s.json: error: asOf: "2026-02-30" is no day. Write year, month and day, "2026-10-01"."#
            ),
            (
                #"{"asOf":"2020-01-01"}"#,
                "s.json: error: asOf: no rule pack was in force on 2020-01-01. The first begins on 2024-04-01."
            ),
            (
                #"{"musicStreaming":1}"#,
                """
                s.json: error: musicStreaming: the value is neither true nor false nor "auto". \
                Write true for an app that qualifies as music streaming.
                """
            ),
            (
                #"{"appAppleId":"1"}"#,
                """
                s.json: error: appAppleId: the value is not a positive whole number. \
                Write the app's number of App Store Connect without quotes.
                """
            ),
            (
                #"{"sheetAnswers":["continue","cancle"]}"#,
                #"s.json: error: sheetAnswers[1]: "cancle" is not a value of it. Did you mean "cancel"?"#
            ),
            (
                #"{"sheetAnswers":[]}"#,
                """
                s.json: error: sheetAnswers: the list is empty. \
                Name at least one answer; leave the member out for a session that can show no sheet.
                """
            ),
            (#"{"seed":-1}"#, "s.json: error: seed: the value is not a whole number from 0. Write one such as 1."),
            (
                #"{"now":"noon"}"#,
                #"s.json: error: now: "noon" is no moment. Write one such as "2026-11-01T12:00:00Z"."#
            ),
            (
                "{\"os\": \"iOS 26.4\",\n \"ü\" 1}",
                """
                s.json:2:6: error: the text stops being JSON here; : after the member's name is expected. \
                Check quotes and commas; JSON has no comments and no comma after the last member.
                """
            ),
            ("[]", "s.json: error: the content is an array, not an object. Write the members between { and }."),
        ]
    )
    func refused(text: String, message: String) throws {
        let error = try #require(throws: SessionFileError.self) {
            try SessionFile.parse(Array(text.utf8), path: "s.json")
        }
        #expect(error.description == message)
    }

    @Test("A file that is not there is named")
    func missing() throws {
        let error = try #require(throws: SessionFileError.self) { try StoreKitSession(file: "/nowhere/s.json") }
        #expect(error.cause == .unreadable)
        #expect(error.description == "/nowhere/s.json: error: there is no such file. Check the path.")
    }

    @Test("A property list that is not there is named with its member, relative to the session file")
    func missingPropertyList() throws {
        let error = try #require(throws: SessionFileError.self) {
            try SessionFile.parse(Array(#"{"infoPlist":"No.plist"}"#.utf8), path: fixtures + "s.json")
        }
        #expect(error.member == "infoPlist")
        guard case .configuration(let cause) = error.cause else {
            Issue.record("cause is \(error.cause)")
            return
        }
        #expect(cause.cause == .missing)
        #expect(cause.file == fixtures + "No.plist")
        #expect(error.description.hasPrefix("\(fixtures)s.json: error: infoPlist: \(fixtures)No.plist cannot be read"))
    }
}

func name(_ outcome: LinkOutcome) -> String {
    switch outcome {
    case .continued: "continued"
    case .cancelled: "cancelled"
    case .failed(let error): "failed: \(error)"
    }
}
