import Foundation

extension TokenDelivery {
    /// Reads the answer of `POST /v1/tokens` (EK-40, EK-41).
    ///
    /// - Parameters:
    ///   - status: the status.
    ///   - retryAfter: the header `Retry-After`; a date is ignored, because the device's clock may be wrong.
    ///   - body: the body.
    package init(status: Int, retryAfter: String?, body: Data) {
        let after = retryAfter.flatMap { Int64($0.trimmingCharacters(in: .whitespaces)) }
            .flatMap { $0 >= 0 ? Duration.seconds(min($0, 86_400)) : nil }
        switch status {
        case 200, 201:
            let receipt = try? JSONDecoder().decode(Receipt.self, from: body)
            self =
                receipt?.externalPurchaseId.isEmpty == false
                ? .stored : .retry(reason: "\(status) without the id of a token", after: nil)
        // The same request can never succeed: not readable, too large, a wrong field.
        case 400, 413, 415, 422:
            self = .refused(reason: Self.problem(status, body))
        default:
            self = .retry(reason: Self.problem(status, body), after: after)
        }
    }

    private static func problem(_ status: Int, _ body: Data) -> String {
        guard let problem = try? JSONDecoder().decode(Problem.self, from: body) else { return "status \(status)" }
        return "status \(status): " + String(problem.detail.prefix(500))
    }

    private struct Receipt: Decodable {
        let externalPurchaseId: String
    }

    private struct Problem: Decodable {
        let detail: String
    }
}
