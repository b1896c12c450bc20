import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// An HTTP/1.1 connection with a ``ConnectionHandler`` after the decoder.
struct GuardedChannel: ServerChildChannel {
    let responder: HTTPChannelHandler.Responder
    let connections: ConnectionGuard

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let limits = connections.limits
        let isRefused: Bool
        do throws(TooManyConnections) {
            if let group = try connections.joined(IPAddress(channel.remoteAddress)) {
                channel.closeFuture.whenComplete { [connections] _ in connections.left(group) }
            }
            isRefused = false
        } catch {
            isRefused = true
        }
        return base(limits).setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let requestTarget = RequestTargetHandler()
            try pipeline.addHandler(requestTarget, position: .before(decoder))
            try pipeline.addHandler(ClientEndHandler(), position: .before(decoder))
            try pipeline.addHandler(
                ConnectionHandler(limits: limits, connections: connections, requestTarget: requestTarget),
                position: .after(decoder)
            )
            // A failure here would end the listener instead of the connection.
            if isRefused { channel.close(promise: nil) }
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base(connections.limits).handle(value: value, logger: logger)
    }

    private func base(_ limits: HTTPLimits) -> HTTP1Channel {
        HTTP1Channel(responder: responder, configuration: .init(httpDecoderConfiguration: limits.decoder))
    }
}
