import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseKit

@Suite("The outbox on the device's file system")
final class SystemFileSystemTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func mode(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test("Folders and files are the user's own, and tokens survive a restart (EK-20, EK-31)")
    func restart() async throws {
        let server = ShopServer()
        let deep = folder.appending(path: "Application Support/ÄÖ")
        let token = PurchaseToken(text: "token", type: .inApp, storefront: "JPN", customerId: "c-\u{1F48E}")
        #expect(await TokenOutbox(folder: deep, transport: server).keep(token) == .stored)
        #expect(try mode(deep) == 0o700)
        #expect(try mode(deep.appending(path: "pending")) == 0o700)
        #expect(try mode(deep.appending(path: "pending/\(token.name).json")) == 0o600)
        await TokenOutbox(folder: deep, transport: server).deliverDue()
        #expect(server.arrivals == [token])
        #expect(try FileManager.default.contentsOfDirectory(atPath: deep.appending(path: "pending").path) == [])
        await TokenOutbox(folder: deep, transport: server).deliverDue()
        #expect(server.requests == 1)
    }

    @Test("Errors of the system have their operation and number (EK-27)")
    func errors() async throws {
        let files = SystemFileSystem(root: folder)
        try files.createFolder("")
        #expect(throws: StorageFailure(.read, code: ENOENT, reason: String(cString: strerror(ENOENT)))) {
            try files.read("missing")
        }
        let failures: [(StorageFailure.Operation, () throws -> Void)] = [
            (.write, { try files.write([1], to: "no/folder") }), (.list, { _ = try files.names(in: "no") }),
            (.synchronize, { try files.synchronize("no") }), (.rename, { try files.rename("no", to: "yes") }),
            (.remove, { try files.remove("no") }), (.synchronize, { try files.synchronizeFolder("no") }),
        ]
        for (operation, body) in failures {
            let failure = #expect(throws: StorageFailure.self) { try body() }
            #expect(failure?.operation == operation && failure?.code == ENOENT, "\(operation)")
        }
        try files.write(Array(repeating: 0, count: OutboxFolder.largestFile + 1), to: "large")
        let failure = #expect(throws: StorageFailure.self) { try files.read("large") }
        #expect(failure?.code == EFBIG)
        // A file is where the folder should be.
        let blocked = TokenOutbox(folder: folder.appending(path: "large/outbox"), transport: ShopServer())
        #expect(await blocked.keep(PurchaseToken(text: "t", type: nil)) == .delivered)
        #expect(await blocked.currentStatus.storageFailure?.operation == .createFolder)
    }

    #if os(Linux)
    @Test("A disk that is really full is reported as such", .enabled(if: access("/dev/full", W_OK) == 0))
    func reallyFull() async throws {
        let files = SystemFileSystem(root: folder)
        try files.createFolder("")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: "full").path,
            withDestinationPath: "/dev/full"
        )
        let failure = #expect(throws: StorageFailure.self) { try files.write([1, 2, 3], to: "full") }
        #expect(failure?.code == ENOSPC)
    }
    #endif
}
