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
        return base(limits).setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let requestTarget = RequestTargetHandler()
            try pipeline.addHandler(requestTarget, position: .before(decoder))
            try pipeline.addHandler(
                ConnectionHandler(limits: limits, connections: connections, requestTarget: requestTarget),
                position: .after(decoder)
            )
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
