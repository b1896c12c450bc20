import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import Synchronization
import Testing

@testable import ReportingServer

/// A browser that keeps the cookies of a dashboard, and fills in its forms.
final class DashboardBrowser: Sendable {
    let client: any TestClientProtocol
    /// Sent with every request.
    private let headers: HTTPFields
    private let jar = Mutex<[String: String]>([:])

    init(_ client: any TestClientProtocol, headers: HTTPFields = [:]) {
        self.client = client
        self.headers = headers
    }

    /// The cookies by name.
    var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    func send(_ method: HTTPRequest.Method, _ path: String) async throws -> TestResponse {
        keep(try await client.execute(uri: path, method: method, headers: withCookies))
    }

    /// Returns the page of a path.
    func page(_ path: String) async throws -> String {
        let answer = try await send(.get, path)
        #expect(answer.status == .ok, "\(path)")
        let html = String(buffer: answer.body)
        DashboardPageTests.check(html, answer.headers, path)
        return html
    }

    /// Posts a form with the token of the page that has it.
    func submit(
        _ path: String,
        _ fields: [(String, String)] = [],
        from page: String,
        headers more: HTTPFields = [:]
    ) async throws -> TestResponse {
        let csrf = DashboardPageTests.csrf(in: String(buffer: try await send(.get, page).body))
        var headers = withCookies
        for field in more { headers[field.name] = field.value }
        return keep(
            try await DashboardPageTests.submit(client, path, [("csrf", csrf)] + fields, headers: headers)
        )
    }

    @discardableResult
    func signIn(_ name: String = "kim", password: String = "correct horse") async throws -> TestResponse {
        try await submit("/sign-in", [("name", name), ("password", password)], from: "/sign-in")
    }

    private var withCookies: HTTPFields {
        var headers = headers
        let cookies = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        if !cookies.isEmpty { headers[.cookie] = cookies }
        return headers
    }

    private func keep(_ answer: TestResponse) -> TestResponse {
        for text in answer.headers[values: .setCookie] {
            let name = String(text.prefix { $0 != "=" })
            let value = String(text.drop { $0 != "=" }.dropFirst().prefix { $0 != ";" })
            jar.withLock { $0[name] = text.contains("Max-Age=0") ? nil : value }
        }
        return answer
    }
}

extension DashboardAccess {
    /// The access of one user, kim.
    static func kim(password: String = "correct horse") -> DashboardAccess {
        let kim = User(name: "kim", credential: password, role: .admin)
        return DashboardAccess(
            isSignInNeeded: { true },
            user: { name, given in
                name == kim.name && given == password ? kim : nil
            },
            present: { $0 == kim.name ? kim : nil }
        )
    }
}
