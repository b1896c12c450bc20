import NIOCore

/// What a connection waits for, and until when it may.
struct ConnectionProgress {
    /// Which limit a connection has passed.
    enum Overrun: String, Hashable {
        case head, body, idle, write, shutdown
    }

    private enum Reading {
        /// Nothing of a request is here; `begun` when bytes of its head are.
        case head(since: NIODeadline, begun: Bool)
        case body(since: NIODeadline)
    }

    private let limits: HTTPLimits
    private var reading: Reading
    /// True once the pipeline takes more bytes: a server that reads slowly is no client that sends slowly.
    private var isReading = false
    /// Requests whose answers are not complete.
    private var unanswered = 0
    /// Parts of answers that the client has not taken.
    private(set) var unwritten = 0
    private var lastWritten = NIODeadline.uptimeNanoseconds(0)
    private var stopsAt: NIODeadline?

    init(limits: HTTPLimits, now: NIODeadline) {
        self.limits = limits
        // The first request is due as if its first byte had come.
        reading = .head(since: now, begun: true)
    }

    /// True between the head of a request and its end.
    var isInBody: Bool { if case .body = reading { true } else { false } }

    // MARK: What happens

    mutating func headArrived(now: NIODeadline) {
        reading = .body(since: now)
        unanswered += 1
    }

    mutating func bodyArrived(now: NIODeadline) {
        if isInBody { reading = .body(since: now) }
    }

    mutating func requestEnded(now: NIODeadline) { reading = .head(since: now, begun: false) }

    /// Bytes came of which nothing can be made yet.
    mutating func bytesArrived(now: NIODeadline) {
        switch reading {
        case .head(_, begun: false): reading = .head(since: now, begun: true)
        case .head: break
        case .body: reading = .body(since: now)
        }
    }

    mutating func readBegan(now: NIODeadline) {
        guard !isReading else { return }
        isReading = true
        if isInBody { reading = .body(since: now) }
    }

    mutating func readEnded() { isReading = false }

    mutating func answerEnded(now: NIODeadline) {
        unanswered = max(0, unanswered - 1)
        if unanswered == 0, case .head(_, let begun) = reading { reading = .head(since: now, begun: begun) }
    }

    mutating func writeBegan(now: NIODeadline) {
        if unwritten == 0 { lastWritten = now }
        unwritten += 1
    }

    mutating func writeEnded(now: NIODeadline) {
        unwritten -= 1
        lastWritten = now
    }

    /// The client took some of what waits.
    mutating func someWritten(now: NIODeadline) { lastWritten = now }

    mutating func stops(now: NIODeadline) {
        if stopsAt == nil { stopsAt = now + .milliseconds(limits.shutdown) }
    }

    // MARK: Until when

    /// The earliest limit that runs, and its end; nil when the connection waits for the server only.
    var deadline: (moment: NIODeadline, overrun: Overrun)? {
        var deadlines: [(moment: NIODeadline, overrun: Overrun)] = []
        switch reading {
        case .head(let since, begun: true) where unanswered == 0:
            deadlines.append((since + .milliseconds(limits.head), .head))
        case .head(let since, begun: false) where unanswered == 0:
            deadlines.append((since + .milliseconds(limits.idle), .idle))
        case .body(let since) where isReading:
            deadlines.append((since + .milliseconds(limits.body), .body))
        default: break
        }
        if unwritten > 0 { deadlines.append((lastWritten + .milliseconds(limits.write), .write)) }
        if let stopsAt { deadlines.append((stopsAt, .shutdown)) }
        return deadlines.min { $0.moment < $1.moment }
    }
}
