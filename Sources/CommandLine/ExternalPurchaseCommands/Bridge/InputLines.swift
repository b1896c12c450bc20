import Dispatch
import Foundation

/// The lines of standard input, which a thread of its own reads.
///
/// At most ``mostOpen`` lines are read that are not ``done()``, so that a host that does not read its answers does not fill
/// the memory.
final class InputLines: Sendable {
    static let mostOpen = 256

    /// The lines, until the end of the input or ``end()``.
    let lines: AsyncStream<Data>
    private let continuation: AsyncStream<Data>.Continuation
    /// Created with 0, because Dispatch refuses to release a semaphore below its first value.
    private let permits = DispatchSemaphore(value: 0)

    init() {
        (lines, continuation) = AsyncStream.makeStream(of: Data.self)
        for _ in 0..<Self.mostOpen { permits.signal() }
    }

    /// Begins to read.
    ///
    /// - Parameter limit: the number of bytes that are kept of a line.
    func begin(limit: Int) {
        Thread { [self] in
            var splitter = LineSplitter(limit: limit)
            while let bytes = Self.read() {
                for line in splitter.add(bytes) { yield(line) }
            }
            if let rest = splitter.rest { yield(rest) }
            continuation.finish()
        }
        .start()
    }

    /// A line was answered.
    func done() { permits.signal() }

    /// Ends the lines; what is read later is ignored.
    func end() { continuation.finish() }

    private func yield(_ line: Data) {
        permits.wait()
        continuation.yield(line)
    }

    /// The next bytes; nil at the end, and when the input cannot be read.
    private static func read() -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 { return bytes[..<count] }
            guard count < 0 else { return nil }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // The other side made the descriptor not blocking.
                var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                _ = poll(&descriptor, 1, -1)
            default: return nil
            }
        }
    }
}
