#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Device and number of a file, which are the same under every one of its names.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// The file that a path leads to, through symbolic links; nil where there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file of an open descriptor.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
