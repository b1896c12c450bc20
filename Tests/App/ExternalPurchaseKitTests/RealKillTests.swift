#if os(Linux) || os(macOS)
import ExternalPurchaseCore
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKit

/// The app in a process of its own, which ends by SIGKILL at one of its steps.
///
/// What StoreKit made and what reached the server stand in two files, as the witnesses of the test.
@Suite("A process that the system really kills", .serialized)
@MainActor
struct RealKillTests {
    /// Two processes meet in a folder with the number of the process that runs the tests.
    nonisolated private static func folder(_ process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appending(path: "external-purchase-kit-kill-\(process)")
    }

    /// One launch with a purchase in Japan.
    private static func play(in folder: URL, life: ProcessLife) async throws {
        let appFiles = try SampleFiles.configuration([.A])
        let session = StoreKitSession { inputs in
            inputs.configuration = appFiles
            inputs.storefront = "JPN"
            inputs.tokenIssuer = FileIssuer(file: folder.appending(path: "issued"), life: life)
        }
        var configuration = ExternalPurchaseModel.Configuration()
        configuration.disclosure = { _ in true }
        let outbox = outbox(in: folder, life: life)
        let model = ExternalPurchaseModel(
            store: SimulatedExternalPurchaseStore(session: session),
            outbox: outbox,
            configuration: configuration
        )
        await model.refresh()
        _ = await model.purchaseWithCustomLink(.withinApp)
        await outbox.deliverDue()
    }

    private static func outbox(in folder: URL, life: ProcessLife) -> TokenOutbox {
        let files = TickingFileSystem(base: SystemFileSystem(root: folder.appending(path: "outbox")), life: life)
        let transport = ClosureTokenTransport { token in
            _ = life.tick()
            append(token.text, to: folder.appending(path: "arrived"))
            _ = life.tick()
            return .stored
        }
        return TokenOutbox(files: files, transport: transport)
    }

    @Test("leaves each token on disk, at the server or as a request that did not end (EK-22, EK-23)")
    func killed() async throws {
        let folder = Self.folder(getpid())
        defer { try? FileManager.default.removeItem(at: folder) }
        func begin(_ step: Int?) throws {
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("\(step.map(String.init) ?? "")".utf8).write(to: folder.appending(path: "step"))
        }
        try begin(nil)
        let whole = ProcessLife()
        try await Self.play(in: folder, life: whole)
        #expect(Self.lines(of: folder.appending(path: "arrived")).count == 1)

        // A process takes a moment to start: every third step, those around the token among them.
        for step in stride(from: 0, to: whole.steps, by: 3) {
            try begin(step)
            await #expect(processExitsWith: .signal(SIGKILL)) { @MainActor in
                let folder = Self.folder(getppid())
                let text = try String(contentsOf: folder.appending(path: "step"), encoding: .utf8)
                let life = ProcessLife(killedAt: Int(text)) { kill(getpid(), SIGKILL) }
                try await Self.play(in: folder, life: life)
            }
            let outbox = Self.outbox(in: folder, life: ProcessLife())
            await outbox.deliverDue()
            let issued = Self.lines(of: folder.appending(path: "issued"))
            let arrived = Self.lines(of: folder.appending(path: "arrived"))
            let status = await outbox.currentStatus
            #expect(status.pending == 0, "step \(step)")
            #expect(Set(issued).subtracting(arrived).count <= status.interruptedRequests, "step \(step)")
            #expect(arrived.count <= Set(arrived).count + 1, "step \(step)")
        }
    }

    nonisolated private static func lines(of file: URL) -> [String] {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    nonisolated fileprivate static func append(_ line: String, to file: URL) {
        let descriptor = open(file.path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}

private struct FileIssuer: TokenIssuer {
    let file: URL
    let life: ProcessLife

    func issue(_ request: TokenRequest) async throws -> IssuedToken {
        _ = life.tick()
        let token = try await InProcessTokenIssuer().issue(request)
        RealKillTests.append(token.text, to: file)
        _ = life.tick()
        return token
    }
}

/// The real file system, with a step before each operation and after each write.
private struct TickingFileSystem: OutboxFileSystem {
    let base: SystemFileSystem
    let life: ProcessLife

    func createFolder(_ path: String) throws(StorageFailure) {
        _ = life.tick()
        try base.createFolder(path)
    }

    func names(in folder: String) throws(StorageFailure) -> [String] {
        try base.names(in: folder)
    }

    func read(_ path: String) throws(StorageFailure) -> [UInt8] {
        try base.read(path)
    }

    func write(_ bytes: [UInt8], to path: String) throws(StorageFailure) {
        try base.write(Array(bytes.prefix(bytes.count / 2)), to: path)
        _ = life.tick()
        try base.write(bytes, to: path)
        _ = life.tick()
    }

    func synchronize(_ path: String) throws(StorageFailure) {
        try base.synchronize(path)
        _ = life.tick()
    }

    func synchronizeFolder(_ path: String) throws(StorageFailure) {
        try base.synchronizeFolder(path)
        _ = life.tick()
    }

    func rename(_ path: String, to destination: String) throws(StorageFailure) {
        try base.rename(path, to: destination)
        _ = life.tick()
    }

    func remove(_ path: String) throws(StorageFailure) {
        try base.remove(path)
        _ = life.tick()
    }
}
#endif
