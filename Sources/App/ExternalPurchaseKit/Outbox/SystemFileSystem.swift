import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The file system of the device, below one folder.
struct SystemFileSystem: OutboxFileSystem {
    private let root: String

    init(root: URL) {
        self.root = root.path(percentEncoded: false)
    }

    private func path(_ relative: String) -> String {
        relative.isEmpty ? root : (root.hasSuffix("/") ? root : root + "/") + relative
    }

    private func failure(_ operation: StorageFailure.Operation, _ code: Int32 = errno) -> StorageFailure {
        StorageFailure(operation, code: code, reason: String(cString: strerror(code)))
    }

    func createFolder(_ relative: String) throws(StorageFailure) {
        var missing: [String] = []
        var folder = path(relative)
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        while access(folder, F_OK) != 0, let slash = folder.lastIndex(of: "/"), folder != "/" {
            missing.append(folder)
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
        // A folder is durable once its parent is: a token in a new folder must survive a power failure, too.
        for new in missing.reversed() {
            guard mkdir(new, 0o700) == 0 || errno == EEXIST else { throw failure(.createFolder) }
            do { try protect(new) } catch {
                throw StorageFailure(.createFolder, code: EPERM, reason: error.localizedDescription)
            }
            try synchronize(absolute: folder, O_RDONLY)
            folder = new
        }
    }

    /// Files are readable from the first unlock after a restart on, because tokens are sent in the background.
    ///
    /// A new file has the protection of its folder.
    private func protect(_ folder: String) throws {
        #if canImport(Darwin) && !os(macOS)
        let protection = FileProtectionType.completeUntilFirstUserAuthentication
        try FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: folder)
        #endif
    }

    func names(in folder: String) throws(StorageFailure) -> [String] {
        guard let stream = opendir(path(folder)) else { throw failure(.list) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    func read(_ relative: String) throws(StorageFailure) -> [UInt8] {
        let descriptor = open(path(relative), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.read) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= OutboxFolder.largestFile {
            let count = Self.read(descriptor, into: &buffer)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(.read) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw failure(.read, EFBIG)
    }

    private static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
        buffer.withUnsafeMutableBytes { bytes in
            #if canImport(Darwin)
            Darwin.read(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Glibc)
            Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
            Musl.read(descriptor, bytes.baseAddress, bytes.count)
            #else
            Android.read(descriptor, bytes.baseAddress, bytes.count)
            #endif
        }
    }

    func write(_ bytes: [UInt8], to relative: String) throws(StorageFailure) {
        let descriptor = open(path(relative), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(.write) }
        var written = 0
        while written < bytes.count {
            let count = Self.write(bytes[written...], to: descriptor)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = failure(.write)
                close(descriptor)
                throw failure
            }
            written += count
        }
        // Some file systems report a full disk only here.
        guard close(descriptor) == 0 else { throw failure(.write) }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        bytes.withUnsafeBytes { bytes in
            #if canImport(Darwin)
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
            #else
            Android.write(descriptor, bytes.baseAddress, bytes.count)
            #endif
        }
    }

    func synchronize(_ relative: String) throws(StorageFailure) {
        try synchronize(absolute: path(relative), O_RDWR)
    }

    func synchronizeFolder(_ relative: String) throws(StorageFailure) {
        try synchronize(absolute: path(relative), O_RDONLY)
    }

    private func synchronize(absolute path: String, _ access: Int32) throws(StorageFailure) {
        let descriptor = open(path, access | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.synchronize) }
        defer { close(descriptor) }
        #if canImport(Darwin)
        // fsync does not reach the medium on Apple's systems; not every file system has F_FULLFSYNC.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw failure(.synchronize) }
    }

    func rename(_ relative: String, to destination: String) throws(StorageFailure) {
        let (old, new) = (path(relative), path(destination))
        #if canImport(Darwin)
        let result = Darwin.rename(old, new)
        #elseif canImport(Glibc)
        let result = Glibc.rename(old, new)
        #elseif canImport(Musl)
        let result = Musl.rename(old, new)
        #else
        let result = Android.rename(old, new)
        #endif
        guard result == 0 else { throw failure(.rename) }
    }

    func remove(_ relative: String) throws(StorageFailure) {
        guard unlink(path(relative)) == 0 else { throw failure(.remove) }
    }
}
