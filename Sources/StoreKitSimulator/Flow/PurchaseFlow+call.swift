import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation

extension PurchaseFlow {
    /// A method of StoreKit with its argument.
    enum Call: Sendable {
        /// `ExternalPurchaseLink.open()`.
        case open
        /// `ExternalPurchaseLink.open(url:)`.
        case openURL(URL)

        /// The method's name.
        var member: String {
            switch self {
            case .open: "ExternalPurchaseLink.open()"
            case .openURL: "ExternalPurchaseLink.open(url:)"
            }
        }

        /// The property that an app reads before it calls the method.
        var question: EligibilityQuestion {
            switch self {
            case .open: .canOpen
            case .openURL: .eligibleURLs
            }
        }

        /// The sheet that the method shows.
        var sheet: SheetRequest.Kind { .continuation }

        /// The link that the argument means; without argument the only one.
        ///
        /// URLs are compared by `absoluteString` (SK-55), and the text of the configuration is what opens.
        func destination(among links: [UsableConfiguration.Link]) -> (url: String, link: String?, isEligible: Bool) {
            switch self {
            case .open:
                let link = links.first?.url
                return (link ?? "", link, link != nil)
            case .openURL(let url):
                let link = links.first {
                    URL(string: $0.url, encodingInvalidCharacters: false)?.absoluteString == url.absoluteString
                }
                return (url.absoluteString, link?.url, link != nil)
            }
        }
    }
}

extension StoreKitSession {
    /// Records what the app left out or did too late before it called a method.
    func recordUsage(of call: PurchaseFlow.Call, at moment: Moment, evaluation: Evaluation) {
        let property = call.question.rawValue
        if !moment.hasReadPayments { record(.paymentsNotChecked(call)) }
        if let lastRead = moment.lastRead {
            if lastRead != moment.world.storefront {
                record(.eligibilityStale(call, old: lastRead, new: moment.world.storefront))
            }
        } else {
            record(
                Remark(
                    id: "eligibility-not-checked",
                    severity: .warning,
                    member: call.member,
                    message: "Check \(property) first"
                )
            )
        }
        guard !evaluation.isEligible else { return }
        record(.apiNewerThanOS(evaluation, member: call.member))
        record(.calledWhileIneligible(call, evaluation))
    }
}

extension Remark {
    static func paymentsNotChecked(_ call: PurchaseFlow.Call) -> Remark {
        Remark(
            id: "payments-not-checked",
            severity: .warning,
            member: call.member,
            message: "Check canMakePayments first",
            isOncePerSession: true
        )
    }

    static func eligibilityStale(_ call: PurchaseFlow.Call, old: String?, new: String?) -> Remark {
        Remark(
            id: "eligibility-stale",
            severity: .warning,
            member: call.member,
            message:
                "\(call.question.rawValue) was read in \(old ?? "no storefront"); the storefront is \(new ?? "none")",
            hint: "Read it again after every storefront change."
        )
    }

    static func calledWhileIneligible(_ call: PurchaseFlow.Call, _ evaluation: Evaluation) -> Remark {
        let value = call.question == .eligibleURLs ? "nil" : "false"
        return Remark(
            id: "called-while-ineligible",
            severity: .error,
            member: call.member,
            message: "\(call.question.rawValue) is \(value): \(evaluation.failedCondition?.detail ?? "")",
            hint: evaluation.failedCondition?.fix
        )
    }

    /// Nil unless C1 fails by version.
    static func apiNewerThanOS(_ evaluation: Evaluation, member: String) -> Remark? {
        guard evaluation.failed == .memberExists,
            let first = evaluation.question.firstVersion(on: evaluation.device.column),
            evaluation.device.osVersion < first
        else { return nil }
        return Remark(
            id: "api-newer-than-os",
            severity: .error,
            member: member,
            message: "\(member) needs \(evaluation.device.column.title) \(first)"
        )
    }

    static func urlNotEligible(_ url: String, call: PurchaseFlow.Call) -> Remark {
        Remark(id: "url-not-eligible", severity: .error, member: call.member, message: "\(url) is not in eligibleURLs")
    }

    static func noPresenter(_ call: PurchaseFlow.Call) -> Remark {
        Remark(
            id: "no-presenter",
            severity: .error,
            member: call.member,
            message: "No sheet presenter is set",
            hint: "Set the session's presenter, for example ScriptedPresenter(.continue)."
        )
    }

    static func sheetAlreadyUp(_ call: PurchaseFlow.Call) -> Remark {
        Remark(
            id: "sheet-already-up",
            severity: .error,
            member: call.member,
            message: "A sheet is up; the call failed"
        )
    }

    static func noToken(_ call: PurchaseFlow.Call) -> Remark {
        Remark(
            id: "no-token-before-17-4",
            severity: .note,
            member: call.member,
            message: "This system issues no tokens",
            hint: "Sales made from here are reported by hand."
        )
    }
}
