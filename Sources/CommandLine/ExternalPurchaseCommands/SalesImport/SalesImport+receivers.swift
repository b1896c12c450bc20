import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Ledger
import NIOCore
import NIOHTTP1
import Reporting

extension SalesImport {
    /// Stores rows in a ledger, as `POST /v1/batch` does.
    ///
    /// - Parameter name: the ledger's name for messages.
    static func receiver(_ system: ReportingSystem, name: String) -> Receiver {
        { rows in
            let results: [BatchIntake.Result]
            do throws(RequestError) {
                results = try await system.batches.receive(rows.map { .sale($0.command) })
            } catch {
                throw CommandFailure.otherSide("\(name): \(error)")
            }
            return results.map { result in
                switch result {
                case .sale(let receipt):
                    .stored(
                        isNew: receipt.isNew,
                        state: receipt.stateName,
                        flags: receipt.flags.map(\.rawValue).sorted()
                    )
                case .refused(let error): .refused(error.fieldErrors)
                case .token: .refused([])
                }
            }
        }
    }

    /// Sends rows to a running server, to `POST /v1/batch`.
    ///
    /// - Parameters:
    ///   - server: the server's address.
    ///   - key: an API key; nil while the server has none.
    static func receiver(server: String, key: String?, http: HTTPClient) -> Receiver {
        let name = "--server \(HTTPAddress.shown(server))"
        return { rows in
            let items = rows.map { JSONValue.object(["sale": $0.body]) }
            var request = HTTPClientRequest(url: server + "/v1/batch")
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            if let key { request.headers.add(name: "Authorization", value: "Bearer \(key)") }
            request.body = .bytes(JSONValue.object(["items": .array(items)]).encoded())
            let status: UInt
            let answer: JSONValue?
            do {
                let (response, body) = try await http.exchange(request, within: .seconds(120), upTo: 16 << 20)
                status = response.status.code
                answer = try? JSONReader().read(Array(body.readableBytesView))
            } catch {
                throw CommandFailure.otherSide(
                    "a server uses the ledger, and at \(name) \(NetworkFailure.words(error, address: server))"
                )
            }
            guard status != 401, status != 403 else {
                let remedy = "--api-key-file FILE names a file with a key of scope sales"
                guard key != nil else { throw CommandFailure.otherSide("\(name): needs a key (\(status)); \(remedy)") }
                let detail = answer?.objectValue?["detail"]?.stringValue.map { ": \($0)" } ?? ""
                throw CommandFailure.otherSide("\(name): refuses the key (\(status))\(detail); \(remedy)")
            }
            guard status == 200, let results = answer?.objectValue?["results"]?.arrayValue, results.count == rows.count
            else {
                let detail = answer?.objectValue?["detail"]?.stringValue ?? "it is no server of this version"
                throw CommandFailure.otherSide("\(name): answers \(status): \(detail)")
            }
            return try results.map { try result($0, name: name) }
        }
    }

    /// Reads the result of an item of a batch.
    private static func result(_ json: JSONValue, name: String) throws(CommandFailure) -> Result {
        let object = json.objectValue
        guard let status = object?["status"]?.int64Value else {
            throw .otherSide("\(name): answers with a result that cannot be read")
        }
        // Of many problems the last ones have a status only.
        let body = object?["body"]?.objectValue ?? JSONObject()
        func texts(_ key: String) -> [String] { (body[key]?.arrayValue ?? []).compactMap(\.stringValue) }
        let detail = body["detail"]?.stringValue ?? "status \(status)"
        switch status {
        case 200..<300:
            return .stored(
                isNew: status == 201,
                state: body["state"]?.stringValue ?? "",
                flags: texts("flags").sorted()
            )
        case 401, 403: throw .otherSide("\(name): refuses a sale (\(status)): \(detail)")
        case 400..<500:
            let errors = (body["errors"]?.arrayValue ?? []).compactMap { error -> FieldError? in
                guard let path = error.objectValue?["path"]?.stringValue,
                    let message = error.objectValue?["message"]?.stringValue
                else { return nil }
                return FieldError(path, message)
            }
            return .refused(errors.isEmpty ? [FieldError("/saleId", detail)] : errors)
        default: throw .otherSide("\(name): answers \(status): \(detail)")
        }
    }
}

/// The client of apps while nothing is sent: no report reaches it.
struct NoReportClient: ReportEndpointClient {
    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        AppStoreResponse(outcome: .noAnswer(reason: "this command sends no reports"), status: nil, body: [])
    }

    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        AppStoreResponse(outcome: .noAnswer(reason: "this command sends no reports"), status: nil, body: [])
    }
}
