import AppStoreServerClient
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1
import Payments
import Reporting

/// A client of Stripe's API for reading.
struct StripeClient: StripeAPI {
    /// `https://api.stripe.com`, or a stand-in.
    let baseURL: String
    /// The secret or restricted API key.
    let key: String
    /// The connected account whose objects are read; nil for the key's own account.
    let account: String?
    let http: HTTPClient
    /// The maximum time to wait for a response.
    var timeout = TimeAmount.seconds(30)

    /// The largest number of pages that are read of one list.
    private static let mostPages = 1_000
    /// The largest size of a response in bytes.
    private static let maximumBytes = 16_777_216

    func fetch(_ request: PaymentRequest) async throws(StripeAPIError) -> [JSONValue] {
        guard request.isList else {
            guard let object = try await get(request.path) else { return [] }
            return [object]
        }
        var elements: [JSONValue] = []
        var path = request.path
        for _ in 0..<Self.mostPages {
            guard let list = try await get(path)?.objectValue else { return elements }
            let page = list["data"]?.arrayValue ?? []
            elements += page
            guard list["has_more"]?.boolValue == true, let last = page.last?.objectValue?["id"]?.stringValue else {
                return elements
            }
            path = request.path + "&starting_after=" + Self.escaped(last)
        }
        throw .unusable("\(request.path) has more than \(Self.mostPages) pages")
    }

    func events(
        from: Timestamp,
        through: Timestamp,
        before: String?
    ) async throws(StripeAPIError) -> (events: [JSONValue], hasMore: Bool) {
        var path = "/v1/events?limit=100&created%5Bgte%5D=\(from.milliseconds / 1_000)"
        path += "&created%5Blte%5D=\(through.milliseconds / 1_000)"
        if let before { path += "&starting_after=\(Self.escaped(before))" }
        guard let list = try await get(path)?.objectValue else { throw .unusable("/v1/events answers 404") }
        return (list["data"]?.arrayValue ?? [], list["has_more"]?.boolValue == true)
    }

    /// Returns the endpoints of the account's webhooks; nil for an answer that Stripe would not give.
    func webhookEndpoints() async throws(StripeAPIError) -> [JSONValue]? {
        let first = try await get("/v1/webhook_endpoints?limit=1")?.objectValue
        guard first?["data"]?.arrayValue != nil else { return nil }
        return try await fetch(PaymentRequest(path: "/v1/webhook_endpoints?limit=100", isList: true, objectId: nil))
    }

    /// Returns the body of an answer; nil for 404.
    private func get(_ path: String) async throws(StripeAPIError) -> JSONValue? {
        var request = HTTPClientRequest(url: baseURL + path)
        request.headers.add(name: "Authorization", value: "Bearer \(key)")
        if let account { request.headers.add(name: "Stripe-Account", value: account) }
        let status: Int
        let bytes: [UInt8]
        do {
            let (response, body) = try await http.exchange(request, within: timeout, upTo: Self.maximumBytes)
            status = Int(response.status.code)
            bytes = Array(body.readableBytesView)
        } catch {
            throw .noAnswer(NetworkFailure.words(error, address: baseURL))
        }
        switch status {
        case 200: break
        case 404: return nil
        case 401: throw .unauthorized
        case 403: throw .forbidden
        case 429: throw .rateLimited
        default: throw .unusable("status \(status)")
        }
        do {
            var reader = JSONReader()
            reader.interruptsRuns = true
            return try reader.read(bytes)
        } catch {
            throw .unusable("the body is not JSON")
        }
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "_-")))
            ?? text
    }
}
