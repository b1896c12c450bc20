import NIOCore

/// What a connection is waiting for, and its deadlines.
struct ConnectionProgress {
    /// The limit that a connection exceeded.
    enum Overrun: String, Hashable {
        case head, body, wholeBody, idle, write, shutdown
    }

    private enum Reading {
        /// The connection waits for a request; `begun` is true while the limit of its head runs.
        case head(since: NIODeadline, begun: Bool)
        case body(since: NIODeadline)
    }

    private let limits: HTTPLimits
    private var reading: Reading
    /// True while the pipeline reads.
    ///
    /// A server that reads slowly must not count as a client that sends slowly.
    private var isReading = false
    /// The moment since which the pipeline reads.
    private var readingSince = NIODeadline.uptimeNanoseconds(0)
    /// The time that the pipeline has read the current body, without the current read.
    private var bodyTime = TimeAmount.zero
    /// The number of requests whose responses are incomplete.
    private(set) var unanswered = 0
    /// The number of response parts that the client has not received.
    private(set) var unwritten = 0
    private var lastWritten = NIODeadline.uptimeNanoseconds(0)
    private var stopsAt: NIODeadline?
    private var isEnding = false
    /// True when some bytes of an incomplete head have arrived.
    private(set) var hasBytesOfHead = false

    init(limits: HTTPLimits, now: NIODeadline) {
        self.limits = limits
        // The limit for the first request starts when the connection opens.
        reading = .head(since: now, begun: true)
    }

    /// True between the head of a request and its end.
    var isInBody: Bool { if case .body = reading { true } else { false } }

    // MARK: What happens

    mutating func headArrived(now: NIODeadline) {
        reading = .body(since: now)
        bodyTime = .zero
        readingSince = now
        hasBytesOfHead = false
        unanswered += 1
    }

    mutating func bodyArrived(now: NIODeadline) {
        if isInBody { reading = .body(since: now) }
    }

    mutating func requestEnded(now: NIODeadline) { reading = .head(since: now, begun: false) }

    /// Records bytes that do not complete a part yet.
    mutating func bytesArrived(now: NIODeadline) {
        switch reading {
        case .head(let since, let begun):
            hasBytesOfHead = true
            reading = .head(since: begun ? since : now, begun: true)
        case .body: reading = .body(since: now)
        }
    }

    mutating func readBegan(now: NIODeadline) {
        guard !isReading else { return }
        isReading = true
        readingSince = now
        if isInBody { reading = .body(since: now) }
    }

    mutating func readEnded(now: NIODeadline) {
        if isReading, isInBody { bodyTime = bodyTime + (now - readingSince) }
        isReading = false
    }

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

    /// Records that the client received some of the pending bytes.
    mutating func someWritten(now: NIODeadline) { lastWritten = now }

    /// Records that the server stops, and the moment at which its connections end.
    mutating func stops(at moment: NIODeadline) {
        stopsAt = stopsAt.map { min($0, moment) } ?? moment
    }

    /// Records that nothing more is read or answered; the connection stays open until a moment.
    mutating func ends(at moment: NIODeadline) {
        isEnding = true
        stops(at: moment)
    }

    // MARK: Until when

    /// The earliest deadline and the limit it belongs to; nil when the connection only waits for the server.
    var deadline: (moment: NIODeadline, overrun: Overrun)? {
        var deadlines: [(moment: NIODeadline, overrun: Overrun)] = []
        switch reading {
        case _ where isEnding: break
        case .head(let since, begun: true) where unanswered == 0:
            deadlines.append((since + TimeAmount(limits.head), .head))
        case .head(let since, begun: false) where unanswered == 0:
            deadlines.append((since + TimeAmount(limits.idle), .idle))
        case .body(let since) where isReading:
            deadlines.append((since + TimeAmount(limits.body), .body))
            deadlines.append((readingSince + (TimeAmount(limits.wholeBody) - bodyTime), .wholeBody))
        default: break
        }
        if unwritten > 0 { deadlines.append((lastWritten + TimeAmount(limits.write), .write)) }
        if let stopsAt { deadlines.append((stopsAt, .shutdown)) }
        return deadlines.min { $0.moment < $1.moment }
    }
}
