import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
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

    /// Adds the readiness, which everybody may ask for, and which names apps only to those who may read them.
    func addReadiness(to router: Router<Context>, _ ring: KeyRing, _ clock: AccessClock) {
        router.get("health/ready") { [listeners] request, _ in
            if listeners.isStopping { throw Problem.stopping }
            var readiness = await system.health.readiness()
            let apps = await Self.apps(of: request, among: try? ring.current(), at: clock.now())
            if let apps { readiness = readiness.naming(only: apps) }
            guard readiness.isReady else { throw Problem(notReady: readiness) }
            return Response(Self.ready(readiness, system.leases, of: apps, at: system.now))
        }
    }

    /// Returns the apps that an answer may name, nil for all: those of a key that reads, and all while no key exists.
    private static func apps(of request: Request, among keys: KeyRing.Keys?, at now: Timestamp) -> Set<BundleId>? {
        guard let keys else { return [] }
        if keys.isEmpty {
            return LoopbackHost.isLoopback(LoopbackHost.name(ofAuthority: request.head.authority ?? "")) ? nil : []
        }
        guard let key = request.headers[.authorization].flatMap({ keys.key(shownBy: $0) }),
            key.state(at: now) == .valid,
            key.scope == .read || key.scope == .admin
        else { return [] }
        return Caller.key(key).apps
    }

    private static var ok: JSONValue { ["status": "ok"] }

    /// Returns the response of a server that stores requests but may have a problem that needs a person.
    private static func ready(
        _ readiness: Readiness,
        _ leases: LeaseKeeper,
        of apps: Set<BundleId>?,
        at now: Timestamp
    ) -> JSONValue {
        let hasProblem = !readiness.problems.isEmpty
        var members: [JSONObject.Member] = [
            .init("status", .string(hasProblem ? "degraded" : "ok")), .init("now", .string(now.description)),
        ]
        if hasProblem { members.append(readiness.member) }
        if leases.isShared { members.append(leases.member(of: apps)) }
        return .object(JSONObject(members))
    }
}

extension LeaseKeeper {
    /// Which work this server does, as a member of the response.
    ///
    /// - Parameter apps: the only apps that it names; nil for all.
    fileprivate func member(of apps: Set<BundleId>?) -> JSONObject.Member {
        .init(
            "leases",
            [
                "server": .string(server.rawValue),
                "held": .array(names(of: held, apps).map(JSONValue.string)),
                "servers": .array(servers.map { .string($0.rawValue) }),
            ]
        )
    }

    private func names(of leases: [LeaseName], _ apps: Set<BundleId>?) -> [String] {
        leases.compactMap { lease in
            switch lease {
            case .maintenance: lease.rawValue
            case .reports(let scope): apps.map { $0.contains(scope.bundleId) } ?? true ? lease.rawValue : nil
            case .server: nil
            }
        }
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
