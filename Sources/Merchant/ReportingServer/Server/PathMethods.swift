import HTTPTypes
import Hummingbird
import Synchronization

/// The methods of every path of a router, for 405 responses with `Allow` (RFC 9110, section 15.5.6).
final class PathMethods: Sendable {
    private struct Route {
        let components: [Substring]
        let method: HTTPRequest.Method
    }

    private let routes = Mutex<[Route]>([])

    /// Records the routes of a router after all of them were added.
    func note(_ router: Router<some RequestContext>) {
        let noted = router.routes.map { Route(components: Self.components($0.path.description), method: $0.method) }
        routes.withLock { $0 = noted }
    }

    /// Returns the methods of a path, sorted by name, with `HEAD` if it has `GET`.
    ///
    /// - Returns: the methods; empty for a path that does not exist.
    func methods(of path: String) -> [HTTPRequest.Method] {
        let components = Self.components(path)
        var methods = Set(routes.withLock { $0 }.filter { Self.matches($0.components, components) }.map(\.method))
        if methods.contains(.get) { methods.insert(.head) }
        return methods.sorted { $0.rawValue < $1.rawValue }
    }

    private static func components(_ path: String) -> [Substring] { path.split(separator: "/") }

    private static func matches(_ pattern: [Substring], _ path: [Substring]) -> Bool {
        for (index, component) in pattern.enumerated() {
            if component == "**" { return true }
            guard index < path.count else { return false }
            let isFixed = !component.hasPrefix(":") && !component.contains("{") && !component.contains("*")
            if isFixed, component != path[index] { return false }
        }
        return pattern.count == path.count
    }
}
