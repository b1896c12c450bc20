import AppStoreNotifications
import AppStoreServerClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension OCSPChecker {
    /// Creates a checker that uses HTTP (RFC 6960 appendix A.1), with limits of five seconds and 64 KiB per response.
    init(http: HTTPClient) {
        self.init { address, question in
            var request = HTTPClientRequest(url: address)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/ocsp-request")
            request.headers.add(name: "Accept", value: "application/ocsp-response")
            request.body = .bytes(ByteBuffer(bytes: question))
            let (response, body) = try await http.exchange(request, within: .seconds(5), upTo: 1 << 16)
            guard response.status == .ok else { throw NoAnswer() }
            return Array(body.readableBytesView)
        }
    }

    /// The responder's status was not 200.
    private struct NoAnswer: Error {}
}
