import HTTPTypes
import Hummingbird
import Ledger

/// A method and path of the server: who may call it, and with which query parameters.
///
/// ``all`` is the only list of endpoints. Authorisation, unknown query parameters and 405 responses follow it, and a
/// test compares it with the routes.
struct Endpoint: Hashable, Sendable {
    let method: HTTPRequest.Method
    /// The path as the router describes it, such as `/v1/tokens/{externalPurchaseId}`.
    let path: String
    let access: Access
    /// The known query parameters; nil where unknown ones are ignored.
    let parameters: [String]?
    /// A description in a few words.
    let summary: String

    /// Who may call an endpoint.
    enum Access: Hashable, Sendable {
        /// Everybody.
        case open
        /// Everybody; the sender's signature in the request is verified.
        case signed
        /// A person; the dashboard asks for the sign-in, and the user needs this role or one above it.
        ///
        /// Nil is for the sign-in itself and its files, which everybody gets.
        case page(UserRole?)
        /// Keys of these scopes, and of the scope ``KeyScope/admin``.
        case key(Set<KeyScope>)
    }

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ access: Access,
        parameters: [String]?,
        _ summary: String
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.parameters = parameters
        self.summary = summary
    }

    /// Returns the endpoint of a request that the router matched with a route; nil for other requests.
    static func of(_ request: Request, _ context: some RequestContext) -> Endpoint? {
        guard let path = context.endpointPath else { return nil }
        return byPath[path]?[request.method == .head ? .get : request.method]
    }

    /// Returns the methods of a path, sorted by name, with `HEAD` if it has `GET`, for 405 responses with `Allow`
    /// (RFC 9110, section 15.5.6).
    ///
    /// - Returns: the methods; empty for a path that does not exist.
    static func methods(of path: String) -> [HTTPRequest.Method] {
        let components = path.split(separator: "/")
        var methods = Set(all.filter { matches($0.path.split(separator: "/"), components) }.map(\.method))
        if methods.contains(.get) { methods.insert(.head) }
        return methods.sorted { $0.rawValue < $1.rawValue }
    }

    private static func matches(_ pattern: [Substring], _ path: [Substring]) -> Bool {
        for (index, component) in pattern.enumerated() {
            if component == "**" { return true }
            guard index < path.count else { return false }
            if !component.hasPrefix("{"), component != path[index] { return false }
        }
        return pattern.count == path.count
    }

    private static let byPath: [String: [HTTPRequest.Method: Endpoint]] = Dictionary(grouping: all, by: \.path)
        .mapValues { Dictionary($0.map { ($0.method, $0) }) { first, _ in first } }
}
