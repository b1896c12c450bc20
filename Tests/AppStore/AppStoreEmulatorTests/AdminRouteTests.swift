import AppStoreEmulator
import Crypto
import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import Testing

@Suite struct AdminRouteTests {
    @Test("Health says ok")
    func health() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let answer = try await emulator.control(.GET, "/health")
            #expect(answer.status == 200)
            #expect(answer.body == #"{"status":"ok"}"#)
            #expect(answer.contentType == "application/json")
        }
    }

    @Test("The clock is real until it is set or advanced, then fixed, and real again on demand (NT-100)")
    func clock() async throws {
        try await EmulatorUnderTest.run(now: nil) { emulator async throws in
            #expect(try await emulator.control(.GET, "/clock")["mode"] == .string("real"))
            let set = try await emulator.control(.PUT, "/clock", #"{"now":"2026-11-21T01:00:00+01:00"}"#)
            #expect(set.body == #"{"now":"2026-11-21T00:00:00Z","mode":"virtual"}"#)
            let advanced = try await emulator.control(.POST, "/clock/advance", #"{"seconds":864000}"#)
            #expect(advanced.body == #"{"now":"2026-12-01T00:00:00Z","mode":"virtual"}"#)
            #expect(try await emulator.control(.GET, "/clock").body == advanced.body)
            #expect(try await emulator.control(.PUT, "/clock", #"{"mode":"real"}"#)["mode"] == .string("real"))
        }
    }

    @Test("The clock cannot be set to before a recorded event, until a reset removes it (NT-102)")
    func clockBackwards() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let back = #"{"now":"2026-11-19T00:00:00Z"}"#
            #expect(try await emulator.control(.PUT, "/clock", back).status == 200)
            #expect(try await emulator.control(.PUT, "/clock", #"{"now":"2026-11-20T00:00:00Z"}"#).status == 200)
            try await emulator.addToken(Body.token)
            let refused = try await emulator.control(.PUT, "/clock", back)
            #expect(refused.status == 422)
            #expect(refused["error"] == .string("clock-backwards"))
            #expect(try await emulator.control(.POST, "/reset").status == 200)
            let start = #"{"now":"2026-11-20T12:00:00Z","mode":"virtual"}"#
            #expect(try await emulator.control(.GET, "/clock").body == start)
            #expect(try await emulator.control(.PUT, "/clock", back).status == 200)
        }
    }

    @Test("Registering an app gives the same credentials at every repetition, and one key serves the issuer's apps")
    func apps() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let body = #"{"appAppleId":5,"notificationURL":"http://127.0.0.1:8800/v1/notifications"}"#
            let first = try await emulator.control(.PUT, "/apps/com.example.second", body)
            #expect(first.status == 200)
            #expect(try await emulator.control(.PUT, "/apps/com.example.second", body).body == first.body)
            #expect(first["keyId"] == .string(emulator.app.keyId))
            #expect(first["issuerId"] == .string(emulator.app.issuerId))
            #expect(first["privateKey"]?.stringValue?.hasPrefix("-----BEGIN PRIVATE KEY-----") == true)
            #expect(try await emulator.control(.POST, "/reset").status == 200)
            #expect(try await emulator.control(.PUT, "/apps/com.example.second", body).body == first.body)
            let listed = try await emulator.control(.GET, "/apps").json?.arrayValue?.compactMap {
                $0.objectValue?["bundleId"]?.stringValue
            }
            #expect(listed == [EmulatorUnderTest.shop.rawValue, "com.example.second"])
        }
    }

    @Test("An app may bring its issuer and its key, and its calls are signed with them")
    func ownKey() async throws {
        let key = P256.Signing.PrivateKey()
        let apps = [
            AppRegistration(
                bundleId: EmulatorUnderTest.shop,
                appAppleId: 1,
                issuerId: "57246542-96fe-1a63-e053-0824d011072a",
                privateKey: key.pemRepresentation
            )
        ]
        try await EmulatorUnderTest.run(apps: apps) { emulator async throws in
            #expect(emulator.app.issuerId == "57246542-96fe-1a63-e053-0824d011072a")
            #expect(emulator.app.privateKey == key.pemRepresentation)
            #expect(try await emulator.get(Body.request(1)).status == 400)
        }
    }

    @Test("Minted tokens have the given fields and defaults for the others (TK-39)")
    func minting() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let sandbox = try await emulator.control(
                .POST,
                "/tokens",
                #"{"bundleId":"com.example.shop","tokenType":"SERVICES"}"#
            )
            #expect(sandbox.status == 201)
            let token = try ExternalPurchaseToken.decode(
                try #require(sandbox["token"]?.stringValue),
                mode: .strict
            ).token
            #expect(token.environment == .sandbox)
            #expect(token.appAppleId == 1_234_567_890)
            #expect(token.tokenCreationDate == EmulatorUnderTest.now)
            #expect(token.tokenExpirationDate == EmulatorUnderTest.now + .hours(1))
            let decoded = sandbox["decoded"]?.objectValue
            #expect(decoded?["family"] == .string("customLink"))
            #expect(decoded?["externalPurchaseId"] == .string(token.externalPurchaseId.rawValue))
            let production = try await emulator.control(
                .POST,
                "/tokens",
                #"{"bundleId":"com.example.shop","tokenType":"ACQUISITION","environment":"production","creationDate":1790812800000}"#
            )
            let expiration = production["decoded"]?.objectValue?["tokenExpirationDate"]?.int64Value
            #expect(expiration == 1_790_812_800_000 + 180 * Timestamp.millisecondsPerDay)
        }
    }

    @Test("A token minted elsewhere is registered as it is, once; the same id with other fields is a conflict")
    func registration() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            var token = ExternalPurchaseToken(
                appAppleId: 1_234_567_890,
                bundleId: EmulatorUnderTest.shop,
                tokenCreationDate: EmulatorUnderTest.now,
                externalPurchaseId: ExternalPurchaseId(Body.token)
            )
            let body = #"{"token":"\#(token.encoded(padding: true))"}"#
            let first = try await emulator.control(.POST, "/tokens", body)
            #expect(first.status == 201)
            #expect(first["token"] == .string(token.encoded(padding: true)))
            #expect(try await emulator.control(.POST, "/tokens", body).status == 200)
            token.tokenCreationDate = token.tokenCreationDate + .milliseconds(1)
            let conflict = try await emulator.control(.POST, "/tokens", #"{"token":"\#(token.encoded())"}"#)
            #expect(conflict.status == 409)
            token.appAppleId = 7
            let foreign = try await emulator.control(.POST, "/tokens", #"{"token":"\#(token.encoded())"}"#)
            #expect(foreign.status == 422)
            #expect(foreign["error"] == .string("foreign-token"))
            let unreadable = try await emulator.control(.POST, "/tokens", #"{"token":"!"}"#)
            #expect(unreadable.status == 422)
            #expect(unreadable["error"] == .string("not-base64url"))
        }
    }

    @Test("Tokens are listed by app with the status of their last report")
    func listing() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            func status() async throws -> JSONValue? {
                let list = try await emulator.control(.GET, "/tokens?bundleId=com.example.shop").json?.arrayValue
                return list?.first?.objectValue?["reportStatus"]
            }
            #expect(try await status() == .null)
            _ = try await emulator.put(Body.noLineItem(1))
            #expect(try await status() == .string("NO_LINE_ITEM"))
            _ = try await emulator.put(Body.buy(2))
            #expect(try await status() == .string("LINE_ITEM"))
            #expect(try await emulator.control(.GET, "/tokens?bundleId=com.example.none").status == 422)
        }
    }

    @Test("Settings are read and set by name, all or none")
    func settings() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let before = try await emulator.control(.GET, "/settings")
            #expect(before["rules.clockSkew"] == .string("5min"))
            #expect(before["limits.bodyBytes"] == .string("1048576"))
            let refused = try await emulator.control(
                .PUT,
                "/settings",
                #"{"rules.clockSkew":"300ms","rules.noSuch":"on"}"#
            )
            #expect(refused.status == 422)
            #expect(refused["error"] == .string("unknown-setting"))
            #expect(try await emulator.control(.GET, "/settings").body == before.body)
            let set = try await emulator.control(.PUT, "/settings", #"{"rules.clockSkew":"300s","auth.off":"on"}"#)
            #expect(set["rules.clockSkew"] == .string("5min"))
            #expect(set["auth.off"] == .string("on"))
            #expect(try await emulator.control(.POST, "/reset").status == 200)
            #expect(try await emulator.control(.GET, "/settings").body == before.body)
        }
    }

    @Test("A setting of the rules reaches the validator")
    func ruleSetting() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let future = Body.buy(1).replacingOccurrences(of: "1794906000000", with: "1795179600000")
            #expect(try await emulator.put(future).body.contains(#""errorCode":6"#))
            _ = try await emulator.control(.PUT, "/settings", #"{"rules.clockSkew":"1h"}"#)
            #expect(try await emulator.put(future).status == 200)
        }
    }

    struct Refusal: Sendable {
        let method: String
        let path: String
        var body: String?
        let status: Int
        let error: String

        static let all: [Refusal] = [
            .init(method: "GET", path: "/nothing", status: 404, error: "unknown-path"),
            .init(method: "POST", path: "/notifications", body: "{}", status: 422, error: "missing-field"),
            .init(method: "POST", path: "/snapshot", body: "{}", status: 405, error: "wrong-method"),
            .init(method: "PUT", path: "/snapshot", body: "{}", status: 400, error: "not-a-snapshot"),
            .init(method: "GET", path: "/accounts", status: 405, error: "wrong-method"),
            .init(method: "POST", path: "/devices", body: "{}", status: 422, error: "missing-field"),
            .init(
                method: "POST",
                path: "/devices/9/events",
                body: #"{"event":"install"}"#,
                status: 404,
                error: "unknown-device"
            ),
            .init(method: "POST", path: "/health", body: "{}", status: 405, error: "wrong-method"),
            .init(method: "GET", path: "/reset", status: 405, error: "wrong-method"),
            .init(method: "PUT", path: "/clock", body: "{", status: 400, error: "not-json"),
            .init(method: "PUT", path: "/clock", body: "[]", status: 400, error: "not-an-object"),
            .init(method: "PUT", path: "/clock", body: "{}", status: 422, error: "invalid-clock"),
            .init(method: "PUT", path: "/clock", body: #"{"now":"yesterday"}"#, status: 422, error: "invalid-field"),
            .init(method: "PUT", path: "/clock", body: #"{"mode":"fast"}"#, status: 422, error: "invalid-field"),
            .init(method: "PUT", path: "/clock", body: #"{"speed":2}"#, status: 422, error: "unknown-field"),
            .init(method: "POST", path: "/clock/advance", body: "{}", status: 422, error: "missing-field"),
            .init(
                method: "POST",
                path: "/clock/advance",
                body: #"{"seconds":-1}"#,
                status: 422,
                error: "clock-backwards"
            ),
            .init(
                method: "POST",
                path: "/clock/advance",
                body: #"{"seconds":9223372036854775807}"#,
                status: 422,
                error: "clock-out-of-range"
            ),
            .init(method: "PUT", path: "/apps/com.example.b", body: "{}", status: 422, error: "missing-field"),
            .init(
                method: "PUT",
                path: "/apps/com.example.b",
                body: #"{"appAppleId":0}"#,
                status: 422,
                error: "out-of-range"
            ),
            .init(
                method: "PUT",
                path: "/apps/not%20an%20id",
                body: #"{"appAppleId":1}"#,
                status: 422,
                error: "malformed-bundle-id"
            ),
            .init(
                method: "PUT",
                path: "/apps/%2E%2E",
                body: #"{"appAppleId":1}"#,
                status: 422,
                error: "malformed-bundle-id"
            ),
            .init(
                method: "PUT",
                path: "/apps/" + String(repeating: "a", count: 300),
                body: #"{"appAppleId":1}"#,
                status: 422,
                error: "malformed-bundle-id"
            ),
            .init(
                method: "PUT",
                path: "/apps/com.example.b",
                body: #"{"appAppleId":1,"privateKey":"hunter2"}"#,
                status: 422,
                error: "invalid-private-key"
            ),
            .init(method: "POST", path: "/tokens", body: "{}", status: 422, error: "missing-field"),
            .init(method: "POST", path: "/tokens", body: #"{"bundleId":"x.y"}"#, status: 422, error: "unknown-app"),
            .init(
                method: "POST",
                path: "/tokens",
                body: #"{"bundleId":"com.example.shop","environment":"sandbox","externalPurchaseId":"a"}"#,
                status: 422,
                error: "environment-mismatch"
            ),
            .init(
                method: "POST",
                path: "/tokens",
                body: #"{"bundleId":"com.example.shop","tokenType":"SERVICE"}"#,
                status: 422,
                error: "invalid-field"
            ),
            .init(method: "PUT", path: "/settings", body: #"{"auth.off":true}"#, status: 422, error: "invalid-setting"),
            .init(
                method: "PUT",
                path: "/settings",
                body: #"{"auth.off":"yes"}"#,
                status: 422,
                error: "invalid-setting"
            ),
        ]
    }

    @Test("Invalid input to a control path gives one error with field, reason and remedy")
    func refusals() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            for refusal in Refusal.all {
                let method = refusal.method
                let answer = try await emulator.control(.init(rawValue: method), refusal.path, refusal.body)
                #expect(answer.status == refusal.status, "\(method) \(refusal.path) \(refusal.body ?? "")")
                #expect(answer["error"] == .string(refusal.error), "\(method) \(refusal.path): \(answer.body)")
                #expect(answer["message"]?.stringValue?.isEmpty == false)
                #expect(!answer.body.contains("hunter2"))
            }
        }
    }

    @Test(
        "A foreign Host or Origin and a body without JSON's type are refused, so that no web page drives the emulator",
        arguments: [
            (["Host": "evil.example"], 403), (["Host": "evil.example:8801"], 403),
            (["Origin": "https://evil.example"], 403), (["Origin": "null"], 403),
            (["Origin": "http://localhost:3000"], 403), (["Content-Type": "text/plain"], 415),
            (["Host": "localhost:8801"], 200), (["Host": "[::1]:8801"], 200),
            (["Host": "127.0.0.1:8801", "Origin": "http://127.0.0.1:8801"], 200),
            (["Content-Type": "application/json; charset=utf-8"], 200),
        ]
    )
    func webPages(headers: [String: String], status: Int) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let body = #"{"now":"2026-11-22T00:00:00Z"}"#
            let answer = try await emulator.call(.PUT, "/emulator/v1/clock", body, headers: headers)
            #expect(answer.status == status, "\(answer.body)")
            let moved = try await emulator.control(.GET, "/clock").body.contains("2026-11-22")
            #expect(moved == (status == 200))
        }
    }

    @Test(
        "An emulator that listens on every address accepts the allowed hosts, and no other name or origin",
        arguments: [
            (["Host": "evil.example:8801"], 403), (["Host": "192.168.1.5:8801"], 403), (["Host": "emulator.evil"], 403),
            (["Host": "emulator:8801"], 200), (["Host": "Emulator"], 200), (["Host": "[fd00::7]:8801"], 200),
            (["Host": "127.0.0.1:8801"], 200), (["Host": "emulator:8801", "Origin": "http://evil.example"], 403),
            (["Host": "emulator:8801", "Origin": "http://emulator:8801"], 200),
        ]
    )
    func everyAddress(headers: [String: String], status: Int) async throws {
        try await EmulatorUnderTest.run(host: "0.0.0.0", allowedHosts: ["emulator", "FD00::7"]) {
            emulator async throws in
            #expect(try await emulator.call(.GET, "/emulator/v1/apps", headers: headers).status == status)
        }
    }

    @Test(
        "An emulator that listens on every address gives keys to no name by itself, so that no rebound page reads them"
    )
    func everyAddressAllowsNoName() async throws {
        try await EmulatorUnderTest.run(host: "0.0.0.0") { emulator async throws in
            let rebound = ["Host": "rebound.evil.example:\(emulator.address.port)"]
            let answer = try await emulator.call(.GET, "/emulator/v1/apps", headers: rebound)
            #expect(answer.status == 403)
            #expect(answer["error"] == .string("foreign-host"))
            #expect(answer["message"]?.stringValue?.contains("--allow-host") == true)
            #expect(!answer.body.contains("PRIVATE KEY"))
        }
    }
}
