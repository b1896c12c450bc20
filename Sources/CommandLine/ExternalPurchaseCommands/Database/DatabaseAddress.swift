import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger

/// The value of `--database`: the location of the ledger.
struct DatabaseAddress: Equatable, CustomStringConvertible {
    enum Location: Equatable {
        /// The path of an SQLite file.
        case file(String)
        /// A URI of libpq, possibly with a password.
        case server(String)
    }

    let location: Location

    static let standard = DatabaseAddress(path: "external-purchase.sqlite")
    static let help: ArgumentHelp =
        "The ledger, as sqlite:FILE or postgres://USER@HOST/DATABASE. (default: \(standard))"

    init(path: String) {
        location = .file(path)
    }

    private init(url: String) {
        location = .server(url)
    }

    /// Reads the argument of the option.
    ///
    /// A URI is checked when it is opened: the parser of arguments would print a wrong one with its password.
    @Sendable
    static func reading(_ argument: String) throws -> DatabaseAddress {
        let scheme = argument.prefix { $0 != ":" }
        if ["postgres", "postgresql"].contains(scheme) { return DatabaseAddress(url: argument) }
        let path = argument.dropFirst("sqlite:".count)
        guard scheme == "sqlite", !path.isEmpty else {
            throw ValidationError("use sqlite:FILE or postgres://USER@HOST/DATABASE")
        }
        return DatabaseAddress(path: String(path))
    }

    /// The address without user, password and parameters.
    var description: String {
        switch location {
        case .file(let path): "sqlite:\(path)"
        case .server(let url): PostgresURL(url)?.shown ?? "postgres://…"
        }
    }

    /// The address with the absolute path of a file.
    var absolute: String { absolutePath.map { "sqlite:\($0)" } ?? description }

    /// The address as one word of a shell's command.
    ///
    /// Without its user, password and parameters the address of a server leads to another ledger or to none; they are not
    /// printed, so that the word says where they are.
    var shellWord: String {
        if case .server(let url) = location, url.contains(where: { "@?".contains($0) }) { return "(as here)" }
        return description.shellWord
    }

    /// The absolute path of the SQLite file; nil for a server.
    var absolutePath: String? {
        switch location {
        case .file(let path): URL(filePath: path).standardizedFileURL.path
        case .server: nil
        }
    }

    /// What is wrong with the path of a file, whether or not it exists; nil if a ledger may be there.
    var fileFault: String? {
        guard let absolutePath, case .file(let path) = location else { return nil }
        if NamedFile.isForbidden(path: absolutePath) {
            return "this user may not read it; run the command as the user who owns it"
        }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: absolutePath, isDirectory: &isFolder) {
            return isFolder.boolValue ? "is a folder; name a file" : nil
        }
        let folder = URL(filePath: absolutePath).deletingLastPathComponent().path
        if FileManager.default.fileExists(atPath: folder) { return nil }
        // As it was given: the password of a text that is an address is left out where its form is known.
        return "the folder \(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) does not exist"
    }

    /// Checks that a file can be at the path, and that a new one does not get the name of a secret.
    func checkFolder() throws(CommandFailure) {
        guard case .file(let path) = location else { return }
        try FileKind.checkName(path)
        if let fileFault { throw .input("--database \(self): \(fileFault)") }
    }

    /// The failure of a command, exit code 3; an address at which no ledger can be is wrong usage, exit code 2.
    ///
    /// - Parameter option: the name of the option on the command line.
    func failure(_ error: LedgerError, of option: String = "--database") -> CommandFailure {
        if let fault { return .input("\(option) \(self): \(fault)") }
        return .otherSide("\(option) \(self): \(error)")
    }
}

/// A URI of libpq whose parts are unambiguous.
///
/// https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING-URIS
struct PostgresURL {
    /// The URI without user, password and parameters.
    let shown: String

    static let fault =
        "is not of the form postgres://USER@HOST:5432/DATABASE?PARAMETER=VALUE; a name or password has @ as %40, "
        + ": as %3A, / as %2F and ? as %3F"

    /// Returns nil for a text whose password could be read as another part, and shown.
    init?(_ text: String) {
        guard let mark = text.firstRange(of: "://"), ["postgres", "postgresql"].contains(text[..<mark.lowerBound])
        else { return nil }
        let rest = text[mark.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !rest[authority.endIndex...].contains("@"), !rest.contains("#"), authority.count(where: { $0 == "@" }) < 2
        else { return nil }
        let hosts = authority.firstIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
            let name = host.first == "[" ? host.drop { $0 != "]" } : host
            guard name.count(where: { $0 == ":" }) < 2,
                name.split(separator: ":").dropFirst().allSatisfy({ Int($0) != nil })
            else { return nil }
        }
        let path = rest[authority.endIndex...].prefix { $0 != "?" }
        shown = "postgres://\(hosts)\(path)"
    }
}
