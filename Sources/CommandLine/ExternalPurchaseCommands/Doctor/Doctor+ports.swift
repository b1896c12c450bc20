import AppStoreServerClient
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import NIOCore
import NIOPosix

extension Doctor {
    /// An address on which the server listens.
    struct Listener {
        let host: String
        /// 0 for a free one.
        let port: Int
        /// The beginning of the options that name host and port.
        let option: String

        /// The address of a path there, for this machine.
        func address(of path: String) -> String {
            let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
            return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
        }
    }

    /// Binds the ports of the server for a moment, unless it runs and has them.
    func ports() async -> DoctorCheck {
        var parts: [DoctorCheck] = []
        for listener in listeners { parts.append(await part(listener)) }
        return DoctorCheck(.ports, parts, otherwise: "")
    }

    private func part(_ listener: Listener) async -> DoctorCheck {
        let place = "port \(listener.port) on \(listener.host)"
        func failed(_ detail: String, fix: String) -> DoctorCheck { DoctorCheck(.ports, false, detail, fix: fix) }
        do {
            let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: listener.host, port: listener.port).get()
            try await channel.close()
            return DoctorCheck(
                .ports,
                true,
                listener.port == 0 ? "a free port on \(listener.host) can be used" : "\(place) can be used"
            )
        } catch let error as IOError {
            switch error.errnoCode {
            case EADDRINUSE:
                if let own = await ownServer(at: listener, place) { return own }
                return failed(
                    "\(place) is taken by another program",
                    fix:
                        "end that program (`ss -ltnp` names it), or give serve and doctor another \(listener.option)port"
                )
            case EACCES:
                return failed(
                    "\(place) may not be used by this user",
                    fix: "choose a port above 1023, or let the server's user use it (CAP_NET_BIND_SERVICE)"
                )
            default: break
            }
        } catch {
            // The host has no address.
        }
        return failed(
            "\(listener.host) is no address of this machine",
            fix: "give \(listener.option)host an address of this machine, such as 127.0.0.1"
        )
    }

    /// The check of a port that the server itself has; nil if another program has it.
    ///
    /// The certificate of HTTPS names the public's host and not this address, so that nobody is asked there.
    private func ownServer(at listener: Listener, _ place: String) async -> DoctorCheck? {
        guard database.absolutePath == nil || database.isInUse else { return nil }
        if tls != nil { return DoctorCheck(.ports, nil, "\(place) is taken, and a server has the ledger") }
        let address = listener.address(of: "/health/live")
        guard await faultOfServer(at: address) == nil else { return nil }
        return DoctorCheck(.ports, true, "a server of this program has \(place)")
    }
}
