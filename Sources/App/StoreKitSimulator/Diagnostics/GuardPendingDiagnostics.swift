import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

// Members that compile here without `#available`, but not in Xcode.

extension StoreKitSession {
    /// Records each member that the app used and that its oldest system version lacks, once.
    ///
    /// The portable module has no availability attributes (SK-2), so the compiler does not require a guard here.
    /// Whether the app has one is not visible at run time either, because `#available` is always true on Linux.
    func recordMissingGuards() {
        let (inputs, members, recorded) = state.withLock { ($0.inputs, $0.usage.members, $0.usage.recordedGuards) }
        let platform = inputs.device.column
        guard let minimum = Deployment(inputs.configuration.infoPlist, platform: platform).minimum else { return }
        let availability = MemberAvailability(on: platform, from: minimum, pack: inputs.rulePack)
        let needed = availability.guarded.filter { members.contains($0.tableName) && !recorded.contains($0.tableName) }
        state.withLock { $0.usage.recordedGuards.formUnion(needed.map(\.tableName)) }
        for member in needed { record(.guardNeeded(member, platform, from: minimum)) }
    }
}

extension PendingDiagnostic {
    static func guardNeeded(
        _ member: MemberAvailability.Member,
        _ platform: Platform,
        from minimum: OSVersion
    ) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "availability-guard-needed",
            severity: .note,
            member: member.name,
            message: "\(member.name) needs \(platform.title) \(member.first); the app runs from \(minimum)",
            hint: "Xcode compiles it under #available(\(platform.availabilityName) \(member.first), *) only; "
                + "the simulator cannot see whether the guard is there."
        )
    }
}
