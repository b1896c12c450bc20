import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation

// Diagnostics on steps that an app omitted or took too late before it called a method.

extension StoreKitSession {
    /// Records violations of the order of questions and calls.
    func recordUsage(of member: Member, at moment: Moment, evaluation: Evaluation) {
        state.withLock { _ = $0.usage.members.insert(member.tableName) }
        if !moment.hasReadPayments, member.property != .isEligible { record(.paymentsNotChecked(member)) }
        if let lastRead = moment.lastRead {
            if lastRead != moment.inputs.storefront {
                record(.eligibilityStale(member, old: lastRead, new: moment.inputs.storefront))
            }
        } else {
            record(.eligibilityNotChecked(member))
        }
        recordProgramme(member.name, evaluation, moment.engine)
        guard !evaluation.isEligible else { return }
        record(
            .apiNewerThanOS(evaluation, member: member.name, first: member.firstVersion(on: evaluation.device.column))
        )
        let property = moment.engine.evaluate(member.property)
        if !property.isEligible { record(.calledWhileIneligible(member, property)) }
    }

    /// Records violations of the rules for methods that show a sheet.
    func recordUsage(of call: PurchaseFlow.Call, at moment: Moment, evaluation: Evaluation) {
        let (member, inputs, engine) = (call.member, moment.inputs, moment.engine)
        if inputs.userInteraction != .off, !Self.isUserInteraction { record(.noUserInteraction(member.name)) }
        recordDeprecation(of: member, at: moment)
        switch call {
        case .presentNoticeSheet:
            if evaluation.isEligible, engine.hasTransactionTokens {
                record(.notOfProgramme(member, programme: evaluation.programme?.title ?? engine.storefront ?? ""))
            }
            if evaluation.failed == .memberExists,
                let first = member.firstVersion(on: engine.device.column), engine.device.osVersion >= first
            {
                record(.noToken(member))
            }
        case .showNoticeOfType:
            if evaluation.isEligible, engine.hasTransactionTokens, engine.device.osVersion < Self.typedInterface {
                record(.noticeLegacyInRegion(member))
            }
        case .showNotice(.outOfApp(let destination?)):
            if destination.scheme?.lowercased() != "https" { record(.destinationNotHTTPS(destination, member)) }
        case .open, .openURL, .showNotice:
            break
        }
    }

    /// Records the use of a member that has a replacement on the system (SK-69).
    func recordDeprecation(of member: Member, at moment: Moment) {
        let engine = moment.engine
        guard let replacement = member.replacement, engine.pack.typedTokenAPI,
            engine.device.osVersion >= Self.typedInterface
        else { return }
        record(.deprecated(member, replacement: replacement))
    }

    /// Records the use of a programme that is documented for iOS only (SK-44), once.
    func recordProgramme(_ member: String, _ evaluation: Evaluation, _ engine: EligibilityEngine) {
        guard evaluation.isEligible, evaluation.question.group == .customLink, engine.hasTransactionTokens,
            engine.device.column != .iOS
        else { return }
        record(.programmePlatform(member, programme: evaluation.programme?.title ?? engine.storefront ?? ""))
    }

    /// The system version that introduced the typed members.
    private static let typedInterface = OSVersion(27, 2)
}

extension PendingDiagnostic {
    static func paymentsNotChecked(_ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "payments-not-checked",
            severity: .warning,
            member: member.name,
            message: "Check canMakePayments first",
            hint: "When it is false, offer neither external purchases nor In-App Purchase.",
            isOncePerSession: true
        )
    }

    static func eligibilityNotChecked(_ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "eligibility-not-checked",
            severity: .warning,
            member: member.name,
            message: "Check \(member.property.rawValue) first",
            hint: "Show the offer only while it is true or holds URLs."
        )
    }

    static func eligibilityStale(_ member: Member, old: String?, new: String?) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "eligibility-stale",
            severity: .warning,
            member: member.name,
            message:
                "\(member.property.rawValue) was read in \(old ?? "no storefront"); the storefront is \(new ?? "none")",
            hint: "Read it again after every storefront change."
        )
    }

    static func calledWhileIneligible(_ member: Member, _ property: Evaluation) -> PendingDiagnostic {
        let value = member.property == .eligibleURLs ? "nil" : "false"
        return PendingDiagnostic(
            id: "called-while-ineligible",
            severity: .error,
            member: member.name,
            message: "\(member.property.rawValue) is \(value): \(property.failedCondition?.detail ?? "")",
            hint: property.failedCondition?.fix
        )
    }

    /// Returns nil unless C1 fails because of the version.
    static func apiNewerThanOS(_ evaluation: Evaluation, member: String, first: OSVersion?) -> PendingDiagnostic? {
        guard evaluation.failed == .memberExists, let first, evaluation.device.osVersion < first else { return nil }
        return PendingDiagnostic(
            id: "api-newer-than-os",
            severity: .error,
            member: member,
            message: "\(member) needs \(evaluation.device.column.title) \(first)",
            hint: "Guard it with #available."
        )
    }

    static func deprecated(_ member: Member, replacement: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "api-deprecated",
            severity: .note,
            member: member.name,
            message: "Use \(replacement)",
            hint: "Keep the older member for systems before 27.2."
        )
    }

    static func notOfProgramme(_ member: Member, programme: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "api-not-of-programme",
            severity: .warning,
            member: member.name,
            message: "\(programme) uses ExternalPurchaseCustomLink",
            hint: "Ask ExternalPurchaseCustomLink.isEligible there."
        )
    }

    static func programmePlatform(_ member: String, programme: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "programme-platform",
            severity: .warning,
            member: member,
            message: "\(programme) is documented for iOS only",
            hint: "A device with another system may answer differently.",
            isOncePerSession: true
        )
    }

    static func noUserInteraction(_ member: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "no-user-interaction",
            severity: .warning,
            member: member,
            message: "\(member) must follow a tap",
            hint: "Mark the customer's action with StoreKitSession.withUserInteraction."
        )
    }
}
