import Hummingbird
import NIOCore

/// The context of a request with the address of its peer and its caller.
struct ServerContext: CallerRequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?
    /// The connection of the request.
    let channel: any Channel
    var caller = Caller.anybody
    var bodyLimits = BodyLimits()
    /// True if the browser reaches the server by HTTPS, itself or through a trusted proxy.
    var isSecure = false
    /// The session of a signed-in user of the dashboard.
    var session: DashboardSession?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
    }
}
