import Foundation
import FoundationNetworking

/// Requests with Foundation's client, which shares nothing with the servers under test.
enum HTTP {
    struct Answer {
        let status: Int
        let body: Data

        var json: [String: Any] { ((try? JSONSerialization.jsonObject(with: body)) as? [String: Any]) ?? [:] }
        var list: [[String: Any]] { ((try? JSONSerialization.jsonObject(with: body)) as? [[String: Any]]) ?? [] }
    }

    static func get(_ url: String) async throws -> Answer {
        try await send("GET", url, nil)
    }

    static func send(
        _ method: String,
        _ url: String,
        _ body: [String: Any]?,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        guard let address = URL(string: url) else { throw URLError(.badURL) }
        var request = URLRequest(url: address)
        request.httpMethod = method
        request.timeoutInterval = 300
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        return Answer(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: data)
    }
}
