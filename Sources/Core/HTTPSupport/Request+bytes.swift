package import Hummingbird
import NIOCore

/// Why the body of a request cannot be used.
package enum BodyFault: Error, Hashable, Sendable {
    /// The body has more bytes than allowed.
    case tooLong
    /// The chunks or the length of the body violate HTTP.
    case malformed
    /// The client closed the connection before the body was complete.
    case brokenOff
}

extension Request {
    /// Reads the bytes of the body.
    ///
    /// Some clients read the response only after they have sent the complete request. A body that is too long is
    /// therefore read and discarded before the response.
    ///
    /// - Parameters:
    ///   - limit: the maximum size of the body in bytes.
    ///   - discarded: the maximum number of further bytes that are read and discarded.
    /// - Throws: ``BodyFault``. No part of the body may be used then.
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
