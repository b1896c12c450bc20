import Foundation

/// A connection whose bytes are the test's own, however wrong; for loopback addresses only.
final class RawConnection {
    private var descriptor: Int32

    struct Refused: Error {}

    init(port: UInt16) throws {
        #if canImport(Glibc) || canImport(Musl)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let outcome = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // The object is complete, so that its end closes the socket here too.
        guard descriptor >= 0, outcome == 0 else { throw Refused() }
    }

    convenience init(_ url: String) throws {
        guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw Refused() }
        try self.init(port: port)
    }

    /// Sends as much as the other side takes.
    ///
    /// - Returns: false once the other side has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// What the other side sends until it closes, or until it has been silent for that long.
    func receive(silence milliseconds: Int32 = 300, enough: (String) -> Bool = { _ in false }) -> (
        text: String, isClosed: Bool
    ) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return (Self.text(received), false) }
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { return (Self.text(received), true) }
            received += buffer[..<count]
            if enough(Self.text(received)) { return (Self.text(received), false) }
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    deinit { _ = Foundation.close(descriptor) }
}
