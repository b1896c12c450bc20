import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// The client closed the connection, or stopped sending, in the middle of a request body.
///
/// No client receives the response, and no part of the body may be used. It is not a server error and is not logged as
/// one.
struct UploadBrokenOff: Error, Hashable, Sendable {
    init() {}
}

/// Supervises one connection: refuses requests that exceed a limit of ``HTTPLimits`` or do not name one host, closes it
/// after them and when a client is too slow, distinguishes an aborted upload from a complete one, and frames responses to
/// `HEAD`.
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
    /// What the responses to the unanswered requests need of them, oldest first.
    private var requests: [Asked] = []
    /// True if the current response to `HEAD` has no length, so that the end of the connection frames it.
    private var endsAfterHead = false
    /// True if the connection ends after the current response.
    private var endsAfterAnswer = false
    /// The number of requests whose responses are incomplete, as the guard counts them.
    private var inFlight = 0 {
        didSet { connections.countRequests(inFlight - oldValue) }
    }
    /// True from the head of a response to its end.
    private var isAnswering = false
    /// True once nothing more is read.
    private var ignoresRequests = false
    /// True once the last response was written; the connection then only waits for its end.
    private var isEnding = false
    private var isOver = false
    /// The refusal of a request that follows the responses to earlier ones.
    private var postponedRefusal: HeadRefusal?
    private let requestTarget: RequestTargetHandler

    /// What the response to a request needs of it.
    private struct Asked {
        let isHead: Bool
        let isHTTP10: Bool
        /// False if the client expects the end of the connection after the response (RFC 9112, section 9.3).
        let keepsConnection: Bool

        init(_ head: HTTPRequestHead) {
            isHead = head.method == .HEAD
            isHTTP10 = !head.version.isAtLeast11
            keepsConnection = head.isKeepAlive
        }
    }

    init(limits: HTTPLimits, connections: ConnectionGuard, requestTarget: RequestTargetHandler) {
        self.limits = limits
        self.requestTarget = requestTarget
        self.connections = connections
        progress = ConnectionProgress(limits: limits, now: .now())
    }

    func handlerAdded(context: ChannelHandlerContext) { schedule(context) }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        isOver = true
        inFlight = 0
        alarm?.task.cancel()
        alarm = nil
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partsInRead += 1
        guard !ignoresRequests else { return }
        let now = NIODeadline.now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            if let refusal = limits.refusal(of: head) {
                refuse(refusal, context)
                return
            }
            requests.append(Asked(head))
            if progress.unanswered == 0, head.expectsContinue { sendContinue(context) }
            progress.headArrived(now: now)
            inFlight += 1
        case .body: progress.bodyArrived(now: now)
        case .end:
            progress.requestEnded(now: now)
            requestTarget.begin()
        }
        context.fireChannelRead(data)
    }

    /// Tells a client that waits for it to send the body (RFC 9110, section 10.1.1).
    private func sendContinue(_ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    // MARK: Refusals

    /// Answers with an error status and closes the connection once the client has had time to read it.
    ///
    /// The responses to earlier requests of the connection come first. A client may send its next request before the
    /// end of the response was written here, because the length of the body told it the end.
    private func refuse(_ refusal: HeadRefusal, _ context: ChannelHandlerContext) {
        guard !ignoresRequests else { return }
        ignoresRequests = true
        let isOfRequestInBody = progress.isInBody && progress.unanswered == 1
        if isAnswering || progress.unanswered > 0 && !isOfRequestInBody {
            postponedRefusal = refusal
        } else {
            answer(refusal, isOfRequestInBody: isOfRequestInBody, context)
        }
    }

    private func answer(_ refusal: HeadRefusal, isOfRequestInBody: Bool, _ context: ChannelHandlerContext) {
        connections.logger.debug("a request was refused with \(refusal.status.code) before it was read")
        let body = ByteBuffer(string: refusal.problem(requestId: RequestID().description))
        var headers = HTTPHeaders([("Content-Type", "application/problem+json"), ("Connection", "close")])
        headers.add(name: "Content-Length", value: String(body.readableBytes))
        let head = HTTPResponseHead(version: .http1_1, status: refusal.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if requests.first?.isHead != true { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        endConnection(after: written.futureResult, context)
        if isOfRequestInBody { context.fireErrorCaught(UploadBrokenOff()) }
    }

    /// Closes the connection once the client has received the last response, or had a moment for it.
    ///
    /// Closing at once while bytes of the client are unread would reset the connection, and the response could be lost.
    private func endConnection(after written: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        ignoresRequests = true
        isEnding = true
        inFlight = 0
        written.assumeIsolated().whenComplete { [self] _ in
            guard !isOver else { return }
            context.close(mode: .output, promise: nil)
            progress.ends(at: .now() + .seconds(1))
            schedule(context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if partsInRead == 0 { progress.bytesArrived(now: .now()) }
        partsInRead = 0
        progress.readEnded(now: .now())
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
        if ignoresRequests { return }
        if error as? HTTPParserError == .headerOverflow {
            refuse(requestTarget.length > limits.targetBytes ? .targetTooLong : .fieldsTooLarge, context)
            return
        }
        let isBrokenOff = error is IOError || error as? HTTPParserError == .invalidEOFState
        context.fireErrorCaught(isBrokenOff && progress.isInBody ? UploadBrokenOff() : error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            progress.stops(at: connections.stopMoment(of: limits))
            schedule(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isEnding {
            promise?.fail(UploadBrokenOff())
            return
        }
        let written = promise ?? context.eventLoop.makePromise()
        var size = 0
        var part = unwrapOutboundIn(data)
        switch part {
        case .head(var head) where head.status.code >= 200:
            isAnswering = true
            // Without a length the encoder would use chunked encoding, but the response to `HEAD` has no body.
            let hasNoLength = !head.headers.contains(name: "Content-Length") && head.status.mayHaveResponseBody
            let request = requests.first
            if request?.isHead == true, hasNoLength { endsAfterHead = true }
            if request?.isHTTP10 == true {
                // HTTP/1.0 knows no chunks: the end of the connection frames a response without a length.
                if hasNoLength { head.version = .http1_0 }
                if !head.headers.contains(name: "Connection") {
                    head.headers.add(name: "Connection", value: "keep-alive")
                }
            }
            let isFramedByEnd = endsAfterHead || request?.isHTTP10 == true && hasNoLength
            if isFramedByEnd || connections.isStopping || request?.keepsConnection == false {
                head.headers.replaceOrAdd(name: "Connection", value: "close")
            }
            part = .head(head)
            endsAfterAnswer = head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
        case .head: break
        case .body(let body): size = body.readableBytes
        case .end:
            isAnswering = false
            if !isOver { inFlight = max(0, inFlight - 1) }
            if !requests.isEmpty { requests.removeFirst() }
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
        if endsAfterAnswer, case .end = part {
            context.flush()
            endConnection(after: written.futureResult, context)
            return
        }
        if let refusal = postponedRefusal, progress.unanswered == 0 {
            postponedRefusal = nil
            answer(refusal, isOfRequestInBody: false, context)
        }
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
        // A client that was idle gets no response: it could take it for the response to its next request.
        let isInRequest =
            deadline.overrun == .head ? progress.hasBytesOfHead : [.body, .wholeBody].contains(deadline.overrun)
        if isInRequest, !ignoresRequests, !isAnswering {
            refuse(.timeout, context)
            return
        }
        connections.logger.debug("a connection was closed by its time limit (\(deadline.overrun.rawValue))")
        context.close(promise: nil)
    }
}
