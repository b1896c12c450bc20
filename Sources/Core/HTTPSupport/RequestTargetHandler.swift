import NIOCore

/// Counts the bytes of a request's target, so that a target that is too long for the decoder is told from fields that
/// are.
///
/// The handler comes before the HTTP/1.1 decoder in the pipeline.
final class RequestTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Part {
        case method, target, rest
    }

    private var part = Part.method
    /// The number of bytes of the current request's target that have arrived.
    private(set) var length = 0

    /// Begins a request.
    ///
    /// The target of a request that arrived together with the end of the one before is not counted.
    func begin() {
        part = .method
        length = 0
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if part != .rest { count(unwrapInboundIn(data).readableBytesView) }
        context.fireChannelRead(data)
    }

    private func count(_ bytes: ByteBufferView) {
        for byte in bytes {
            switch (part, byte) {
            case (_, UInt8(ascii: "\n")), (.target, UInt8(ascii: " ")):
                part = .rest
                return
            case (.method, UInt8(ascii: " ")): part = .target
            case (.target, _): length += 1
            default: break
            }
        }
    }
}
