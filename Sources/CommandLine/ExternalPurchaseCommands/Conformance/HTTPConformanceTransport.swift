import AppStoreServerClient
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1
import ReportConformance

/// Sends the requests of a run over HTTP.
struct HTTPConformanceTransport: ConformanceTransport {
    let http: HTTPClient
    let signer: UncheckedTokenSigner
    /// Without a slash at its end.
    let baseURL: String
    let timeout: TimeAmount = .seconds(30)

    /// The largest answer that is read.
    private static let maximumAnswer = 8 << 20

    func exchange(_ request: ConformanceRequest, now: Timestamp) async throws(ConformanceTransportError)
        -> ConformanceResponse
    {
        var message = HTTPClientRequest(url: baseURL + request.path)
        message.method = HTTPMethod(rawValue: request.method)
        message.headers.add(name: "Accept", value: "application/json")
        if let type = request.contentType { message.headers.add(name: "Content-Type", value: type) }
        if let authorization = try signer.value(of: request.authorization, now: now) {
            message.headers.add(name: "Authorization", value: authorization)
        }
        if let body = request.body { message.body = .bytes(body) }
        do {
            let (response, bytes) = try await http.exchange(message, within: timeout, upTo: Self.maximumAnswer)
            let body = Array(bytes.readableBytesView)
            let status = Int(response.status.code)
            let received = ReceivedResponse(
                status: status,
                body: body,
                retryAfter: response.headers.first(name: "Retry-After"),
                now: now
            )
            return ConformanceResponse(
                status: status,
                body: body,
                retryAt: received.retryAt,
                contentType: response.headers.first(name: "Content-Type")
            )
        } catch {
            throw ConformanceTransportError(reason: NetworkFailure.words(error, address: message.url))
        }
    }
}
