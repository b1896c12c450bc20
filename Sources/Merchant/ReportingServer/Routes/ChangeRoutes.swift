import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import NIOCore
import Reporting

/// The route `GET /v1/changes`, the feed of changes as JSON or as a line of JSON for each.
struct ChangeRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    private static var lines: String { "application/x-ndjson" }

    func add(to group: RouterGroup<Context>) {
        group.get("changes", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let limit = try LedgerPage.limit(of: request)
        let after = try request.uri.queryParameters["after"].map { text in
            guard let cursor = ChangeCursor(String(text)) else {
                throw Problem.invalid("?after", "is no 'cursor' or 'next' of an earlier page")
            }
            return cursor
        }
        let page = try await FieldPlaces.query.naming { () throws(RequestError) in
            try await system.changes.changes(
                after: after ?? .beginning,
                limit: limit,
                of: context.caller.bundleId
            )
        }
        let wantsLines = request.headers[values: .accept].contains { $0.contains(Self.lines) }
        guard wantsLines else {
            return Response(["changes": .array(page.changes.map(\.json)), "next": .string(page.next.text)])
        }
        let bytes = page.changes.flatMap { $0.json.encoded() + [UInt8(ascii: "\n")] }
        return Response(
            status: .ok,
            headers: [.contentType: Self.lines],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}
