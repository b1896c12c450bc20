import AppStoreEmulator
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// A phone of the device page, controlled over HTTP in the same way as by the page.
private struct PagePhone {
    let emulator: EmulatorUnderTest
    let id: Int64
    let opened: EmulatorUnderTest.Answer

    static let bundleId = "com.example.gemshop"

    /// An Info.plist with one list or dictionary of external purchases.
    static func infoPlist(_ key: String, _ value: String, bundleId: String = bundleId) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>\(bundleId)</string>
        <key>CFBundleName</key><string>GemShop</string>
        <key>\(key)</key>\(value)
        </dict></plist>
        """
    }

    static func entitlements(_ name: String, _ value: String = "<true/>") -> String {
        let key = "com.apple.developer.storekit.\(name)"
        return #"<plist version="1.0"><dict><key>\#(key)</key>\#(value)</dict></plist>"#
    }

    static let links = (
        plist: infoPlist(
            "SKExternalPurchaseLink",
            "<dict><key>nl</key><string>https://shop.example.com/nl</string></dict>"
        ),
        entitlements: entitlements("external-purchase-link")
    )
    static let customLinks = (
        plist: infoPlist("SKExternalPurchaseCustomLinkRegions", "<array><string>nl</string></array>"),
        entitlements: entitlements("external-purchase-link")
    )
    static let insideApp = (
        plist: infoPlist("SKExternalPurchase", "<array><string>nl</string></array>"),
        entitlements: entitlements("external-purchase")
    )

    static let regions = (
        plist: infoPlist("SKExternalPurchaseCustomLinkRegions", "<array><string>nl</string></array>"),
        entitlements: entitlements(
            "custom-purchase-link.allowed-regions",
            "<array><string>br</string><string>jp</string><string>nl</string></array>"
        )
    )

    static let otherApp = (
        plist: infoPlist("SKExternalPurchase", "<array><string>nl</string></array>", bundleId: "com.example.other"),
        entitlements: entitlements("external-purchase")
    )

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    init(
        _ emulator: EmulatorUnderTest,
        _ files: (plist: String, entitlements: String) = links,
        _ more: String = #""storefront":"NLD","os":"iOS 26.5""#
    ) async throws {
        self.emulator = emulator
        opened = try await emulator.control(
            .POST,
            "/page/sessions",
            #"{"infoPlist":"\#(Self.base64(files.plist))","entitlements":"\#(Self.base64(files.entitlements))",\#(more)}"#
        )
        #expect(opened.status == 201, "\(opened.body)")
        id = try #require(opened["id"]?.int64Value)
    }

    func tap(_ method: String, _ more: String = "") async throws -> EmulatorUnderTest.Answer {
        try await emulator.control(.POST, "/page/sessions/\(id)/tap", #"{"method":"\#(method)"\#(more)}"#)
    }

    func answer(_ action: String) async throws -> EmulatorUnderTest.Answer {
        try await emulator.control(.POST, "/page/sessions/\(id)/sheet", #"{"action":"\#(action)"}"#)
    }

    func change(_ members: String) async throws -> EmulatorUnderTest.Answer {
        try await emulator.control(.PUT, "/page/sessions/\(id)", "{\(members)}")
    }

    func tokens() async throws -> [JSONObject] {
        let list = try await emulator.control(.GET, "/tokens?bundleId=\(Self.bundleId)").json?.arrayValue
        return list?.compactMap(\.objectValue) ?? []
    }
}

@Suite("The device page")
struct DevicePageTests {
    @Test("The page and its files come from the emulator alone and forbid everything else")
    func files() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let files = [
                ("/", "text/html", "device.html"), ("style.css", "text/css", "device.css"),
                ("script.js", "text/javascript", "device.js"),
            ]
            let web = PackageFolder.file("Sources/AppStore/AppStoreEmulator/Web")
            for (name, type, file) in files {
                let path = name == "/" ? name : "/emulator/v1/page/\(name)"
                let response = try await HTTPClient.shared.execute(
                    HTTPClientRequest(url: emulator.address.baseURL + path),
                    timeout: .seconds(300)
                )
                #expect(response.status == .ok)
                #expect(response.headers.first(name: "Content-Type")?.hasPrefix(type) == true)
                let policy = response.headers.first(name: "Content-Security-Policy") ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
                #expect(!policy.contains("unsafe"))
                let text = String(buffer: try await response.body.collect(upTo: 1_048_576))
                #expect(text + "\n" == String(decoding: try Data(contentsOf: web.appending(path: file)), as: UTF8.self))
                // The only absolute URLs are examples in placeholders and messages.
                let addresses = text.matches(of: #/https?:\/\/[a-z0-9.-]+/#).map { String($0.output) }
                #expect(Set(addresses).isSubset(of: ["http://127.0.0.1", "https://your-server"]), "\(addresses)")
            }
            // Opening the page is not a request to Apple's paths.
            #expect(try await emulator.journal().isEmpty)
        }
    }

    @Test(
        "A link: tap, sheet, Continue; the address carries token and bundle id, and the emulator knows the token (TK-60)"
    )
    func link() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(emulator)
            #expect(phone.opened["advice"] == .array([.string("ExternalPurchaseLink.open()")]))
            let sheet = try await phone.tap("ExternalPurchaseLink.open()")["sheet"]?.objectValue
            #expect(sheet?["kind"] == .string("continuation"))
            #expect(sheet?["simulated"] == .bool(true))
            #expect(sheet?["text"]?.stringValue?.contains("shop.example.com") == true)
            #expect(try await phone.tokens().isEmpty)

            let result = try await phone.answer("continue")
            #expect(result["result"] == .string("continued"))
            let token = try #require(result["tokens"]?.arrayValue?.first?.objectValue?["token"]?.stringValue)
            let expected =
                "https://shop.example.com/nl?externalPurchaseToken=\(token)&bundleId=com.example.gemshop"
            #expect(result["url"] == .string(expected))
            #expect(try await phone.tokens().map { $0["token"] } == [.string(token)])
            let decoded = try ExternalPurchaseToken.decode(token)
            #expect(decoded.token.appAppleId == 1_234_567_890)
            #expect(decoded.token.tokenCreationDate == EmulatorUnderTest.now)
            #expect(decoded.token.environment == .sandbox)
        }
    }

    @Test("A token of the page is reported as any other")
    func report() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(emulator)
            _ = try await phone.tap("ExternalPurchaseLink.open()")
            _ = try await phone.answer("continue")
            let id = try #require(
                try await phone.tokens().first?["decoded"]?.objectValue?["externalPurchaseId"]?.stringValue
            )
            let answer = try await emulator.put(Body.noLineItem(1, token: id), bundleId: "com.example.gemshop")
            #expect(answer.status == 200, "\(answer.body)")
            #expect(try await phone.tokens().first?["reportStatus"] == .string("NO_LINE_ITEM"))
        }
    }

    @Test("Cancel makes no token, and the sheet is answered once (TK-30)")
    func cancel() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(emulator)
            _ = try await phone.tap("ExternalPurchaseLink.open()")
            let second = try await phone.tap("ExternalPurchaseLink.open()")
            #expect(second["refused"]?.objectValue?["condition"] == .string("C11"))
            let cancelled = try await phone.answer("cancel")
            #expect(cancelled["result"] == .string("cancelled"))
            #expect(cancelled["url"] == .null)
            #expect(try await phone.tokens().isEmpty)
            let again = try await phone.answer("continue")
            #expect(again.status == 409)
            #expect(again["error"] == .string("no-sheet"))
        }
    }

    @Test("Of several links the chosen one opens, and none that is not configured (SK-55)")
    func multiLink() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let one = "https://shop.example.com/one"
            let files = (
                plist: PagePhone.infoPlist(
                    "SKExternalPurchaseMultiLink",
                    "<dict><key>nl</key><array><string>\(one)</string></array></dict>"
                ),
                entitlements: PagePhone.entitlements("external-purchase-link")
            )
            let phone = try await PagePhone(emulator, files)
            let foreign = try await phone.tap("ExternalPurchaseLink.open(url:)", #","url":"https://other.example/""#)
            #expect(foreign["refused"]?.objectValue?["condition"] == .string("C10"))
            let sheet = try await phone.tap("ExternalPurchaseLink.open(url:)", #","url":"\#(one)""#)
            #expect(sheet["sheet"]?.objectValue?["destination"] == .string(one))
            let url = try await phone.answer("continue")["url"]?.stringValue
            #expect(url?.hasPrefix(one + "?externalPurchaseToken=") == true)
        }
    }

    @Test("A purchase inside the app ends with a token and without an address (TK-63)")
    func insideApp() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(emulator, PagePhone.insideApp)
            let sheet = try await phone.tap("ExternalPurchase.presentNoticeSheet()")
            #expect(sheet["sheet"]?.objectValue?["kind"] == .string("notice"))
            let result = try await phone.answer("continue")
            #expect(result["url"] == .null)
            #expect(result["tokens"]?.arrayValue?.count == 1)
        }
    }

    @Test("Custom links give a customer the same two periods again, and another customer others (TK-34, TK-36)")
    func customLinks() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(emulator, PagePhone.customLinks)
            func tokens() async throws -> [(type: String?, text: String?, isNew: Bool?)] {
                let sheet = try await phone.tap("ExternalPurchaseCustomLink.showNotice")
                #expect(sheet["sheet"]?.objectValue?["kind"] == .string("disclosure"), "\(sheet.body)")
                return try await phone.answer("continue")["tokens"]?.arrayValue?.compactMap(\.objectValue).map {
                    ($0["tokenType"]?.stringValue, $0["token"]?.stringValue, $0["isNew"]?.boolValue)
                } ?? []
            }
            let first = try await tokens()
            #expect(Set(first.map(\.type)) == ["ACQUISITION", "SERVICES"])
            #expect(first.allSatisfy { $0.isNew == true })
            let second = try await tokens()
            #expect(second.map(\.text) == first.map(\.text))
            #expect(second.allSatisfy { $0.isNew == false })

            #expect(try await phone.change(#""account":0"#)["account"] == .integer(2))
            let other = try await tokens()
            #expect(Set(other.map(\.text)).isDisjoint(with: first.map(\.text)))
            #expect(try await phone.change(#""account":1"#).status == 200)
            #expect(try await tokens().map(\.text) == first.map(\.text))
        }
    }

    @Test("In the EU a customer can turn off reminders, and the app then continues without a sheet (SK-67)")
    func remindersOff() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(emulator, PagePhone.customLinks)
            let method = "ExternalPurchaseCustomLink.showNotice"
            #expect(try await phone.tap(method)["sheet"]?.objectValue?["offersNoReminders"] == .bool(true))
            _ = try await phone.answer("continueWithoutReminders")
            let tap = try await phone.tap(method)
            #expect(tap["suppressed"] == .bool(true))
            #expect(tap["result"] == .string("continued"))
        }
    }

    @Test(
        "Japan and Brazil have the app's own disclosure before 27.2, and In-App Purchase beside the offer (SK-66, SK-87)",
        arguments: [
            ("JPN", "26.2", "app", true), ("JPN", "26.5", "app", true), ("JPN", "27.2", "system", true),
            ("BRA", "26.5", "app", true), ("NLD", "26.5", "system", false),
        ]
    )
    func ownDisclosure(_ storefront: String, _ version: String, _ shownBy: String, _ isBeside: Bool) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(
                emulator,
                PagePhone.regions,
                #""storefront":"\#(storefront)","os":"iOS \#(version)""#
            )
            let advice = phone.opened["advice"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(advice.contains("useInAppPurchase") == isBeside, "\(advice)")
            // SK-89: as explain says it.
            let minors = phone.opened["minors"]?.stringValue ?? ""
            #expect(minors.hasPrefix("below 1") && minors.contains("behind a parental gate"), "\(minors)")
            let sheet = try await phone.tap("ExternalPurchaseCustomLink.showNotice")["sheet"]?.objectValue
            #expect(sheet?["shownBy"] == .string(shownBy))
        }
    }

    @Test("In production periods begin with an installation, and the clock of the emulator ends them (TK-32, TK-37)")
    func production() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let more = #""storefront":"NLD","os":"iOS 26.5","environment":"production""#
            let phone = try await PagePhone(emulator, PagePhone.customLinks, more)
            let method = "ExternalPurchaseCustomLink.showNotice"
            _ = try await phone.tap(method)
            let none = try await phone.answer("continue")["tokens"]?.arrayValue?.first?.objectValue
            #expect(none?["token"] == nil)
            #expect(none?["reason"]?.stringValue?.isEmpty == false)
            let event = try await emulator.control(.POST, "/page/sessions/\(phone.id)/events", #"{"event":"install"}"#)
            #expect(event["tokens"]?.arrayValue?.count == 2, "\(event.body)")
            _ = try await phone.tap(method)
            let both = try await phone.answer("continue")["tokens"]?.arrayValue?.compactMap { $0.objectValue?["token"] }
            #expect(both?.count == 2)
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":31536001}"#)
            _ = try await phone.tap(method)
            let late = try await phone.answer("continue")["tokens"]?.arrayValue?.compactMap { $0.objectValue?["token"] }
            #expect(late == [])
        }
    }

    @Test(
        "The page names the failed condition of a method, and the call fails with the same condition",
        arguments: [
            (#""storefront":"USA""#, "C5"), (#""storefront":"DEU""#, "C6"), (#""os":"iOS 14.0""#, "C1"),
            (#""canMakePayments":false"#, "C8"), (#""personEligible":false"#, "C9"),
        ]
    )
    func whyNot(change: String, condition: String) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(emulator)
            let changed = try await phone.change(change)
            let answer = changed["answers"]?.arrayValue?.compactMap(\.objectValue).first {
                $0["question"] == .string("ExternalPurchaseLink.canOpen")
            }
            #expect(answer?["eligible"] == .bool(false))
            #expect(answer?["failed"] == .string(condition))
            #expect(answer?["reason"]?.stringValue?.isEmpty == false)
            let refused = try await phone.tap("ExternalPurchaseLink.open()")["refused"]?.objectValue
            #expect(refused?["condition"] == .string(condition))
        }
    }

    @Test("An unknown app is registered with the id given, a known one keeps its own")
    func registration() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let more = #""storefront":"NLD","appAppleId":42"#
            let phone = try await PagePhone(emulator, PagePhone.links, more)
            #expect(phone.opened["app"]?.objectValue?["appAppleId"] == .integer(42))
            let again = try await PagePhone(emulator)
            #expect(again.opened["app"]?.objectValue?["appAppleId"] == .integer(42))
            let body =
                #"{"infoPlist":"\#(PagePhone.base64(PagePhone.links.plist))","storefront":"NLD","appAppleId":43}"#
            let conflict = try await emulator.control(.POST, "/page/sessions", body)
            #expect(conflict.status == 409)
            #expect(conflict["field"] == .string("appAppleId"))
        }
    }

    @Test("After a reset the phone continues with a new customer")
    func reset() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let phone = try await PagePhone(emulator)
            _ = try await phone.tap("ExternalPurchaseLink.open()")
            _ = try await emulator.control(.POST, "/reset")
            #expect(try await phone.answer("continue")["error"] == .string("no-sheet"))
            _ = try await phone.tap("ExternalPurchaseLink.open()")
            #expect(try await phone.answer("continue")["result"] == .string("continued"))
            #expect(try await phone.tokens().count == 1)
        }
    }

    @Test("Pages of other origins and foreign hosts reach no phone")
    func guarded() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            for headers in [["Origin": "https://evil.example"], ["Host": "evil.example"]] {
                for path in ["sessions", "sessions/1/tap"] {
                    let answer = try await emulator.call(.POST, "/emulator/v1/page/\(path)", "{}", headers: headers)
                    #expect(answer.status == 403, "\(answer.body)")
                }
                let script = try await emulator.call(.GET, "/emulator/v1/page/script.js", headers: headers)
                #expect(script.status == 403)
            }
        }
    }

    @Test("Invalid input is refused with its field, and the next request is served")
    func badInput() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let plist = PagePhone.base64(PagePhone.links.plist)
            let variable = PagePhone.base64(
                PagePhone.infoPlist("A", "<true/>", bundleId: "$(PRODUCT_BUNDLE_IDENTIFIER)")
            )
            let large = Data(count: 1_048_577).base64EncodedString()
            let rows: [(body: String, status: Int, field: String?)] = [
                (#"{"storefront":"NLD"}"#, 422, "infoPlist"),
                (#"{"infoPlist":"%%"}"#, 422, "infoPlist"),
                (#"{"infoPlist":"\#(PagePhone.base64("no plist"))"}"#, 422, "infoPlist"),
                (#"{"infoPlist":"\#(plist)","entitlements":"AAAA"}"#, 422, "entitlements"),
                (#"{"infoPlist":"\#(variable)"}"#, 422, "bundleId"),
                (#"{"infoPlist":"\#(large)"}"#, 413, "infoPlist"),
                (#"{"infoPlist":"\#(large)\#(large)\#(large)"}"#, 413, nil),
                (#"{"infoPlist":"\#(plist)","storefront":"nl"}"#, 422, "storefront"),
                (#"{"infoPlist":"\#(plist)","os":"Windows 11"}"#, 422, "os"),
                (#"{"infoPlist":"\#(plist)","account":9}"#, 422, "account"),
                (#"{"infoPlist":"\#(plist)","path":"/etc/passwd"}"#, 422, "path"),
            ]
            for row in rows {
                let answer = try await emulator.control(.POST, "/page/sessions", row.body)
                #expect(answer.status == row.status, "\(row.body.prefix(80)) \(answer.body)")
                #expect(answer["field"]?.stringValue == row.field, "\(answer.body)")
            }
            #expect(try await emulator.control(.GET, "/page/sessions/7").status == 404)
            #expect(try await emulator.control(.POST, "/page/sessions/7/tap", #"{"method":"x"}"#).status == 422)
            #expect(try await emulator.control(.GET, "/page/options").status == 200)
        }
    }

    @Test("The sample app opens at the start while no other app is registered, and works as it is")
    func sample() async throws {
        let sampleApp = BundleId(rawValue: PagePhone.bundleId)
        try await EmulatorUnderTest.run(apps: [AppRegistration(bundleId: sampleApp, appAppleId: 1_234_567_890)]) {
            emulator async throws in
            func sample() async throws -> JSONObject {
                let options = try await emulator.control(.GET, "/page/options")
                return try #require(options["sample"]?.objectValue)
            }
            var files = try await sample()
            #expect(files["opensAtStart"] == true)
            files.members.removeAll { $0.key == "opensAtStart" }
            let body = String(decoding: JSONValue.object(files).encoded(), as: UTF8.self)
            let phone = try await emulator.control(.POST, "/page/sessions", body)
            #expect(phone.status == 201, "\(phone.body)")
            #expect(phone["advice"]?.arrayValue?.isEmpty == false)
            #expect(try await sample()["opensAtStart"] == true)
            _ = try await PagePhone(emulator, PagePhone.otherApp)
            #expect(try await sample()["opensAtStart"] == false)
        }
    }

    @Test("A hundred phones are stored, and the oldest is removed first")
    func bound() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let first = try await PagePhone(emulator)
            for _ in 0..<100 { _ = try await PagePhone(emulator) }
            #expect(try await emulator.control(.GET, "/page/sessions/\(first.id)").status == 404)
            #expect(try await emulator.control(.GET, "/page/sessions/\(first.id + 1)").status == 200)
        }
    }
}
