import ExternalPurchaseCore
import Hummingbird
import Ledger

extension LedgerPage {
    /// Reads `?limit=` (1 to 1,000, by default 100) and `?after=`, the `next` of the previous page.
    init(of request: Request) throws {
        self.init(limit: try Self.limit(of: request))
        if let text = request.uri.queryParameters["after"] {
            guard let after = Int64(text), after >= 0 else {
                throw Problem.invalid("?after", "is not the 'next' of an earlier page")
            }
            self.after = after
        }
    }

    /// Reads only `?limit=`, for lists with their own cursors.
    static func limit(of request: Request) throws -> Int {
        guard let text = request.uri.queryParameters["limit"] else { return LedgerPage().limit }
        guard let limit = Int(text), (1...1_000).contains(limit) else {
            throw Problem.invalid("?limit", "is not a number from 1 to 1000")
        }
        return limit
    }

    /// Returns a page as JSON under a name, with `next` if there may be more rows.
    func json(_ name: String, _ rows: [(sequence: Int64, json: JSONValue)]) -> JSONValue {
        let next = rows.count == limit ? rows.last?.sequence : nil
        return [
            name: .array(rows.map(\.json)),
            "next": next.map { .string(String($0)) } ?? .null,
        ]
    }
}
