package import NIOCore
import Synchronization

/// Notices that a client sends nothing more: it has closed its connection, or at least its own side of it.
///
/// Whoever only closes its side may still wait for a response, but nothing tells the two apart before something is sent.
package final class ClientEndHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    package typealias InboundIn = NIOAny

    private let state = Atomic(false)

    /// True once the client has closed.
    package var hasEnded: Bool { state.load(ordering: .relaxed) }

    init() {}

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { state.store(true, ordering: .relaxed) }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        state.store(true, ordering: .relaxed)
        context.fireChannelInactive()
    }
}
