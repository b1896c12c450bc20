import AppStoreEmulator
import Crypto
import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import Testing

@Suite struct AuthorizationTests {
    /// An authorisation with one error, and the reason that the journal gives.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: String
        var header: [String: String] = [:]
        var claims: [String: String] = [:]
        var key: P256.Signing.PrivateKey?
        /// Changes the complete header value of a valid authorisation.
        var rewrite: @Sendable (String) -> String? = { $0 }

        var testDescription: String { name }

        static let now = EmulatorUnderTest.now.milliseconds / 1_000

        static let all: [Forgery] = [
            Forgery(name: "no header", reason: "authorization-missing") { _ in nil },
            Forgery(name: "empty header", reason: "authorization-missing") { _ in "" },
            Forgery(name: "basic", reason: "authorization-not-bearer") { _ in "Basic YTpi" },
            Forgery(name: "no scheme", reason: "authorization-not-bearer") { String($0.dropFirst(7)) },
            Forgery(name: "nothing after the scheme", reason: "token-not-three-parts") { _ in "Bearer" },
            Forgery(name: "two parts", reason: "token-not-three-parts") { _ in "Bearer e30.e30" },
            Forgery(name: "four parts", reason: "token-not-three-parts") { $0 + ".e30" },
            Forgery(name: "no signature", reason: "token-not-three-parts") {
                String($0.prefix { $0 != "." }) + ".e30."
            },
            Forgery(name: "header is not Base64URL", reason: "header-unreadable") { _ in "Bearer e+0.e30.e30" },
            Forgery(name: "header is padded", reason: "header-unreadable") { _ in "Bearer e30=.e30.e30" },
            Forgery(name: "header is an array", reason: "header-unreadable") { _ in "Bearer W10.e30.e30" },
            Forgery(name: "none", reason: "algorithm-not-es256", header: ["alg": #""none""#]),
            Forgery(name: "HS256", reason: "algorithm-not-es256", header: ["alg": #""HS256""#]),
            Forgery(name: "no algorithm", reason: "algorithm-not-es256", header: ["alg": ""]),
            Forgery(name: "other type", reason: "type-not-jwt", header: ["typ": #""jwt""#]),
            Forgery(name: "unknown extension", reason: "critical-unknown", header: ["crit": #"["exp"]"#, "exp": "1"]),
            Forgery(name: "empty list of extensions", reason: "critical-unknown", header: ["crit": "[]"]),
            Forgery(name: "extensions as null", reason: "critical-unknown", header: ["crit": "null"]),
            Forgery(name: "no key id", reason: "key-missing", header: ["kid": ""]),
            Forgery(name: "empty key id", reason: "key-missing", header: ["kid": #""""#]),
            Forgery(name: "numeric key id", reason: "key-missing", header: ["kid": "7"]),
            Forgery(name: "other key id", reason: "key-unknown", header: ["kid": #""AAAAAAAAAA""#]),
            Forgery(name: "other key", reason: "signature-wrong", key: P256.Signing.PrivateKey()),
            Forgery(name: "signature cut off", reason: "signature-wrong") { String($0.dropLast(4)) },
            Forgery(name: "claims are an array", reason: "claims-unreadable", claims: ["": "[]"]),
            Forgery(name: "no issuer", reason: "issuer-wrong", claims: ["iss": ""]),
            Forgery(name: "other issuer", reason: "issuer-wrong", claims: ["iss": #""someone""#]),
            Forgery(name: "other audience", reason: "audience-wrong", claims: ["aud": #""appstoreconnect-v2""#]),
            Forgery(name: "array without the audience", reason: "audience-wrong", claims: ["aud": #"["x"]"#]),
            Forgery(name: "no bundle", reason: "bundle-missing", claims: ["bid": ""]),
            Forgery(name: "other bundle", reason: "bundle-unknown", claims: ["bid": #""com.example.other""#]),
            Forgery(name: "app of another issuer", reason: "bundle-unknown", claims: ["bid": #""org.elsewhere.app""#]),
            Forgery(name: "issue time as null", reason: "issued-at-wrong", claims: ["iat": "null"]),
            Forgery(name: "issue time as list", reason: "issued-at-wrong", claims: ["iat": "[\(now)]"]),
            Forgery(
                name: "no issue time, 3,601 s from now",
                reason: "lifetime-too-long",
                claims: ["iat": "", "exp": "\(now + 3_601)"]
            ),
            Forgery(name: "no issue time, expired", reason: "expired", claims: ["iat": "", "exp": "\(now - 1)"]),
            Forgery(name: "issue time as text", reason: "issued-at-wrong", claims: ["iat": #""\#(now)""#]),
            Forgery(
                name: "61 s ahead",
                reason: "issued-at-wrong",
                claims: ["iat": "\(now + 61)", "exp": "\(now + 90)"]
            ),
            Forgery(name: "valid from 61 s on", reason: "not-yet-valid", claims: ["nbf": "\(now + 61)"]),
            Forgery(name: "valid from a text on", reason: "not-yet-valid", claims: ["nbf": #""\#(now)""#]),
            Forgery(name: "no expiry", reason: "expiry-missing", claims: ["exp": ""]),
            Forgery(name: "expiry before issue", reason: "expiry-before-issue", claims: ["exp": "\(now - 61)"]),
            Forgery(name: "3,601 s", reason: "lifetime-too-long", claims: ["iat": "\(now)", "exp": "\(now + 3_601)"]),
            Forgery(name: "expired this moment", reason: "expired", claims: ["exp": "\(now)"]),
        ]

        func authorization(_ app: RegisteredApp) throws -> String? {
            func object(_ members: [String: String], _ changes: [String: String]) -> String {
                if let whole = changes[""] { return whole }
                let merged = members.merging(changes) { $1 }.filter { !$0.value.isEmpty }
                return "{" + merged.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
            }
            let header = object(["alg": #""ES256""#, "typ": #""JWT""#, "kid": "\"\(app.keyId)\""], self.header)
            let right = [
                "iss": "\"\(app.issuerId)\"", "iat": "\(Self.now - 60)", "exp": "\(Self.now + 240)",
                "aud": #""appstoreconnect-v1""#, "bid": "\"\(app.bundleId)\"",
            ]
            let claims = object(right, self.claims)
            let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
            let key = try key ?? P256.Signing.PrivateKey(pemRepresentation: app.privateKey)
            let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
            return rewrite("Bearer \(signed).\(Base64URL.encode(Array(signature)))")
        }
    }

    static let apps = [
        AppRegistration(bundleId: EmulatorUnderTest.shop, appAppleId: 1),
        AppRegistration(bundleId: "org.elsewhere.app", appAppleId: 2, issuerId: "elsewhere"),
    ]

    @Test("Each reason alone gives 401 without stating it, and the journal names it (SA-15)")
    func everyReason() async throws {
        try await EmulatorUnderTest.run(apps: Self.apps) { emulator async throws in
            for forgery in Forgery.all {
                let authorization = try forgery.authorization(emulator.app)
                let answer = try await emulator.call(
                    .PUT,
                    "/externalPurchase/v1/reports",
                    "not even JSON",
                    headers: authorization.map { ["Authorization": $0] } ?? [:]
                )
                #expect(answer.status == 401, "\(forgery.name)")
                #expect(answer.body == "Unauthenticated", "\(forgery.name)")
                #expect(answer.contentType == "text/plain", "\(forgery.name)")
            }
            let reasons = try await emulator.journal().map { $0["reason"]?.stringValue }
            #expect(reasons == Forgery.all.map(\.reason))
        }
    }

    @Test("Every reason but the revoked app's has a case in the table above")
    func tableIsComplete() {
        #expect(Set(Forgery.all.map(\.reason)).count == 21)
    }

    struct Acceptable: Sendable, CustomTestStringConvertible {
        let name: String
        let forgery: Forgery
        var testDescription: String { name }

        static let all: [Acceptable] = [
            .init(name: "all right", forgery: Forgery(name: "", reason: "")),
            .init(name: "no typ", forgery: Forgery(name: "", reason: "", header: ["typ": ""])),
            .init(
                name: "audience in an array",
                forgery: Forgery(name: "", reason: "", claims: ["aud": #"["x","appstoreconnect-v1"]"#])
            ),
            .init(name: "scheme in capitals", forgery: Forgery(name: "", reason: "") { "BEARER" + $0.dropFirst(6) }),
            .init(
                name: "60 s ahead",
                forgery: Forgery(name: "", reason: "", claims: ["iat": "\(Forgery.now + 60)"])
            ),
            .init(name: "no issue time", forgery: Forgery(name: "", reason: "", claims: ["iat": ""])),
            .init(
                name: "no issue time, 3,600 s from now",
                forgery: Forgery(name: "", reason: "", claims: ["iat": "", "exp": "\(Forgery.now + 3_600)"])
            ),
            .init(
                name: "valid from 60 s on",
                forgery: Forgery(name: "", reason: "", claims: ["nbf": "\(Forgery.now + 60)"])
            ),
            .init(
                name: "3,600 s",
                forgery: Forgery(
                    name: "",
                    reason: "",
                    claims: ["iat": "\(Forgery.now)", "exp": "\(Forgery.now + 3_600)"]
                )
            ),
        ]
    }

    @Test("Requests that SA-15 does not refuse are accepted", arguments: Acceptable.all)
    func acceptable(_ acceptable: Acceptable) async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let authorization = try #require(try acceptable.forgery.authorization(emulator.app))
            let answer = try await emulator.call(
                .GET,
                "/externalPurchase/v1/reports/\(Body.request(1))",
                headers: ["Authorization": authorization]
            )
            #expect(answer.status == 400, "\(answer.body)")
            #expect(answer.body == Body.unknownReport)
        }
    }

    @Test("A token whose signature was verified before is checked like any other (SA-15)")
    func repeatedToken() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            func status(of authorization: String) async throws -> Int {
                let path = "/externalPurchase/v1/reports/\(Body.request(1))"
                return try await emulator.call(.GET, path, headers: ["Authorization": authorization]).status
            }
            let right = try #require(try Forgery(name: "", reason: "").authorization(emulator.app))
            for _ in 0..<3 { #expect(try await status(of: right) == 400) }
            // The signature's last character but one carries six bits of it.
            var forged = Array(right)
            forged[forged.count - 2] = forged[forged.count - 2] == "A" ? "B" : "A"
            #expect(try await status(of: String(forged)) == 401)
            // Another text that Unicode calls equal to it.
            let kelvin = right.replacing("K", with: "\u{212A}")
            #expect(kelvin == right)
            if Array(kelvin.utf8) != Array(right.utf8) { #expect(try await status(of: kelvin) == 401) }
            #expect(try await emulator.control(.POST, "/clock/advance", #"{"seconds":239}"#).status == 200)
            #expect(try await status(of: right) == 400)
            #expect(try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#).status == 200)
            #expect(try await status(of: right) == 401)
            #expect(try await emulator.journal().last?["reason"] == .string("expired"))
        }
    }

    @Test("More tokens than are remembered are each verified (SA-15)")
    func manyTokens() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            let path = "/externalPurchase/v1/reports/\(Body.request(1))"
            for number in 0..<1_100 {
                let forgery = Forgery(name: "", reason: "", claims: ["jti": "\(number)"])
                let authorization = try #require(try forgery.authorization(emulator.app))
                let answer = try await emulator.call(.GET, path, headers: ["Authorization": authorization])
                #expect(answer.status == 400, "\(number)")
            }
            let first = Forgery(name: "", reason: "", claims: ["jti": "0"], key: P256.Signing.PrivateKey())
            let forged = try #require(try first.authorization(emulator.app))
            #expect(try await emulator.call(.GET, path, headers: ["Authorization": forged]).status == 401)
        }
    }

    @Test("JWT times are compared with the machine's clock unless auth.clock is virtual (SA-16)")
    func machineClock() async throws {
        let longAgo = Timestamp(milliseconds: 946_684_800_000)
        try await EmulatorUnderTest.run(settings: [], now: longAgo) { emulator async throws in
            let machine = Timestamp(Date())
            #expect(try await emulator.get(Body.request(1), now: machine).status == 400)
            #expect(try await emulator.get(Body.request(1), now: longAgo).status == 401)
            #expect(try await emulator.control(.PUT, "/settings", #"{"auth.clock":"virtual"}"#).status == 200)
            #expect(try await emulator.get(Body.request(1), now: machine).status == 401)
            #expect(try await emulator.get(Body.request(1), now: longAgo).status == 400)
        }
    }

    @Test("With auth.off the app is the owner of the token named, else the first (SA-16)")
    func off() async throws {
        let other: BundleId = "com.example.second"
        let apps = [
            AppRegistration(bundleId: EmulatorUnderTest.shop, appAppleId: 1),
            AppRegistration(bundleId: other, appAppleId: 2),
        ]
        try await EmulatorUnderTest.run(settings: ["auth.off=on"], apps: apps) { emulator async throws in
            try await emulator.addToken(Body.token, bundleId: other)
            let path = "/externalPurchase/v1/reports"
            #expect(try await emulator.call(.PUT, path, Body.noLineItem(1)).status == 200)
            let unknown = Body.noLineItem(2, token: "4d3f0000-0000-4000-8000-0000000000ff")
            #expect(try await emulator.call(.PUT, path, unknown).status == 400)
            let bundles = try await emulator.journal().map { $0["bundleId"]?.stringValue }
            #expect(bundles == [other.rawValue, EmulatorUnderTest.shop.rawValue])
        }
    }

    @Test("An app marked unreleased is shut out of pinned production when auth.requireRelease is on (SA-15)")
    func unreleased() async throws {
        let apps = [AppRegistration(bundleId: EmulatorUnderTest.shop, appAppleId: 1, isReleased: false)]
        let settings = ["auth.clock=virtual", "auth.requireRelease=on"]
        try await EmulatorUnderTest.run(environment: .production, settings: settings, apps: apps) {
            emulator async throws in
            #expect(try await emulator.get(Body.request(1)).status == 401)
            #expect(try await emulator.journal().last?["reason"] == .string("app-not-released"))
            let released = #"{"released":true}"#
            #expect(try await emulator.control(.PUT, "/apps/\(EmulatorUnderTest.shop)", released).status == 200)
            #expect(try await emulator.get(Body.request(1)).status == 400)
        }
    }

    @Test("A token of another app of the same developer is code 3, not 401 (SA-17)")
    func otherAppsToken() async throws {
        let other: BundleId = "com.example.second"
        let apps = [
            AppRegistration(bundleId: EmulatorUnderTest.shop, appAppleId: 1),
            AppRegistration(bundleId: other, appAppleId: 2),
        ]
        try await EmulatorUnderTest.run(apps: apps) { emulator async throws in
            try await emulator.addToken(Body.token, bundleId: other)
            let answer = try await emulator.put(Body.noLineItem(1))
            #expect(answer.status == 400)
            let fields = answer["errors"]?.arrayValue?.map { $0.objectValue?["fieldName"]?.stringValue }
            #expect(fields == ["externalPurchaseId"])
            #expect(try await emulator.put(Body.noLineItem(1), bundleId: other).status == 200)
        }
    }
}
