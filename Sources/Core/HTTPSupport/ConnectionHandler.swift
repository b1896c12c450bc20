import Logging
import NIOCore
import NIOHTTP1

/// The client closed the connection, or stopped sending, in the middle of a request body.
///
/// No client receives the response, and no part of the body may be used. It is not a server error and is not logged as
/// one.
package struct UploadBrokenOff: Error, Hashable, Sendable {
    package init() {}
}

/// Supervises one connection: closes it when a limit of ``HTTPLimits`` is exceeded, distinguishes an aborted upload
/// from a complete one, and frames responses to `HEAD`.
///
/// The handler comes after the HTTP/1.1 decoder in the pipeline.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: HTTPLimits
    private let connections: ConnectionGuard
    private var progress: ConnectionProgress
    private var alarm: (task: Scheduled<Void>, moment: NIODeadline)?
    /// The number of unsent bytes in the socket at the last check.
    private var waiting: Int?
    /// The number of parts since the socket was last read empty.
    private var partsInRead = 0
    /// Whether each unanswered request is a `HEAD`, oldest first.
    private var isHead: [Bool] = []
    private var endsAfterHead = false
    private var isOver = false

    init(limits: HTTPLimits, connections: ConnectionGuard) {
        self.limits = limits
        self.connections = connections
        progress = ConnectionProgress(limits: limits, now: .now())
    }

    func handlerAdded(context: ChannelHandlerContext) { schedule(context) }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        isOver = true
        alarm?.task.cancel()
        alarm = nil
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partsInRead += 1
        let now = NIODeadline.now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            isHead.append(head.method == .HEAD)
            progress.headArrived(now: now)
        case .body: progress.bodyArrived(now: now)
        case .end: progress.requestEnded(now: now)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if partsInRead == 0 { progress.bytesArrived(now: .now()) }
        partsInRead = 0
        progress.readEnded()
        schedule(context)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        progress.readBegan(now: .now())
        schedule(context)
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        if progress.isInBody { context.fireErrorCaught(UploadBrokenOff()) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isBrokenOff = error is IOError || error as? HTTPParserError == .invalidEOFState
        context.fireErrorCaught(isBrokenOff && progress.isInBody ? UploadBrokenOff() : error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            progress.stops(now: .now())
            schedule(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise()
        var size = 0
        var part = unwrapOutboundIn(data)
        switch part {
        case .head(var head) where head.status.code >= 200:
            // Without a length the encoder would use chunked encoding, but the response to `HEAD` has no body.
            if isHead.first == true, !head.headers.contains(name: "Content-Length"), head.status.mayHaveResponseBody {
                endsAfterHead = true
                head.headers.replaceOrAdd(name: "Connection", value: "close")
                part = .head(head)
            }
        case .head: break
        case .body(let body): size = body.readableBytes
        case .end:
            if !isHead.isEmpty { isHead.removeFirst() }
            progress.answerEnded(now: .now())
        }
        progress.writeBegan(now: .now())
        connections.hold(size)
        written.futureResult.assumeIsolated().whenComplete { [self] _ in
            connections.release(size)
            progress.writeEnded(now: .now())
            if progress.unwritten == 0 { waiting = nil }
        }
        if endsAfterHead, case .end = part {
            context.flush()
            written.succeed()
            context.close(promise: nil)
            return
        }
        context.write(wrapOutboundOut(part), promise: written)
        schedule(context)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if progress.unwritten > 0 { waiting = Self.bytesInSocket(context) }
        schedule(context)
    }

    /// The bytes, encrypted or not, that the socket has not accepted yet.
    private static func bytesInSocket(_ context: ChannelHandlerContext) -> Int? {
        try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    }

    // MARK: Time

    /// Schedules a timer for the earliest deadline.
    ///
    /// Later deadlines are checked when the timer fires.
    private func schedule(_ context: ChannelHandlerContext) {
        guard !isOver, let deadline = progress.deadline else { return }
        if let alarm {
            guard deadline.moment < alarm.moment else { return }
            alarm.task.cancel()
        }
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline.moment) { [self] in
            alarm = nil
            ring(context)
        }
        alarm = (task, deadline.moment)
    }

    private func ring(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        if let waiting, let rest = Self.bytesInSocket(context), rest < waiting {
            self.waiting = rest
            progress.someWritten(now: now)
        }
        guard let deadline = progress.deadline, deadline.moment <= now else { return schedule(context) }
        connections.logger.debug("a connection was closed by its time limit (\(deadline.overrun.rawValue))")
        context.close(promise: nil)
    }
}
