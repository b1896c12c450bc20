package import Hummingbird
package import NIOCore

/// The context of a request with the address of its peer and its caller.
package struct ServerContext: CallerRequestContext, RemoteAddressRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let remoteAddress: SocketAddress?
    /// The connection of the request.
    let channel: any Channel
    package var caller = Caller.anybody
    package var bodyLimits = BodyLimits()
    /// True if the browser reaches the server by HTTPS, itself or through a trusted proxy.
    package var isSecure = false
    /// The session of a signed-in user of the dashboard.
    package var session: DashboardSession?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
    }
}
