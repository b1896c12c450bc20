import ExternalPurchaseCore
import Testing

@Suite("The payload of a notification is read by spec/06 section 3")
struct NotificationPayloadTests {
    static let worked = #"""
        {"notificationType": "EXTERNAL_PURCHASE_TOKEN", "subtype": "UNREPORTED", "version": "2.0",
         "signedDate": 1822348860000, "notificationUUID": "8a6f1c52-40de-4b1c-9d0f-0f4d8c1f7a11",
         "externalPurchaseToken": {"externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000b",
          "tokenCreationDate": 1790812800000, "tokenExpirationDate": 1822348800000, "tokenType": "SERVICES",
          "appAppleId": 1234567890, "bundleId": "com.example.shop"}}
        """#

    static let common =
        #""version":"2.0","signedDate":1822348860000,"notificationUUID":"8a6f1c52-40de-4b1c-9d0f-0f4d8c1f7a11""#

    static func tokenPayload(_ token: String, subtype: String = #""CREATED""#) -> String {
        #"{"notificationType":"EXTERNAL_PURCHASE_TOKEN","subtype":\#(subtype),\#(common),"#
            + #""externalPurchaseToken":\#(token)}"#
    }

    func read(_ text: String) throws(NotificationPayloadError) -> NotificationPayload {
        try NotificationPayload.read(Array(text.utf8))
    }

    @Test("The worked example of section 3 is read field by field")
    func workedExample() throws {
        let expected = NotificationPayload(
            notificationType: .externalPurchaseToken,
            subtype: .unreported,
            notificationUUID: "8a6f1c52-40de-4b1c-9d0f-0f4d8c1f7a11",
            version: "2.0",
            signedDate: Timestamp(milliseconds: 1_822_348_860_000),
            externalPurchaseToken: ExternalPurchaseToken(
                appAppleId: 1_234_567_890,
                bundleId: "com.example.shop",
                tokenCreationDate: Timestamp(milliseconds: 1_790_812_800_000),
                externalPurchaseId: "4d3f0000-0000-4000-8000-00000000000b",
                tokenType: .services,
                tokenExpirationDate: Timestamp(milliseconds: 1_822_348_800_000)
            )
        )
        let payload = try read(Self.worked)
        #expect(payload == expected)
        #expect(payload.bundleId == "com.example.shop")
        #expect(payload.appAppleId == 1_234_567_890)
    }

    @Test("A payload is written compactly in the order of the table, absent fields left out")
    func encoding() throws {
        let token = try read(Self.worked)
        #expect(
            String(decoding: token.encoded(), as: UTF8.self) == #"""
                {"notificationType":"EXTERNAL_PURCHASE_TOKEN","subtype":"UNREPORTED",\#
                "notificationUUID":"8a6f1c52-40de-4b1c-9d0f-0f4d8c1f7a11","version":"2.0","signedDate":1822348860000,\#
                "externalPurchaseToken":{"externalPurchaseId":"4d3f0000-0000-4000-8000-00000000000b",\#
                "tokenCreationDate":1790812800000,"appAppleId":1234567890,"bundleId":"com.example.shop",\#
                "tokenType":"SERVICES","tokenExpirationDate":1822348800000}}
                """#
        )
        let test = NotificationPayload(
            notificationType: .test,
            notificationUUID: "b",
            signedDate: Timestamp(milliseconds: 5),
            data: NotificationData(bundleId: "com.example", appAppleId: 7, environment: .sandbox)
        )
        #expect(
            String(decoding: test.encoded(), as: UTF8.self) == #"""
                {"notificationType":"TEST","notificationUUID":"b","version":"2.0","signedDate":5,\#
                "data":{"bundleId":"com.example","appAppleId":7,"environment":"Sandbox"}}
                """#
        )
        #expect(try NotificationPayload.read(token.encoded()) == token)
        #expect(try NotificationPayload.read(test.encoded()) == test)
    }

    @Test(
        "The token's id, or the data without a token, determines the environment (NT-40)",
        arguments: [
            (#""SANDBOX_4d3f""#, AppStoreEnvironment.sandbox), (#""4d3f""#, .production),
            (#""sandbox_4d3f""#, .production),
        ]
    )
    func environment(_ id: String, _ expected: AppStoreEnvironment) throws {
        let token = #"{"externalPurchaseId":\#(id),"tokenCreationDate":1,"appAppleId":1,"bundleId":"a"}"#
        #expect(try read(Self.tokenPayload(token)).environment?.known == expected)
        let name = expected == .sandbox ? "Sandbox" : "Production"
        let test =
            #"{"notificationType":"TEST",\#(Self.common),"data":{"bundleId":"a","environment":"\#(name)"}}"#
        #expect(try read(test).environment?.known == expected)
    }

    @Test("Unknown types, subtypes, token types and environments are preserved (NT-41)")
    func openSets() throws {
        let token = """
            {"externalPurchaseId":"x","tokenCreationDate":1,"appAppleId":1,"bundleId":"a","tokenType":"SOON"}
            """
        let ours = try read(Self.tokenPayload(token, subtype: #""LATER""#))
        #expect(ours.subtype == NotificationSubtype(rawValue: "LATER"))
        #expect(ours.externalPurchaseToken?.tokenType == TokenType(rawValue: "SOON"))
        let data = #"{"bundleId":"a","environment":"Xcode"}"#
        let other = try read(#"{"notificationType":"REFUND","subtype":"X",\#(Self.common),"data":\#(data)}"#)
        #expect(other.notificationType == NotificationType(rawValue: "REFUND"))
        #expect(other.subtype == NotificationSubtype(rawValue: "X"))
        #expect(other.environment == NotificationEnvironment(rawValue: "Xcode"))
        #expect(other.environment?.known == nil)
    }

    @Test(
        "Other types need the four common fields and nothing else (NT-42)",
        arguments: [
            "", #","summary":{}"#, #","data":[]"#, #","data":{"bundleId":5,"appAppleId":"1"}"#, #","subtype":1"#,
        ]
    )
    func otherTypes(_ rest: String) throws {
        let payload = try read(#"{"notificationType":"REFUND",\#(Self.common)\#(rest)}"#)
        #expect(payload.bundleId == nil)
        #expect(payload.subtype == nil)
    }

    static let requiredFields = [
        "notificationType", "subtype", "version", "signedDate", "notificationUUID", "externalPurchaseToken",
        "externalPurchaseToken.externalPurchaseId", "externalPurchaseToken.tokenCreationDate",
        "externalPurchaseToken.appAppleId", "externalPurchaseToken.bundleId",
    ]

    /// The worked example with one member replaced, or removed if the value is nil.
    static func worked(_ field: String, _ value: JSONValue?) throws -> [UInt8] {
        func change(_ object: JSONObject, _ path: ArraySlice<Substring>) -> JSONObject {
            JSONObject(
                object.members.compactMap { member in
                    guard let first = path.first, member.key == first else { return member }
                    if path.count > 1, let inner = member.value.objectValue {
                        return .init(member.key, .object(change(inner, path.dropFirst())))
                    }
                    return value.map { .init(member.key, $0) }
                }
            )
        }
        let object = try #require(JSONReader().read(worked).objectValue)
        return JSONValue.object(change(object, field.split(separator: ".")[...])).encoded()
    }

    @Test("A required field that is absent or null is named (NT-42)", arguments: requiredFields)
    func missing(_ field: String) throws {
        for value in [nil, JSONValue.null] {
            let bytes = try Self.worked(field, value)
            let error = #expect(throws: NotificationPayloadError.self) { try NotificationPayload.read(bytes) }
            #expect(error == .missing(field: field))
            #expect(error?.name == "payload-incomplete")
        }
    }

    @Test(
        "A field of another type is named",
        arguments: requiredFields + ["externalPurchaseToken.tokenType", "externalPurchaseToken.tokenExpirationDate"]
    )
    func wrongType(_ field: String) throws {
        let bytes = try Self.worked(field, .bool(true))
        #expect(throws: NotificationPayloadError.wrongType(field: field)) { try NotificationPayload.read(bytes) }
    }

    @Test("A TEST needs the bundle id in its data (NT-42) and has no subtype (NT-73)")
    func test() throws {
        let start = #"{"notificationType":"TEST",\#(Self.common)"#
        #expect(throws: NotificationPayloadError.missing(field: "data")) { try read(start + "}") }
        #expect(throws: NotificationPayloadError.missing(field: "data.bundleId")) { try read(start + #","data":{}}"#) }
        let payload = try read(start + #","data":{"bundleId":"com.example"}}"#)
        #expect(payload.bundleId == "com.example")
        #expect(payload.subtype == nil)
    }

    @Test(
        "A text that is not one JSON object without repeated keys is unreadable",
        arguments: [
            ("", NotificationPayloadError.notJSON(.notJSON(offset: 0, expected: "a value"))),
            ("[]", .notAnObject),
            (#"{"a":1,"a":1}"#, .repeatedField("a")),
            (#"{"z":[{"b":{"c":1,"c":2}}]}"#, .repeatedField("c")),
            (String(repeating: "[", count: 65), .notJSON(.tooDeep(offset: 64))),
        ]
    )
    func unreadable(_ text: String, _ expected: NotificationPayloadError) {
        let error = #expect(throws: NotificationPayloadError.self) { try read(text) }
        #expect(error == expected)
        #expect(error?.name == "payload-unreadable")
    }

    @Test("Type names are compared by scalars, so equivalent texts do not match")
    func lookAlike() {
        #expect(NotificationType(rawValue: "EXTERNAL_PURCHASE_TO\u{212A}EN") != .externalPurchaseToken)
    }
}
