import AppStoreEmulator
import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import ReportConformance
import Synchronization
import Testing

@testable import ExternalPurchaseCommands

/// An emulator in the process of the tests, and a run of the suite against it without a connection.
struct ConformanceInProcess {
    /// The report of a run.
    struct Result: ConformanceResult {
        /// As `conformance run --format json` prints it.
        let text: String

        var json: NSDictionary? { (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? NSDictionary }
    }

    private let emulator: AppStoreEmulator
    private let signer: UncheckedTokenSigner

    /// - Parameter profile: the report with the settings of the emulator; nil for the defaults.
    init(profile: Result? = nil) async throws {
        var settings = EmulatorSettings()
        if let profile {
            for setting in try EmulatorProfile(Array(profile.text.utf8)).sorted {
                try settings.set(setting.name, to: setting.value)
            }
        }
        let app = AppRegistration(bundleId: BundleId(ConformanceFixture.bundleId), appAppleId: 1_234_567_890)
        emulator = try AppStoreEmulator(EmulatorConfiguration(apps: [app], settings: settings))
        let registered = try #require(await emulator.apps.first)
        signer = UncheckedTokenSigner(
            credentials: APICredentials(
                privateKey: try PrivateKey(p8: registered.privateKey),
                keyId: registered.keyId,
                issuerId: registered.issuerId,
                bundleId: app.bundleId
            )
        )
    }

    /// Runs all cases.
    ///
    /// - Parameter change: changes each answer.
    func run(_ change: @escaping SeededEndpoint.Change = { _ in }) async throws -> Result {
        let suite = ConformanceSuite.published
        var tokens: [ConformanceToken] = []
        for order in ConformanceFixture.orders {
            let body = try JSONSerialization.data(withJSONObject: order)
            let answer = await emulator.answer("POST", "/emulator/v1/tokens", body: Array(body))
            guard case .answered(201, _, let bytes) = answer else { throw URLError(.badServerResponse) }
            let token = try #require(Exchange.object(bytes)["token"] as? String)
            tokens.append(ConformanceToken(try ExternalPurchaseToken.decode(token, mode: .lenient).token))
        }
        var run = ConformanceRun(
            ConformanceReport(
                dataSet: suite.version,
                endpoint: "http://localhost",
                seed: .random(in: .min ... .max),
                startedAt: Timestamp(Date()),
                tokens: tokens.map(ConformanceReport.Token.init)
            ),
            suite: suite,
            tokens: tokens,
            options: ConformancePlan.Options(allowsAccepted: true),
            transport: Transport(emulator: emulator, signer: signer, change: change),
            now: { Timestamp(Date()) },
            wait: {},
            observer: ConformanceRun.Observer()
        )
        try await run.play()
        return Result(text: try ConformanceEvaluation(run.report, suite: suite).json(program: "").formatted())
    }

    private typealias Exchange = SeededEndpoint.Exchange

    /// Sends requests to the emulator and changes its answers.
    private struct Transport: ConformanceTransport {
        let emulator: AppStoreEmulator
        let signer: UncheckedTokenSigner
        let change: SeededEndpoint.Change

        func exchange(_ request: ConformanceRequest, now: Timestamp) async throws(ConformanceTransportError)
            -> ConformanceResponse
        {
            let authorization = try signer.value(of: request.authorization, now: now)
            let answer = await emulator.answer(
                request.method,
                request.path,
                authorization: authorization,
                contentType: request.contentType,
                body: request.body
            )
            guard case .answered(let status, _, let body) = answer else {
                throw ConformanceTransportError(reason: "the emulator closed the connection")
            }
            var exchange = Exchange(
                request.method,
                request.path,
                authorization: authorization,
                request: request.body ?? [],
                status: status,
                response: body
            )
            change(&exchange)
            return ConformanceResponse(status: exchange.status, body: Array(exchange.body.utf8))
        }
    }
}
