import ArgumentParser
import CommandSupport
import ReportingServer

/// The addresses on which `serve` listens.
struct ListenerOptions: ParsableArguments {
    @Option(help: "Address to listen on; without API keys, a loopback address.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: UInt16 = 8800

    @Option(help: "Port of a second listener that serves only what the public may reach; 0 takes a free one.")
    var publicPort: UInt16?

    @Option(help: "Address of the public listener, any address; 127.0.0.1 by default.")
    var publicHost: String?

    /// The public listener; nil without one.
    func publicListener() throws(CommandFailure) -> PublicListener? {
        guard publicHost == nil || publicPort != nil else {
            throw .input("--public-host needs --public-port, the port of the public listener")
        }
        guard let publicPort else { return nil }
        let address = publicHost ?? "127.0.0.1"
        if publicPort == port, port != 0, Self.overlap(host, address) {
            throw .input(
                "--port \(port) and --public-port \(publicPort) are the same port of \(address): two listeners cannot share it; "
                    + "give one of them another port"
            )
        }
        return PublicListener(host: address, port: Int(publicPort))
    }

    /// Whether two listeners of one port would be at the same address; a wildcard is every address of its kind.
    private static func overlap(_ first: String, _ second: String) -> Bool {
        func covers(_ host: String, _ other: String) -> Bool {
            switch host {
            case "::": true
            case "0.0.0.0": !other.contains(":")
            case "localhost": ["127.0.0.1", "::1"].contains(other)
            default: host == other
            }
        }
        return first == second || covers(first, second) || covers(second, first)
    }
}
