import ConfigurationLint
import Foundation

// Diagnostics on sheets.

extension PendingDiagnostic {
    static func urlNotEligible(_ url: String, _ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "url-not-eligible",
            severity: .error,
            member: member.name,
            message: "\(url) is not in eligibleURLs",
            hint: "Pass one of eligibleURLs unchanged."
        )
    }

    static func missingDestinationURL(_ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "missing-destination-url",
            severity: .error,
            member: member.name,
            message: "outOfApp needs a destinationURL outside the EU",
            hint: "Pass the URL that the app opens afterwards."
        )
    }

    static func destinationNotHTTPS(_ url: URL, _ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "destination-not-https",
            severity: .warning,
            member: member.name,
            message: "\(url.absoluteString) is not https",
            hint: "Serve the page over HTTPS."
        )
    }

    static func noPresenter(_ member: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "no-presenter",
            severity: .error,
            member: member,
            message: "No sheet presenter is set",
            hint: "Set the session's presenter, for example ScriptedPresenter(.continue)."
        )
    }

    static func sheetNotExpected(_ member: String, _ request: SheetRequest) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "sheet-not-expected",
            severity: .error,
            member: member,
            message: "\(member) showed a \(request.kind.rawValue) sheet, and no sheet is expected",
            hint: "Give the script a step, such as .continue, or let the app show no sheet here."
        )
    }

    static func sheetAlreadyUp(_ member: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "sheet-already-up",
            severity: .error,
            member: member,
            message: "A sheet is up; the call failed",
            hint: "Disable the button until the sheet is answered."
        )
    }

    static func concurrentFlow(_ kind: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "concurrent-flow",
            severity: .warning,
            member: kind,
            message: "A double tap can mint two tokens",
            hint: "Begin the next flow after the first has ended."
        )
    }

    static func noticeSuppressed(_ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "notice-suppressed",
            severity: .note,
            member: member.name,
            message: "The customer switched off reminders",
            hint: "No sheet was shown; the answer is continued."
        )
    }

    static func noticeLegacyInRegion(_ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "notice-legacy-in-region",
            severity: .note,
            member: member.name,
            message: "Before 27.2 the app shows its own disclosure here",
            hint: "Show Apple's text in a sheet of your own and tell the session with disclosureShown."
        )
    }
}
