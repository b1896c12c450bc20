import CommandSupport
import ExternalPurchaseCore
import Foundation

/// Writes files atomically.
enum AtomicFile {
    static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        try FileKind.check(replacing: path, with: .text, name: path.printable)
        do {
            try Data(bytes).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .input("\(path.printable): cannot be written; check its folder and the permissions")
        }
    }
}
