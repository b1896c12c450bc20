import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// The demo's shop website: a page per checkout, a purchase and a refund, each sent to the merchant's server.
struct GemShopWebsite: Sendable {
    /// The address of the merchant's server.
    let merchantServer: @Sendable () -> String
    let http: HTTPClient
    let bundleId: BundleId
    /// The current time, used as the time of a sale.
    let now: @Sendable () -> Timestamp

    func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.get(":country") { request, context in
            let checkout = request.uri.queryParameters["checkout"].map(String.init) ?? ""
            return Self.page(country: try context.parameters.require("country"), checkout: checkout)
        }
        router.post("buy") { request, _ in
            let order = try await Form(request)
            let sale = purchase(saleId: order["order"], checkout: order["checkout"], country: order["country"])
            return try await forward(sale)
        }
        router.post("refund") { request, _ in
            let order = try await Form(request)
            return try await forward(
                refund(saleId: order["order"] + "-refund", of: order["order"], inclusive: order["amount"])
            )
        }
        return router
    }

    /// Standard VAT rates in per cent of GemShop's countries, in 2026.
    static let taxRates = [
        "de": "19", "es": "21", "fi": "25.5", "fr": "20", "is": "24", "it": "22", "nl": "21", "no": "25", "se": "25",
    ]

    private func purchase(saleId: String, checkout: String, country: String) -> JSONValue {
        [
            "saleId": .string(saleId), "bundleId": .string(bundleId.rawValue),
            "type": "purchase", "occurredAt": .string(now().description),
            "checkoutId": .string(checkout), "productId": "gems.100",
            "quantity": .integer(1),
            "amount": [
                "currency": "EUR", "inclusive": "9.99",
                "taxRate": .string(Self.taxRates[country] ?? "21"),
                "taxCountry": .string(Country.region(country)?.alpha3 ?? "NLD"),
            ],
        ]
    }

    private func refund(saleId: String, of order: String, inclusive: String) -> JSONValue {
        [
            "saleId": .string(saleId), "bundleId": .string(bundleId.rawValue),
            "type": "refund", "occurredAt": .string(now().description),
            "refundOf": .string(order),
            "amount": ["inclusive": .string(inclusive)],
        ]
    }

    /// Sends a sale to the merchant's server and returns its response.
    private func forward(_ sale: JSONValue) async throws -> Response {
        var request = HTTPClientRequest(url: merchantServer() + "/v1/sales")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: sale.encoded()))
        let answer = try await http.execute(request, timeout: .seconds(10))
        let body = try await answer.body.collect(upTo: 1 << 20)
        return Response(
            status: .init(code: Int(answer.status.code)),
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: body)
        )
    }

    private static let template = HTMLTemplate(WebFiles.gemshopHTML)

    /// The page of a checkout; characters of its id other than letters, digits and hyphens are removed.
    static func html(country: String, checkout: String) -> String {
        let checkout = checkout.filter { $0.isLetter || $0.isNumber || $0 == "-" }
        return template.filled(with: [
            "style": .markup(WebFiles.gemshopCSS),
            "checkout": .text(checkout),
            "country": .text(taxRates[country] == nil ? "nl" : country),
            "order": .text("order-\(checkout.prefix(8))"),
        ])
    }

    private static func page(country: String, checkout: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html(country: country, checkout: checkout)))
        )
    }

    /// A form as posted by a browser.
    private struct Form {
        private let fields: [String: String]

        init(_ request: Request) async throws {
            let body = try await request.body.collect(upTo: 16_384)
            var fields: [String: String] = [:]
            let text = String(buffer: body)
            guard text.isStreamSafe else { throw HTTPError(.badRequest) }
            for pair in text.split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { continue }
                fields[String(parts[0])] = parts[1].replacing("+", with: " ").removingPercentEncoding
            }
            self.fields = fields
        }

        subscript(name: String) -> String { fields[name] ?? "" }
    }
}
