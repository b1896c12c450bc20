import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1

/// The HTTP client of the demo, which acts as the simulated customer's browser on loopback.
struct DemoBrowser: Sendable {
    /// An HTTP response.
    struct Page: Sendable {
        let status: Int
        let location: String?
        let body: [UInt8]

        var json: JSONObject? { (try? JSONReader().read(body))?.objectValue }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    let http: HTTPClient

    func get(_ url: String) async throws -> Page {
        try await send(.GET, url, type: nil, body: [])
    }

    func json(_ method: HTTPMethod, _ url: String, _ value: JSONValue) async throws -> Page {
        try await send(method, url, type: "application/json", body: value.encoded())
    }

    /// Posts a form as the button of a page does.
    func form(_ url: String, _ fields: [(name: String, value: String)]) async throws -> Page {
        // The form encoding equals a query string without its question mark.
        let body = WebsiteURL.appending(fields, to: "").dropFirst()
        return try await send(.POST, url, type: "application/x-www-form-urlencoded", body: Array(body.utf8))
    }

    /// Posts JSON with further header fields.
    func post(_ url: String, _ json: [UInt8], _ fields: [(name: String, value: String)]) async throws -> Page {
        try await send(.POST, url, type: "application/json", body: json, fields)
    }

    private func send(
        _ method: HTTPMethod,
        _ url: String,
        type: String?,
        body: [UInt8],
        _ fields: [(name: String, value: String)] = []
    ) async throws -> Page {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for field in fields { request.headers.add(name: field.name, value: field.value) }
        if let type {
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await http.execute(request, timeout: .seconds(10))
        let bytes = Array(try await response.body.collect(upTo: 8 << 20).readableBytesView)
        return Page(
            status: Int(response.status.code),
            location: response.headers.first(name: "Location"),
            body: bytes
        )
    }
}
