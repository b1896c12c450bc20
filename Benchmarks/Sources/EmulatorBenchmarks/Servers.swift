import AppStoreEmulator
import AsyncHTTPClient
import BenchmarkSupport
import Crypto
import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Answers every request with its own body: what the same server stack costs without an emulator on it.
struct Echo: HTTPResponder {
    typealias Context = BasicRequestContext

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let body = try await request.body.collect(upTo: 2 * 1_048_576)
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: body)
        )
    }
}

/// An emulator and an echo, both on ports of their own in this process.
struct Servers: Sendable {
    static let shop: BundleId = "com.example.shop"

    let emulator: AppStoreEmulator
    let emulatorURL: String
    let echoURL: String
    let authorization: String

    /// Runs both until the measurement is done.
    static func run(settings: [String] = [], _ measure: @escaping @Sendable (Servers) async throws -> Void) async throws
    {
        var named = EmulatorSettings()
        for setting in settings { try named.set(setting) }
        let silent = Logger(label: "benchmark", factory: { _ in SwiftLogNoOpLogHandler() })
        let (emulatorURLs, emulatorContinuation) = AsyncStream<String>.makeStream()
        let (echoURLs, echoContinuation) = AsyncStream<String>.makeStream()
        let emulator = try AppStoreEmulator(
            EmulatorConfiguration(
                port: 0,
                apps: [AppRegistration(bundleId: shop, appAppleId: 1_234_567_890)],
                settings: named
            ),
            logger: silent
        ) { emulatorContinuation.yield($0.baseURL) }
        let echo = Application(
            responder: Echo(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { echoContinuation.yield("http://127.0.0.1:\($0.localAddress?.port ?? 0)") },
            logger: silent
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await emulator.application().run() }
            group.addTask { try await echo.run() }
            var (first, second) = (emulatorURLs.makeAsyncIterator(), echoURLs.makeAsyncIterator())
            guard let app = await emulator.apps.first, let emulatorURL = await first.next(),
                let echoURL = await second.next()
            else { throw Failure(description: "the servers did not start") }
            let servers = Servers(
                emulator: emulator,
                emulatorURL: emulatorURL,
                echoURL: echoURL,
                authorization: try bearer(app)
            )
            let token = #"{"bundleId":"\#(shop)","externalPurchaseId":"\#(Reports.token)"}"#
            try await servers.expect(201, .POST, emulatorURL + "/emulator/v1/tokens", Array(token.utf8))
            try await measure(servers)
            group.cancelAll()
        }
    }

    /// A JWT of an hour (SA-10, SA-11).
    private static func bearer(_ app: RegisteredApp) throws -> String {
        func part(_ object: [String: Any]) throws -> String {
            encoded(try JSONSerialization.data(withJSONObject: object))
        }
        func encoded(_ data: Data) -> String {
            let replaced: [Character: Character] = ["+": "-", "/": "_"]
            return String(data.base64EncodedString().filter { $0 != "=" }.map { replaced[$0] ?? $0 })
        }
        let now = Int(Date().timeIntervalSince1970)
        let header = try part(["alg": "ES256", "kid": app.keyId, "typ": "JWT"])
        let claims = try part([
            "iss": app.issuerId, "iat": now, "exp": now + 3_600, "aud": "appstoreconnect-v1",
            "bid": app.bundleId.rawValue,
        ])
        let key = try P256.Signing.PrivateKey(pemRepresentation: app.privateKey)
        let signature = try key.signature(for: Data("\(header).\(claims)".utf8))
        return "Bearer \(header).\(claims).\(encoded(signature.rawRepresentation))"
    }

    /// Sends one request and stops everything when its answer has another status.
    func expect(_ status: Int, _ method: HTTPMethod, _ url: String, _ body: [UInt8]) async throws {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "Authorization", value: authorization)
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        let answer = try await response.body.collect(upTo: 4 * 1_048_576)
        guard response.status.code == status else {
            throw Failure(description: "\(method) \(url): \(response.status.code) \(String(buffer: answer))")
        }
    }

    func put(_ body: [UInt8]) async throws {
        try await expect(200, .PUT, emulatorURL + "/externalPurchase/v1/reports", body)
    }
}
