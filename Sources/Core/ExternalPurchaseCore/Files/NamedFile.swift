#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Checks of a file that a person named by its path.
///
/// They do not open the file.
package enum NamedFile {
    /// Returns why a path must not be read as a file, in one clause with a remedy.
    ///
    /// Opening a named pipe blocks until a writer opens it, and a device may have no end. Descriptors that the caller's
    /// shell has opened are allowed: `<(command)` and standard input.
    ///
    /// - Parameter path: the path; symbolic links are followed.
    /// - Returns: nil for a file or folder, and when the path cannot be examined.
    package static func refusal(path: String) -> String? {
        guard !isOpenDescriptor(path), let mode = mode(of: path) else { return nil }
        return switch mode & S_IFMT {
        case S_IFIFO: "it is a named pipe; name a file, or pass its content as <(cat PIPE)"
        case S_IFCHR, S_IFBLK: "it is a device; name a file"
        case S_IFSOCK: "it is a socket; name a file"
        default: nil
        }
    }

    /// Returns why a path cannot be opened as a regular file that is read more than once, in words that follow the path.
    ///
    /// - Parameter path: the path; symbolic links are followed.
    /// - Returns: nil for a regular file.
    package static func refusalOfRepeatedReading(path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return switch errno {
            case ENOENT, ENOTDIR: isLink(path) ? "is a symbolic link to a file that does not exist" : "no such file"
            case ELOOP: "its symbolic links lead in a circle; name the file itself"
            case EACCES: "a folder of its path may not be opened by this user"
            default: "cannot be read"
            }
        }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "is a folder; name a file"
        case S_IFIFO: "is a pipe, which cannot be read twice; write its content to a file"
        case S_IFCHR, S_IFBLK: "is a device; name a file"
        default: "is a socket; name a file"
        }
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The name of a file with a key or secret, for a message; words in its place if it may be the secret itself, pasted
    /// where a file is named.
    ///
    /// A name is shown if the file exists, or if its folder does and it ends like a file of a key.
    ///
    /// - Parameter path: the text that should name the file.
    package static func shown(secretFile path: String) -> String {
        if mode(of: path) != nil { return path }
        let bytes = Array(path.utf8)
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == 0 ? "/" : String(decoding: bytes[..<$0], as: UTF8.self) } ?? "."
        let name = bytes[(slash.map { $0 + 1 } ?? 0)...]
        let ending = name.lastIndex(of: UInt8(ascii: ".")).map { String(decoding: name[($0 + 1)...], as: UTF8.self) }
        let isPlain = name.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        if isPlain, name.count <= 64, let ending, secretFileEndings.containsName(ending.lowercased()),
            mode(of: folder).map({ $0 & S_IFMT == S_IFDIR }) == true
        {
            return path
        }
        return "the named file (not shown, because the text may be the secret itself)"
    }

    private static let secretFileEndings = ["p8", "pem", "key", "txt", "secret", "crt", "cer", "der"]

    /// Returns the permission bits of a file, such as `0644`, when users other than its owner may read it, and
    /// otherwise nil.
    ///
    /// - Parameter path: the path; symbolic links are followed.
    package static func permissionsIfReadableByOthers(path: String) -> String? {
        guard let mode = mode(of: path), mode & S_IFMT == S_IFREG, mode & (S_IRGRP | S_IROTH) != 0 else { return nil }
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Why this user cannot write a file, or create files in a folder.
    package enum WriteRefusal: Hashable, Sendable {
        /// The volume is mounted for reading only.
        case readOnlyVolume
        /// The file is this user's, and its mode forbids it.
        case mode
        /// The file is another user's, by its number.
        case owner(UInt32)
        /// Another reason, in the system's words.
        case other(String)
    }

    /// Returns why this user cannot write what is at a path.
    ///
    /// - Parameter path: a file or folder that exists; symbolic links are followed.
    /// - Returns: nil if it can, and for a path without a file.
    package static func refusalOfWriting(path: String) -> WriteRefusal? {
        guard access(path, W_OK) != 0 else { return nil }
        let reason = errno
        var status = stat()
        guard stat(path, &status) == 0 else {
            return reason == ENOENT ? nil : .other(String(cString: strerror(reason)))
        }
        return switch reason {
        case EROFS: .readOnlyVolume
        case EACCES where status.st_uid == geteuid(): .mode
        case EACCES, EPERM: .owner(status.st_uid)
        default: .other(String(cString: strerror(reason)))
        }
    }

    /// The number of the user who owns a file that is another's than this one's; nil for root, who may do everything.
    ///
    /// - Parameter path: the path; symbolic links are followed.
    package static func otherOwner(path: String) -> UInt32? {
        var status = stat()
        guard geteuid() != 0, stat(path, &status) == 0, status.st_uid != geteuid() else { return nil }
        return status.st_uid
    }

    /// Whether there is a file at the path, or behind a folder that this user may not open, which it may not read.
    ///
    /// - Parameter path: the path; symbolic links are followed.
    package static func isForbidden(path: String) -> Bool { access(path, R_OK) != 0 && errno == EACCES }

    /// Whether everybody may remove and replace the files of a folder.
    ///
    /// - Parameter path: the path; symbolic links are followed.
    package static func isOpenToEverybody(folder path: String) -> Bool {
        mode(of: path).map { $0 & S_IWOTH != 0 && $0 & S_ISVTX == 0 } ?? false
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }

    /// True for paths that name a descriptor which was open when the process started.
    private static func isOpenDescriptor(_ path: String) -> Bool {
        path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
    }
}
