import ExternalPurchaseCore
import Hummingbird
import Ledger
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
            return Response(Self.ready(readiness, system.leases, at: system.now))
        }
    }

    private static var ok: JSONValue { ["status": "ok"] }

    /// Returns the response of a server that stores requests but may have a problem that needs a person.
    private static func ready(_ readiness: Readiness, _ leases: LeaseKeeper, at now: Timestamp) -> JSONValue {
        let hasProblem = !readiness.problems.isEmpty
        var members: [JSONObject.Member] = [
            .init("status", .string(hasProblem ? "degraded" : "ok")), .init("now", .string(now.description)),
        ]
        if hasProblem { members.append(readiness.member) }
        if leases.isShared { members.append(leases.member) }
        return .object(JSONObject(members))
    }
}

extension LeaseKeeper {
    /// Which work this server does, as a member of the response.
    fileprivate var member: JSONObject.Member {
        .init(
            "leases",
            [
                "server": .string(server.rawValue),
                "held": .array(names(of: held).map(JSONValue.string)),
                "servers": .array(servers.map { .string($0.rawValue) }),
            ]
        )
    }

    private func names(of leases: [LeaseName]) -> [String] {
        leases.compactMap { if case .server = $0 { nil } else { $0.rawValue } }
    }
}

extension Readiness {
    /// The problems as a member of the response.
    var member: JSONObject.Member {
        .init(
            "problems",
            .array(
                problems.map { problem in
                    var members: JSONObject = ["check": .string(problem.check.rawValue)]
                    if let app = problem.app { members["bundleId"] = .string(app.rawValue) }
                    members["detail"] = .string(problem.detail)
                    return .object(members)
                }
            )
        )
    }
}
