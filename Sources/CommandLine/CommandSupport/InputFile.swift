package import ExternalPurchaseCore
import Foundation

/// Reads the input of a command: a file, or standard input for `-`.
package enum InputFile {
    /// The maximum size in bytes; larger input is refused, so that it cannot exhaust memory.
    static let maximumBytes = 64 << 20

    /// Reads the complete input.
    ///
    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - name: the file's name in messages; nil for the path.
    /// - Returns: the bytes.
    /// - Throws: the problem with the file, exit code 2; a named pipe or a device is refused without opening it.
    package static func read(_ path: String, name: String? = nil) throws(CommandFailure) -> [UInt8] {
        let name = name ?? path
        if path == "-" { return try bounded(FileHandle.standardInput, name: "standard input") }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw .input("\(name): no such file")
        }
        if isDirectory.boolValue { throw .input("\(name): is a folder; name a file") }
        if let reason = NamedFile.refusal(path: path) { throw .input("\(name): cannot be read: \(reason)") }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            let isForbidden = !FileManager.default.isReadableFile(atPath: path)
            throw .input("\(name): cannot be read\(isForbidden ? ": this user may not read it" : "")")
        }
        defer { try? handle.close() }
        return try bounded(handle, name: name)
    }

    /// Reads the complete input as one JSON value.
    ///
    /// - Parameter path: a file, or `-` for standard input.
    /// - Throws: the problem with the file, exit code 2; malformed JSON with line, column and what is expected there.
    package static func json(_ path: String) throws(CommandFailure) -> JSONValue {
        let bytes = try read(path)
        do {
            return try JSONReader().read(bytes)
        } catch {
            throw .input("\(path == "-" ? "standard input" : path): \(error.message(in: bytes))")
        }
    }

    /// The bytes of a text without the mark of UTF-8 that some editors put before it.
    package static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    private static func bounded(_ handle: FileHandle, name: String) throws(CommandFailure) -> [UInt8] {
        let data: Data?
        do {
            data = try handle.read(upToCount: maximumBytes + 1)
        } catch {
            throw .input("\(name): cannot be read")
        }
        let bytes = [UInt8](data ?? Data())
        if bytes.count > maximumBytes { throw .input("\(name): more than \(maximumBytes >> 20) MiB; too large") }
        return bytes
    }
}
