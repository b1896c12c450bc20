package import Hummingbird
import NIOCore

/// Why the body of a request cannot be used.
package enum BodyFault: Error, Hashable, Sendable {
    /// It has more bytes than are taken.
    case tooLong
    /// Its chunks or its length contradict HTTP.
    case malformed
    /// The client went away before the body was whole.
    case brokenOff
}

extension Request {
    /// The bytes of the body.
    ///
    /// A client that closes after the answer reads it only when everything is sent, so what is too long is read and thrown
    /// away before the answer.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that are kept.
    ///   - discarded: the most bytes that are read and thrown away beyond that.
    /// - Throws: ``BodyFault``; nothing of the body may be used then.
    package func bytes(upTo limit: Int, discarding discarded: Int = 67_108_864) async throws(BodyFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var length = 0
        do {
            for try await part in body {
                length += part.readableBytes
                if length <= limit {
                    bytes.append(contentsOf: part.readableBytesView)
                } else if length - limit > discarded {
                    break
                }
            }
        } catch is UploadBrokenOff, is CancellationError {
            throw .brokenOff
        } catch {
            throw .malformed
        }
        guard length <= limit else { throw .tooLong }
        return bytes
    }
}
