import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The route `POST /v1/batch`: up to 1,000 tokens and sales in one commit.
///
/// The response has one result per item, in order, each with the status that the single request would have.
struct BatchRoutes<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.post("batch", use: receive)
    }

    @Sendable private func receive(_ request: Request, _ context: Context) async throws -> Response {
        let (body, size) = try await RequestBody.sizedJSON(of: request, upTo: context.bodyLimits.batch)
        let items = try Self.items(of: body)
        var results: [Int: JSONValue] = [:]
        var read: [(index: Int, item: BatchIntake.Item)] = []
        var budget = ProblemBudget(ofBatchWith: size)
        for (index, item) in items.enumerated() {
            do {
                read.append((index, try self.item(item, by: context.caller)))
            } catch let problem as Problem {
                results[index] = problem.resultJSON(requestId: context.id, &budget)
            } catch let error as RequestError {
                results[index] = Problem(error).resultJSON(requestId: context.id, &budget)
            }
        }
        let stored = try await system.batches.receive(read.map(\.item))
        for ((index, _), result) in zip(read, stored) {
            results[index] = result.json(requestId: context.id, &budget)
        }
        return Response(
            ["results": .array(items.indices.map { results[$0] ?? .null })]
        )
    }

    private static func items(of body: JSONValue) throws -> [JSONValue] {
        guard let object = body.objectValue, let items = object["items"]?.arrayValue else {
            throw Problem.invalid("/items", "is not an array of objects such as {\"token\":{…}} or {\"sale\":{…}}")
        }
        if let other = object.members.first(where: { !$0.key.hasSameScalars(as: "items") }) {
            throw Problem.invalid("/\(other.key.clipped())", "is not known here; a batch has only items")
        }
        guard (1...BatchIntake.maximumCount).contains(items.count) else {
            throw Problem.invalid("/items", "has \(items.count) items; a batch has 1 to \(BatchIntake.maximumCount)")
        }
        return items
    }

    /// Reads an item and checks that the caller may send it.
    private func item(_ item: JSONValue, by caller: Caller) throws -> BatchIntake.Item {
        guard let members = item.objectValue?.members, members.count == 1, let member = members.first else {
            throw Problem.invalid("", "is not an object with one member, token or sale")
        }
        switch member.key {
        case "token":
            return .token(try TokenArrival(body: member.value, caller: caller))
        case "sale":
            try caller.checkSales()
            return .sale(try SaleCommand(body: member.value, apps: system.apps, caller: caller))
        default:
            throw Problem.invalid("/\(member.key.clipped())", "is neither token nor sale")
        }
    }
}

extension BatchIntake.Result {
    /// The result of an item: its status, and the body of the single request.
    fileprivate func json(requestId: String, _ budget: inout ProblemBudget) -> JSONValue {
        switch self {
        case .token(let receipt): .result(receipt.isNew ? 201 : 200, receipt.json)
        case .sale(let receipt): .result(receipt.isNew ? 201 : receipt.isWaiting ? 202 : 200, receipt.json)
        case .refused(let refusal): Problem(refusal).resultJSON(requestId: requestId, &budget)
        }
    }
}

extension Problem {
    /// The result of an item: its status, and its problem while the answer has room for it.
    fileprivate func resultJSON(requestId: String, _ budget: inout ProblemBudget) -> JSONValue {
        let body = shortened(within: &budget.errors).json(requestId: requestId)
        budget.bytes -= body.encoded().count
        guard budget.bytes >= 0 else {
            budget.bytes = 0
            return ["status": .integer(Int64(status.code))]
        }
        return .result(Int64(status.code), body)
    }
}

/// What the answer to a batch may still tell of its problems.
///
/// A batch of empty items would otherwise cause an answer many times its size. Items as long as those of a shop have their
/// problems in any number.
private struct ProblemBudget {
    /// The number of errors that the answer may still list: those of a single request, whatever the number of items.
    var errors = FieldError.most + 1
    /// The number of bytes that problems may still have: twice the request, and 16 KiB.
    var bytes: Int

    init(ofBatchWith size: Int) { bytes = 2 * size + 16_384 }
}

extension JSONValue {
    fileprivate static func result(_ status: Int64, _ body: JSONValue) -> JSONValue {
        ["status": .integer(status), "body": body]
    }
}
