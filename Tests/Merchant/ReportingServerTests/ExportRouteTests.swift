import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ReportingServer
import Testing

@Suite("GET /v1/exports")
struct ExportRouteTests {
    @Test("A month is served as CSV and JSON under a name to save it as (OB-61)")
    func formats() async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            let query = "?programme=eu-2026-10&bundleId=com.example.shop"
            try await client.execute(uri: "/v1/exports/2026-11.csv\(query)", method: .get) { response in
                #expect(response.status == .ok)
                #expect(response.headers[.contentType]?.hasPrefix("text/csv") == true)
                #expect(
                    response.headers[.contentDisposition]
                        == "attachment; filename=\"com.example.shop-eu-2026-10-2026-11.csv\""
                )
                #expect(String(buffer: response.body).hasPrefix("saleId,lineItemId,date,event,"))
            }
            try await client.execute(uri: "/v1/exports/2026-11.json\(query)", method: .get) { response in
                #expect(response.headers[.contentDisposition]?.hasSuffix("2026-11.json\"") == true)
                #expect(response.json["reconciliation"] != nil)
            }
        }
    }

    @Test("Without a query a month is served too, as the contract of the path says")
    func openQuery() async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            try await client.execute(uri: "/v1/exports/2026-11.csv", method: .get) { response in
                #expect(response.status == .ok)
                #expect(String(buffer: response.body).hasPrefix("saleId,lineItemId,date,event,"))
            }
            try await client.execute(uri: "/v1/exports/2026-11.json", method: .get) { response in
                #expect(response.json["exports"] != nil)
            }
        }
    }

    @Test(
        "What cannot be exported says why",
        arguments: [
            ("2026-11.csv?programme=nowhere", 422, "?programme: is no programme: \"nowhere\""),
            ("2026-11.csv?bundleId=com.other", 422, "?bundleId: is none of the apps registered here"),
            ("2026-13.csv?programme=kr", 422, "the path: \"2026-13\" is not a month"),
            ("2098-12.csv?programme=kr", 422, "\"2098-12\" is not a month from 2023-10 to 2050-09, such as 2026-10"),
            ("2026-11.csv?environment=here", 422, "?environment: is neither production"),
            ("2026-11.pdf", 404, "2026-10.csv"),
        ]
    )
    func refusals(file: String, status: Int, says: String) async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            try await client.execute(uri: "/v1/exports/\(file)", method: .get) { response in
                #expect(response.status.code == status)
                #expect((response.json["detail"] as? String)?.contains(says) == true, "\(response.json)")
            }
        }
    }
}
