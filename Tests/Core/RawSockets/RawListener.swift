import Foundation
import Synchronization

/// A listener on a free port of 127.0.0.1 whose connections a test serves byte by byte, one after the other, on a thread
/// of its own.
///
/// It ends with its last reference.
package final class RawListener: Sendable {
    package let port: Int
    private let socket: Connection

    package struct Unavailable: Error {}

    /// Opens the port; connections wait until ``start(_:)``.
    package init() throws {
        #if canImport(Glibc) || canImport(Musl)
        let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        socket = Connection(descriptor: descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else { throw Unavailable() }
    }

    /// Serves each connection; the function closes it, or keeps it open until the listener ends.
    package func start(_ serve: @escaping @Sendable (Connection) -> Void) {
        Thread.detachNewThread { [socket] in
            var open: [Connection] = []
            while !socket.isClosed {
                let client = accept(socket.descriptor, nil, nil)
                guard client >= 0 else {
                    // Such as a connection that its client gave up.
                    usleep(1_000)
                    continue
                }
                let connection = Connection(descriptor: client)
                open.removeAll(where: \.isClosed)
                open.append(connection)
                serve(connection)
            }
        }
    }

    // The thread that serves may hold the last reference, and goes on.
    deinit { socket.close() }

    /// A connection of a client.
    ///
    /// Its number is free again with the last reference only. A thread that used the number after another one had closed it
    /// would take, end or answer a connection of another test.
    package final class Connection: Sendable {
        fileprivate let descriptor: Int32
        private let closed = Atomic<Bool>(false)

        fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

        /// Connects to another server, as a proxy does.
        package init(to port: Int) throws { descriptor = try connectedSocket(port: port) }

        deinit { if descriptor >= 0 { _ = Foundation.close(descriptor) } }

        fileprivate var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

        /// Ends both directions, and what waits for bytes or a connection.
        package func close() {
            closed.store(true, ordering: .sequentiallyConsistent)
            shutdown(descriptor, Int32(SHUT_RDWR))
        }

        /// The next bytes; nil at the end.
        package func receive() -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return count > 0 ? Array(buffer[..<count]) : nil
        }

        /// Sends bytes.
        ///
        /// - Returns: false once the other side has closed the connection.
        @discardableResult
        package func send(_ bytes: [UInt8]) -> Bool {
            #if canImport(Glibc) || canImport(Musl)
            let flags = Int32(MSG_NOSIGNAL)
            #else
            let flags: Int32 = 0
            #endif
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Reads a request with a body of known length; nil if the client ends before it is complete.
        package func request() -> Request? {
            var bytes: [UInt8] = []
            while true {
                guard let more = receive() else { return nil }
                bytes += more
                if let request = Request(bytes) { return request }
            }
        }

        /// Answers a request; the client sees that the connection ends.
        ///
        /// - Parameter status: the status and its words, such as `200 OK`.
        package func respond(_ status: String, type: String? = nil, _ body: [UInt8] = []) {
            let type = type.map { "Content-Type: \($0)\r\n" } ?? ""
            let head = "HTTP/1.1 \(status)\r\n\(type)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
            send(Array(head.utf8) + body)
        }
    }

    /// A request of HTTP/1.1.
    package struct Request: Sendable {
        package let method: String
        package let target: String
        /// The fields by their names in lower case.
        package let headers: [String: String]
        package let body: [UInt8]

        /// Reads a request; nil while bytes are missing.
        fileprivate init?(_ bytes: [UInt8]) {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2 { headers[parts[0].lowercased()] = parts[1] }
            }
            let body = bytes[end.upperBound...]
            if body.count < headers["content-length"].flatMap({ Int($0) }) ?? 0 { return nil }
            let words = (lines.first ?? "").split(separator: " ")
            method = String(words.first ?? "")
            target = String(words.dropFirst().first ?? "")
            self.headers = headers
            self.body = Array(body)
        }
    }
}
