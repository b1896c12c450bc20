import ArgumentParser
import CommandSupport
import Foundation

/// The value of `--database`: the location of the ledger.
struct DatabaseAddress: ExpressibleByArgument, Equatable {
    /// The path of the SQLite file.
    let path: String

    static let standard = DatabaseAddress(path: "external-purchase.sqlite")

    init(path: String) {
        self.path = path
    }

    init?(argument: String) {
        guard argument.hasPrefix("sqlite:") else { return nil }
        let path = String(argument.dropFirst("sqlite:".count))
        guard !path.isEmpty else { return nil }
        self.init(path: path)
    }

    var defaultValueDescription: String { "sqlite:\(path)" }

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
