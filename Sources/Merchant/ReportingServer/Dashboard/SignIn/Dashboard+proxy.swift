import Crypto
import HTTPTypes
import Hummingbird
import Ledger

/// Users whom a trusted proxy names in a header of each request.
extension Dashboard {
    /// Returns the session of the user whom a trusted proxy names; nil if it names nobody.
    ///
    /// The header of any other peer is ignored, because anybody can send it. There is nothing to store: the proxy says in
    /// each request who the user is, and the forms' token is computed.
    ///
    /// - Throws: ``SignInRefusal`` for several headers, and for a name that is no user's.
    func proxySession(of request: Request, _ context: ServerContext) async throws -> DashboardSession? {
        guard let header = signIn.proxyHeader, isFromTrustedProxy(context) else { return nil }
        let names = request.headers[values: header]
        guard names.count <= 1 else { throw SignInRefusal(reason: .proxyHeaderRepeated) }
        // A proxy that lets nobody in sends the header empty.
        guard let name = names.first.map(Self.withoutOptionalWhitespace), !name.isEmpty else { return nil }
        guard let user = try await access.present(name) else {
            throw SignInRefusal(reason: .proxyUserUnknown, detail: name)
        }
        return DashboardSession(user: user, csrf: proxyForms.token(of: user), way: .proxy, at: access.now())
    }

    /// Returns the value of a field without the spaces and tabs around it (RFC 9110, section 5.5).
    ///
    /// Every other white space is part of a name, so that no two spellings are one user.
    private static func withoutOptionalWhitespace(_ value: String) -> String {
        let isPadding = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        let rest = value.unicodeScalars.drop(while: isPadding)
        let end = rest.lastIndex { !isPadding($0) }.map(rest.index(after:)) ?? rest.startIndex
        return String(rest[..<end])
    }
}

/// The tokens of the forms of users whom a proxy names, which only this process can compute.
struct ProxyForms: Sendable {
    private let secret: SymmetricKey

    /// - Parameter secret: 32 random bytes.
    init(secret: [UInt8]) {
        self.secret = SymmetricKey(data: secret)
    }

    /// Returns the token of a user, which a new password changes.
    func token(of user: DashboardAccess.User) -> String {
        let text = "proxy\n\(user.credential)\n\(user.name)"
        return Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: secret)).hexadecimal
    }
}
