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

    private static var ok: JSONValue { .object(JSONObject([.init("status", .string("ok"))])) }

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
            .object(
                JSONObject([
                    .init("server", .string(server.rawValue)),
                    .init("held", .array(names(of: held).map(JSONValue.string))),
                    .init("servers", .array(servers.map { .string($0.rawValue) })),
                ])
            )
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
                    var members: [JSONObject.Member] = [.init("check", .string(problem.check.rawValue))]
                    if let app = problem.app { members.append(.init("bundleId", .string(app.rawValue))) }
                    members.append(.init("detail", .string(problem.detail)))
                    return .object(JSONObject(members))
                }
            )
        )
    }
}
