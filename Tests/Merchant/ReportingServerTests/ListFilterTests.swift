import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import Testing

@testable import ReportingServer

@Suite("A filter with a closed set of values refuses every other value")
struct ListFilterTests {
    /// The parameters whose value may be any text, by the list: ids, and what Apple or a provider may add to.
    private static let open: [MerchantList: Set<ListFilter.Parameter>] = [
        .sales: [.externalPurchaseId, .customerId, .checkoutId, .productId],
        .tokens: [.externalPurchaseId, .customerId, .checkoutId],
        .reports: [.externalPurchaseId, .customerId, .checkoutId],
        .due: [.externalPurchaseId, .saleId, .customerId, .productId],
        .review: [.externalPurchaseId, .saleId], .corrections: [.saleId],
        .notifications: [.kind, .subtype, .externalPurchaseId, .customerId, .checkoutId],
        .events: [.kind, .saleId], .exports: [], .audit: [.externalPurchaseId, .saleId],
    ]

    @Test(
        "In every list, under the interface and on the page; the others take any text",
        arguments: MerchantList.allCases
    )
    func everyList(_ list: MerchantList) async throws {
        let open = try #require(Self.open[list])
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            for parameter in list.parameters {
                let name = parameter.name.rawValue
                let isOpen = open.contains(parameter.name)
                for value in ["xxx", "OPEN", "2026-13", "K", String(repeating: "x", count: 2_000)] {
                    let escaped = value.replacing("K", with: "%E2%84%AA")
                    let answer = try await client.execute(uri: "/v1/\(list.rawValue)?\(name)=\(escaped)", method: .get)
                    let text = String(buffer: answer.body)
                    #expect(
                        answer.status == (isOpen ? .ok : .unprocessableContent),
                        "\(list) \(name)=\(value): \(text)"
                    )
                    if !isOpen { #expect(text.contains("\"?\(name)\""), "\(text)") }
                }
                if let known = parameter.known {
                    for value in known {
                        let answer = try await client.execute(
                            uri: "/v1/\(list.rawValue)?\(name)=\(value)",
                            method: .get
                        )
                        #expect(answer.status == .ok, "\(list) \(name)=\(value)")
                    }
                }
            }
        }
    }

    @Test("Programmes are those of the catalog, months have the form of months")
    func exports() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            for (query, status) in [
                ("programme=eu-2026-10", 200), ("programme=eu", 422), ("programme=EU-2026-10", 422),
                ("month=2026-10", 200), ("month=2026-12", 200), ("month=2026-00", 422), ("month=2026-1", 422),
                ("month=26-10-01", 422), ("programme=eu-2026-10&month=2026-10", 200),
            ] {
                let answer = try await client.execute(uri: "/v1/exports?\(query)", method: .get)
                #expect(answer.status.code == status, "\(query): \(String(buffer: answer.body))")
            }
            let wrong = try await client.execute(uri: "/v1/exports?programme=xxx", method: .get)
            #expect(String(buffer: wrong.body).contains("eu-2026-10"))
            for path in ["/v1/exports/2026-10.json?programme=xxx", "/v1/invoices?month=2026-10&programme=xxx"] {
                let answer = try await client.execute(uri: path, method: .get)
                #expect(answer.status == .unprocessableContent, "\(path): \(String(buffer: answer.body))")
            }
        }
    }
}
