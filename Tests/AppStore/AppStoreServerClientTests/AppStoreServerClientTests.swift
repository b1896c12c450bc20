import AsyncHTTPClient
import Crypto
import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import AppStoreServerClient

/// Responds to every request with the same text and records the requests.
private actor Stub {
    struct Asked: Sendable {
        let method: String
        let path: String
        let headers: HTTPFields
        let body: String
    }

    private(set) var asked: [Asked] = []

    func note(_ request: Asked) { asked.append(request) }

    static func run(
        _ response: @escaping @Sendable () async throws -> Response,
        _ test: @Sendable (Stub, String) async throws -> Void
    ) async throws {
        let stub = Stub()
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in
            let body = try await request.body.collect(upTo: 1_048_576)
            await stub.note(
                Asked(
                    method: request.method.rawValue,
                    path: request.head.path ?? "",
                    headers: request.headers,
                    body: String(buffer: body)
                )
            )
            return try await response()
        }
        let application = Application(
            responder: responder,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 0) }
        )
        let server = Task { try await application.run() }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        try await test(stub, "http://127.0.0.1:\(port)")
    }
}

@Suite struct AppStoreServerClientTests {
    static let now = Timestamp(milliseconds: 1_795_176_000_000)
    static let id = "5e7a0000-1111-4222-8333-000000000001"
    static let key = P256.Signing.PrivateKey().pemRepresentation

    private func client(_ base: AppStoreServerClient.BaseURLs, timeout: Duration = .minutes(5)) throws
        -> AppStoreServerClient
    {
        AppStoreServerClient(
            httpClient: .shared,
            signer: BearerTokenSigner(
                credentials: APICredentials(
                    privateKey: try PrivateKey(p8: Self.key),
                    keyId: "K",
                    issuerId: "I",
                    bundleId: "com.example.shop"
                )
            ),
            baseURLs: base,
            timeout: timeout,
            now: { Self.now }
        )
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        var body = ""
        var retryAfter: String?
        let sent: SendOutcome
        let retrieved: RetrieveOutcome
        var testDescription: String { name }

        static let notFound = ReportError(.notFound, field: "requestIdentifier")
        static let unknown = ReportError(errorCode: .init(rawValue: 99), errorMessage: "?")

        static let all: [Case] = [
            Case(
                name: "200 with a report",
                status: 200,
                body: #"{"report":{"requestIdentifier":"\#(id)","status":"NO_LINE_ITEM"}}"#,
                sent: .accepted,
                retrieved: .found(report)
            ),
            Case(name: "200 with nothing", status: 200, sent: .accepted, retrieved: .serverError(status: 200)),
            Case(
                name: "400 with errors",
                status: 400,
                body: #"{"errors":[{"errorCode":3,"fieldName":"requestIdentifier","errorMessage":"#
                    + #""The referenced value was not found."}]}"#,
                sent: .rejected([notFound]),
                retrieved: .notFound
            ),
            Case(
                name: "400 with a bare error and an unknown member",
                status: 400,
                body: #"{"errorCode":3,"fieldName":"requestIdentifier","more":1,"errorMessage":"#
                    + #""The referenced value was not found."}"#,
                sent: .rejected([notFound]),
                retrieved: .notFound
            ),
            Case(
                name: "400 with an unknown code",
                status: 400,
                body: #"{"errors":[{"errorCode":99,"errorMessage":"?"}]}"#,
                sent: .rejected([unknown]),
                retrieved: .refused([unknown])
            ),
            Case(name: "400 empty", status: 400, sent: .refusedWithoutErrors, retrieved: .refused([])),
            Case(
                name: "400 with a page",
                status: 400,
                body: "<html>",
                sent: .refusedWithoutErrors,
                retrieved: .refused([])
            ),
            Case(name: "401", status: 401, body: "Unauthenticated", sent: .unauthorized, retrieved: .unauthorized),
            limited("429 with milliseconds", "1795176060000", 1_795_176_060_000),
            limited("429 with seconds", "90", 1_795_176_090_000),
            limited("429 with a date", "Fri, 20 Nov 2026 12:01:00 GMT", 1_795_176_060_000),
            limited("429 with nonsense", "soon", nil),
            limited("429 with a negative number", "-5", nil),
            limited("429 without a header", nil, nil),
            Case(
                name: "500",
                status: 500,
                body: #"{"errorCode":5000000,"errorMessage":"An unknown error occurred."}"#,
                sent: .serverError(status: 500),
                retrieved: .serverError(status: 500)
            ),
            Case(name: "503", status: 503, sent: .serverError(status: 503), retrieved: .serverError(status: 503)),
            Case(name: "204", status: 204, sent: .serverError(status: 204), retrieved: .serverError(status: 204)),
        ]

        static func limited(_ name: String, _ header: String?, _ moment: Int64?) -> Case {
            let until = moment.map(Timestamp.init(milliseconds:))
            return Case(
                name: name,
                status: 429,
                retryAfter: header,
                sent: .rateLimited(until: until),
                retrieved: .rateLimited(until: until)
            )
        }

        static let report: ReceivedReport = {
            var report = ReceivedReport()
            report.requestIdentifier = RequestIdentifier(id)
            report.status = .noLineItem
            return report
        }()
    }

    @Test("Every response is interpreted by status and code alone (SA-22, SA-82)", arguments: Case.all)
    func answers(_ test: Case) async throws {
        let response: @Sendable () -> Response = {
            var response = Response(
                status: .init(code: test.status),
                body: ResponseBody(byteBuffer: ByteBuffer(string: test.body))
            )
            if let retryAfter = test.retryAfter { response.headers[.retryAfter] = retryAfter }
            return response
        }
        try await Stub.run(response) { _, address in
            let client = try client(.init(address))
            let sent = await client.send(Array("{}".utf8), environment: .sandbox)
            #expect(sent.outcome == test.sent)
            #expect(sent.status == test.status)
            #expect(sent.body == Array(test.body.utf8))
            let id = try #require(RequestIdentifier(Self.id))
            let retrieved = await client.retrieve(id, environment: .sandbox)
            #expect(retrieved.outcome == test.retrieved)
            #expect(retrieved.body == Array(test.body.utf8))
        }
    }

    @Test("The exact bytes are sent, with the headers of the API and a new token each time (SA-3, SA-12)")
    func requests() async throws {
        try await Stub.run({ Response(status: .ok) }) { stub, address in
            let client = try client(.init(address + "/"))
            let body = #"{ "status" : "NO_LINE_ITEM" }"#
            _ = await client.send(Array(body.utf8), environment: .production)
            _ = await client.retrieve(try #require(RequestIdentifier(Self.id)), environment: .production)
            let asked = await stub.asked
            #expect(asked.map(\.method) == ["PUT", "GET"])
            #expect(asked.map(\.path) == ["/externalPurchase/v1/reports", "/externalPurchase/v1/reports/\(Self.id)"])
            #expect(asked.map(\.body) == [body, ""])
            #expect(asked.map { $0.headers[.accept] } == ["application/json", "application/json"])
            #expect(asked.map { $0.headers[.contentType] } == ["application/json", nil])
            let tokens = asked.compactMap { $0.headers[.authorization] }
            #expect(tokens.allSatisfy { $0.hasPrefix("Bearer ey") })
            #expect(Set(tokens).count == 2)
        }
    }

    @Test("A late response and a port without a server are no answer")
    func noAnswer() async throws {
        @Sendable func isNoAnswer(_ answered: AppStoreResponse<SendOutcome>) -> Bool {
            guard case .noAnswer = answered.outcome else { return false }
            return answered.status == nil && answered.body.isEmpty
        }
        let slow: @Sendable () async throws -> Response = {
            try await Task.sleep(for: .seconds(20))
            return Response(status: .ok)
        }
        try await Stub.run(slow) { _, address in
            let client = try client(.init(address), timeout: .milliseconds(200))
            #expect(isNoAnswer(await client.send(Array("{}".utf8), environment: .sandbox)))
        }
        let nobody = try client(.init("http://127.0.0.1:1"), timeout: .milliseconds(500))
        #expect(isNoAnswer(await nobody.send(Array("{}".utf8), environment: .sandbox)))
    }

    @Test("A redirect is not followed")
    func redirect() async throws {
        try await Stub.run({ Response(status: .ok) }) { elsewhere, target in
            let redirect: @Sendable () -> Response = {
                Response(status: .temporaryRedirect, headers: [.location: target])
            }
            try await Stub.run(redirect) { _, address in
                let httpClient = HTTPClient(configuration: AppStoreServerClient.httpConfiguration)
                let client = AppStoreServerClient(
                    httpClient: httpClient,
                    signer: BearerTokenSigner(
                        credentials: APICredentials(
                            privateKey: try PrivateKey(p8: Self.key),
                            keyId: "K",
                            issuerId: "I",
                            bundleId: "com.example.shop"
                        )
                    ),
                    baseURLs: .init(address),
                    now: { Self.now }
                )
                #expect(await client.send([], environment: .sandbox).outcome == .serverError(status: 307))
                try await httpClient.shutdown()
            }
            #expect(await elsewhere.asked.isEmpty)
        }
    }

    @Test("Each environment has its own host, and nothing is sent to one without a base URL (SA-1, SA-92)")
    func hosts() async throws {
        #expect(AppStoreServerClient.BaseURLs.apple.production == "https://api.storekit.apple.com")
        #expect(AppStoreServerClient.BaseURLs.apple.sandbox == "https://api.storekit-sandbox.apple.com")
        try await Stub.run({ Response(status: .ok) }) { stub, address in
            let client = try client(.init(production: nil, sandbox: address))
            #expect(await client.send([], environment: .sandbox).outcome == .accepted)
            let unsent = await client.send([], environment: .production)
            #expect(unsent.outcome == .noAnswer(reason: "there is no base URL for production"))
            #expect(await stub.asked.count == 1)
        }
    }
}
