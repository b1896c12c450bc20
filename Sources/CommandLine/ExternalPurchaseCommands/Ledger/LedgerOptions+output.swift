import CommandSupport
import Foundation
import Ledger
import Reporting

extension LedgerOptions {
    /// Refuses an output path that would overwrite the ledger's files, the configuration or a file that it names.
    ///
    /// - Parameters:
    ///   - output: the file to write.
    ///   - option: the name of the option on the command line.
    /// - Throws: ``CommandSupport/CommandFailure``, exit code 2.
    func checkOutput(_ output: String, as option: String = "--output") throws(CommandFailure) {
        // A file that does not exist yet is compared by its name.
        let (written, name) = (Self.identity(output), Self.name(output))
        for (file, what) in try neededFiles()
        where written.map({ Self.identity(file) == $0 }) == true || Self.name(file) == name {
            throw .input("\(option) \(output): is \(what), which would be lost; name another file")
        }
    }

    private func neededFiles() throws(CommandFailure) -> [(file: String, what: String)] {
        let beside = try self.files()
        var files = [
            (file: beside.anchor, what: "the ledger's"), (file: beside.spool, what: "the ledger's"),
            (file: beside.backup, what: "the ledger's"),
        ]
        if let path = database.absolutePath {
            files += ["", "-wal", "-shm", "-journal"].map { (file: path + $0, what: "the ledger's") }
        }
        guard let config else { return files }
        files.append((config, "the configuration"))
        let named = try ServeConfiguration.read(path: config)
        files += named.files.map { ($0.file.path, $0.what) }
        return files
    }

    private static func name(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// The device and inode number of a file, which are equal for all its names; nil where there is none.
    private static func identity(_ path: String) -> [Int]? {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved),
            let device = attributes[.systemNumber] as? Int, let number = attributes[.systemFileNumber] as? Int
        else { return nil }
        return [device, number]
    }
}
