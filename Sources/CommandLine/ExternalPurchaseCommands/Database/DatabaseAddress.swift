import ArgumentParser
import CommandSupport
import Foundation

/// The value of `--database`: the location of the ledger.
struct DatabaseAddress: Equatable, CustomStringConvertible {
    /// The path of the SQLite file.
    let path: String

    static let standard = DatabaseAddress(path: "external-purchase.sqlite")
    static let help: ArgumentHelp = "The ledger, as sqlite:FILE. (default: \(standard))"

    init(path: String) {
        self.path = path
    }

    /// Reads the argument of the option.
    @Sendable
    static func reading(_ argument: String) throws -> DatabaseAddress {
        let scheme = argument.prefix { $0 != ":" }
        if ["postgres", "postgresql"].contains(scheme) {
            throw ValidationError("the commands do not open a ledger in PostgreSQL yet; use sqlite:FILE")
        }
        let path = argument.dropFirst("sqlite:".count)
        guard scheme == "sqlite", !path.isEmpty else { throw ValidationError("use sqlite:FILE") }
        return DatabaseAddress(path: String(path))
    }

    var description: String { "sqlite:\(path)" }

    var absolutePath: String {
        URL(filePath: path).standardizedFileURL.path
    }
    /// Checks that the folder of the file exists.
    func checkFolder() throws(CommandFailure) {
        let folder = URL(filePath: absolutePath).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw .input("--database sqlite:\(path): the folder \(folder) does not exist")
        }
    }
}
