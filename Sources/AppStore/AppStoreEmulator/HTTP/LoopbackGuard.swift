import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird

/// Protects the control paths from web pages.
///
/// A page can send requests to loopback addresses, either under its own name that resolves there (a foreign `Host`) or
/// across origins (an `Origin`), but it cannot hide these headers.
struct LoopbackGuard: Sendable {
    private let allowed: [String]

    /// Creates a guard that accepts requests to loopback addresses and to these hosts.
    ///
    /// An emulator that listens on every address accepts no further name, because a page of any name can be made to
    /// resolve to this machine.
    ///
    /// - Parameters:
    ///   - host: the host that the emulator listens on.
    ///   - allowed: further names and addresses, without a port.
    init(host: String, allowed: [String]) {
        self.allowed = ([host] + allowed).map { $0.lowercased() }
    }

    func check(_ request: Request) throws(EmulatorInputError) {
        let authority = (request.head.authority ?? "").lowercased()
        let named = LoopbackHost.name(ofAuthority: authority)
        guard LoopbackHost.isLoopback(named) || allowed.contains(named) else {
            throw EmulatorInputError(
                "foreign-host",
                field: "Host",
                kind: .foreign,
                "requests to control paths name \(names) as their Host, not \(named.quoted); --allow-host adds a name"
            )
        }
        guard let origin = request.headers[.origin]?.lowercased() else { return }
        guard origin == "http://\(authority)" || origin == "https://\(authority)" else {
            throw EmulatorInputError(
                "foreign-origin",
                field: "Origin",
                kind: .foreign,
                "the control paths answer no page of another origin, such as \(origin)"
            )
        }
    }

    private var names: String {
        let others = allowed.filter { !LoopbackHost.isLoopback($0) }
        return others.isEmpty
            ? "127.0.0.1 or localhost" : "127.0.0.1, localhost or \(others.joined(separator: ", "))"
    }
}
