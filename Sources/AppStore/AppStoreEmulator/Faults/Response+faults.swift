import Hummingbird
import NIOCore

// Responses whose bodies are faulty.
extension Response {
    private struct BrokenOff: Error {}

    private var bytes: ByteBuffer {
        get async {
            let collected = Collected()
            try? await body.write(collected)
            return collected.bytes.buffer
        }
    }

    /// The complete body; nil when writing it fails.
    var wholeBody: [UInt8]? {
        get async {
            let collected = Collected()
            do {
                try await body.write(collected)
            } catch {
                return nil
            }
            return Array(collected.bytes.buffer.readableBytesView)
        }
    }

    /// Announces the length of the complete body, sends half of it and closes the connection.
    func brokenOff() async -> Response {
        let whole = await bytes
        let half = whole.getSlice(at: whole.readerIndex, length: whole.readableBytes / 2) ?? ByteBuffer()
        return replacing(
            ResponseBody(contentLength: max(1, whole.readableBytes)) { writer in
                try await writer.write(half)
                throw BrokenOff()
            }
        )
    }

    /// Sends the body in twenty pieces over that time.
    ///
    /// It closes the connection when the wait is interrupted.
    func slowed(
        over milliseconds: Int64,
        waiting wait: @escaping @Sendable (Duration) async -> Bool
    ) async -> Response {
        let whole = await bytes
        return replacing(
            ResponseBody(contentLength: whole.readableBytes) { writer in
                let pieces = 20
                var rest = whole
                for piece in 0..<pieces {
                    guard await wait(.milliseconds(milliseconds / Int64(pieces))) else { throw BrokenOff() }
                    let length = piece == pieces - 1 ? rest.readableBytes : whole.readableBytes / pieces
                    if let slice = rest.readSlice(length: length) { try await writer.write(slice) }
                }
                try await writer.finish(nil)
            }
        )
    }

    /// Sends half of the body with a matching length.
    func malformed() async -> Response {
        let whole = await bytes
        let half = whole.getSlice(at: whole.readerIndex, length: whole.readableBytes / 2) ?? ByteBuffer()
        return replacing(ResponseBody(byteBuffer: half.readableBytes == 0 ? ByteBuffer(string: "{") : half))
    }

    private func replacing(_ body: ResponseBody) -> Response {
        var response = self
        response.body = body
        return response
    }
}

private final class Box {
    var buffer = ByteBuffer()
}

/// Collects the bytes of a body.
private struct Collected: ResponseBodyWriter {
    let bytes = Box()

    mutating func write(_ buffer: ByteBuffer) async throws {
        var buffer = buffer
        bytes.buffer.writeBuffer(&buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
