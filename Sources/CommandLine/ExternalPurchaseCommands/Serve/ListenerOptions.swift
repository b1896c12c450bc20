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
        return publicPort.map { PublicListener(host: publicHost ?? "127.0.0.1", port: Int($0)) }
    }
}
