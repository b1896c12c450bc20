import AppStoreServerClient
package import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Sends requests to the provider, with limits of time and size.
package struct OpenIDTransport: Sendable {
    /// Follows no redirects.
    private let http: HTTPClient

    /// The longest time for a complete answer.
    static let timeout = TimeAmount.seconds(10)
    /// The largest size of an answer in bytes: a token with some thousand groups.
    static let maximumAnswer = 1 << 18

    /// - Parameter http: a client configured like `AppStoreServerClient.httpConfiguration`.
    package init(http: HTTPClient) {
        self.http = http
    }

    func get(_ address: String) async throws(SignInRefusal) -> (status: UInt, body: [UInt8]) {
        var request = HTTPClientRequest(url: address)
        request.headers.add(name: "Accept", value: "application/json")
        return try await send(request)
    }

    /// Posts the fields of a form.
    ///
    /// - Parameter authorization: the value of that header; nil for none.
    func post(
        _ address: String,
        _ fields: [(String, String)],
        authorization: String?
    ) async throws(SignInRefusal) -> (status: UInt, body: [UInt8]) {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        let text = fields.map { "\(PagePath.escaped($0.0))=\(PagePath.escaped($0.1))" }.joined(separator: "&")
        request.body = .bytes(ByteBuffer(string: text))
        return try await send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws(SignInRefusal) -> (status: UInt, body: [UInt8]) {
        do {
            let (response, body) = try await http.exchange(request, within: Self.timeout, upTo: Self.maximumAnswer)
            return (response.status.code, Array(body.readableBytesView))
        } catch is NIOTooManyBytesError {
            throw SignInRefusal(reason: .providerAnswerTooLarge)
        } catch {
            throw SignInRefusal(
                reason: .providerUnavailable,
                detail: NetworkFailure.words(error, address: request.url)
            )
        }
    }
}
