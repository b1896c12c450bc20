import AppStoreEmulator
import AppStoreServerClient
import BenchmarkSupport
import ExternalPurchaseCore
import Logging

/// An emulator on a port of its own in this process.
struct EmulatorHost: Sendable {
    static let appAppleId: Int64 = 1_234_567_890

    let url: String
    private let apps: [RegisteredApp]
    private let task: Task<Void, any Error>

    static func start(_ names: [BundleId]) async throws -> EmulatorHost {
        let (urls, continuation) = AsyncStream<String>.makeStream()
        let emulator = try AppStoreEmulator(
            EmulatorConfiguration(
                port: 0,
                environment: .production,
                apps: names.map { AppRegistration(bundleId: $0, appAppleId: appAppleId) }
            ),
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        ) { continuation.yield($0.baseURL) }
        let task = Task { try await emulator.run() }
        var iterator = urls.makeAsyncIterator()
        guard let url = await iterator.next() else { throw Failure(description: "the emulator did not start") }
        return EmulatorHost(url: url, apps: await emulator.apps, task: task)
    }

    func credentials(_ name: BundleId) throws -> APICredentials {
        guard let app = apps.first(where: { $0.bundleId == name }) else {
            throw Failure(description: "the emulator does not know \(name)")
        }
        return APICredentials(
            privateKey: try PrivateKey(p8: app.privateKey),
            keyId: app.keyId,
            issuerId: app.issuerId,
            bundleId: app.bundleId
        )
    }

    func stop() { task.cancel() }
}
