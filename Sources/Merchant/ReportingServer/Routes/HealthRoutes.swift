import ExternalPurchaseCore
import Hummingbird
import Reporting

/// `GET /health/live`: the process answers; `GET /health/ready`: it stores what comes in, and says what stops its work.
struct HealthRoutes<Context: RequestContext> {
    let system: ReportingSystem

    func add(to router: Router<Context>) {
        router.get("health/live") { _, _ in Response(Self.ok) }
        router.get("health/ready") { _, _ in
            let readiness = await system.health.readiness()
            guard readiness.isReady else { throw Problem(notReady: readiness) }
            return Response(readiness.problems.isEmpty ? Self.ok : Self.degraded(readiness))
        }
    }

    private static var ok: JSONValue { .object(JSONObject([.init("status", .string("ok"))])) }

    /// Requests are stored; something else needs a person.
    private static func degraded(_ readiness: Readiness) -> JSONValue {
        .object(JSONObject([.init("status", .string("degraded")), readiness.member]))
    }
}

extension Readiness {
    /// What is not as it should be, for an answer.
    var member: JSONObject.Member {
        .init(
            "problems",
            .array(
                problems.map { problem in
                    var members: [JSONObject.Member] = [.init("check", .string(problem.check.rawValue))]
                    if let app = problem.app { members.append(.init("bundleId", .string(app.rawValue))) }
                    members.append(.init("detail", .string(problem.detail)))
                    return .object(JSONObject(members))
                }
            )
        )
    }
}
