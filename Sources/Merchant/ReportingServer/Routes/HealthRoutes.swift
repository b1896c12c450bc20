import ExternalPurchaseCore
import Hummingbird
import Reporting

/// The routes `GET /health/live` and `GET /health/ready`.
///
/// The first one shows that the process responds, the second one that it can store data, and which problems stop its
/// work.
struct HealthRoutes<Context: RequestContext> {
    let system: ReportingSystem
    let listeners: ServerListeners

    func addLiveness(to router: Router<Context>) {
        router.get("health/live") { _, _ in Response(Self.ok) }
    }

    func addReadiness(to router: Router<Context>) {
        router.get("health/ready") { [listeners] _, _ in
            if listeners.isStopping { throw Problem.stopping }
            let readiness = await system.health.readiness()
            guard readiness.isReady else { throw Problem(notReady: readiness) }
            return Response(readiness.problems.isEmpty ? Self.ok : Self.degraded(readiness))
        }
    }

    private static var ok: JSONValue { .object(JSONObject([.init("status", .string("ok"))])) }

    /// Returns the response of a server that stores requests but has a problem that needs a person.
    private static func degraded(_ readiness: Readiness) -> JSONValue {
        .object(JSONObject([.init("status", .string("degraded")), readiness.member]))
    }
}

extension Readiness {
    /// The problems as a member of the response.
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
