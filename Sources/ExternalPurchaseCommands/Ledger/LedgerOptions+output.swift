import CommandProgram
import Foundation

extension LedgerOptions {
    /// Refuses to write over what the ledger needs: its own files, the configuration and every file that it names.
    ///
    /// - Throws: ``CommandProgram/CommandFailure``, exit code 2.
    func checkOutput(_ output: String) throws(CommandFailure) {
        guard let written = Self.identity(output) else { return }
        for (file, what) in try neededFiles() where Self.identity(file) == written {
            throw .input("--output \(output): is \(what), which would be lost; name another file")
        }
    }

    private func neededFiles() throws(CommandFailure) -> [(file: String, what: String)] {
        var files = ["", "-wal", "-shm", "-journal", ".lock", ".landing-spool"].map {
            (file: database.absolutePath + $0, what: "the ledger's")
        }
        guard let config else { return files }
        files.append((config, "the configuration"))
        let named = try ServeConfiguration.read(path: config)
        files += named.apps.map { ($0.key.file, "the key of \($0.bundleId)") }
        files += named.notificationRoots.map { ($0, "a root certificate") }
        if let file = named.webhook?.secretFile { files.append((file, "the webhook's secret")) }
        if let file = named.programmesFile { files.append((file, "the file of programmes")) }
        return files
    }

    /// Device and number of a file, the same under every name; nil where there is none.
    private static func identity(_ path: String) -> [Int]? {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved),
            let device = attributes[.systemNumber] as? Int, let number = attributes[.systemFileNumber] as? Int
        else { return nil }
        return [device, number]
    }
}
