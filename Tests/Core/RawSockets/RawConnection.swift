import Foundation

/// A connection on which a test sends arbitrary bytes; for loopback addresses only.
package final class RawConnection {
    private var descriptor: Int32

    package struct Refused: Error {}

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - port: a port of 127.0.0.1.
    ///   - receiveBuffer: the size of the kernel's receive buffer in bytes; nil for the system's default.
    package init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = try connectedSocket(port: port) { descriptor in
            if var size = receiveBuffer {
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
        }
    }

    /// Sends as much as the other side accepts.
    package func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, noSignal) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    #if canImport(Glibc) || canImport(Musl)
    private let noSignal = Int32(MSG_NOSIGNAL)
    #else
    private let noSignal: Int32 = 0
    #endif

    /// Closes the connection at once, so that the other side's next write fails.
    ///
    /// Unread bytes cause a reset.
    package func close() {
        if descriptor >= 0 { _ = Foundation.close(descriptor) }
        descriptor = -1
    }

    /// Receives until the other side closes the connection or sends nothing for a time.
    ///
    /// It waits on its own thread, because the server under test shares the threads of the test.
    ///
    /// - Parameters:
    ///   - milliseconds: the time without data after which it returns.
    ///   - limit: the number of bytes after which it returns.
    ///   - enough: receives the last 1,024 bytes whenever data arrives; true returns.
    package func receive(
        silence milliseconds: Int32,
        upTo limit: Int = .max,
        enough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async -> (text: String, isClosed: Bool) {
        let descriptor = descriptor
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    returning: Self.receive(descriptor, silence: milliseconds, upTo: limit, enough: enough)
                )
            }
        }
    }

    private static func receive(
        _ descriptor: Int32,
        silence milliseconds: Int32,
        upTo limit: Int,
        enough: (String) -> Bool
    ) -> (text: String, isClosed: Bool) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return (text(received), false) }
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { return (text(received), true) }
            received += buffer[..<count]
            if received.count > limit || enough(text(received.suffix(1_024))) { return (text(received), false) }
        }
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    deinit { close() }
}

/// Opens a socket and connects it to a port of 127.0.0.1.
///
/// - Parameter prepare: called before it is connected.
func connectedSocket(port: Int, _ prepare: (Int32) -> Void = { _ in }) throws(RawConnection.Refused) -> Int32 {
    #if canImport(Glibc) || canImport(Musl)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    prepare(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let outcome = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard descriptor >= 0, outcome == 0 else {
        if descriptor >= 0 { _ = close(descriptor) }
        throw RawConnection.Refused()
    }
    return descriptor
}
