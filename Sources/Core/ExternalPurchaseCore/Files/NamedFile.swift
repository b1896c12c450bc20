#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What stands at a path that a person named, found without opening it.
package enum NamedFile {
    /// Why a path is not read as a file, in one clause that says what would be right.
    ///
    /// Opening a named pipe waits for its writer, and a device may have no end. What the caller's shell has opened is
    /// taken: `<(command)` and standard input.
    ///
    /// - Parameter path: symbolic links are followed.
    /// - Returns: nil for a file or folder, and where nothing can be found out.
    package static func refusal(path: String) -> String? {
        guard !isOpenDescriptor(path), let mode = mode(of: path) else { return nil }
        return switch mode & S_IFMT {
        case S_IFIFO: "it is a named pipe; name a file, or hand its content over as <(cat PIPE)"
        case S_IFCHR, S_IFBLK: "it is a device; name a file"
        case S_IFSOCK: "it is a socket; name a file"
        default: nil
        }
    }

    /// The permission bits of a file, such as `0644`, when others than its owner may read it; nil when they may not.
    ///
    /// - Parameter path: symbolic links are followed.
    package static func permissionsIfReadableByOthers(path: String) -> String? {
        guard let mode = mode(of: path), mode & S_IFMT == S_IFREG, mode & (S_IRGRP | S_IROTH) != 0 else { return nil }
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }

    /// True for the names of what the process was started with.
    private static func isOpenDescriptor(_ path: String) -> Bool {
        path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
    }
}
