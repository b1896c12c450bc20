import Foundation
import Testing

/// An archive of `ledger archive`, as the system's `tar` reads it.
enum TarArchive {
    /// Unpacks an archive into a new folder.
    static func unpack(_ archive: String, into folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", archive, "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
    }
}
