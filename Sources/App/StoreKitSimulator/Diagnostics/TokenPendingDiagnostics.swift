import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import TokenLifecycle

// Diagnostics on tokens.

extension StoreKitSession {
    /// Records late requests for tokens with periods.
    func recordTokenRequest(_ type: TokenType, _ member: Member, at moment: Moment) {
        guard moment.engine.hasTokenPeriods else { return }
        let isLate = state.withLock { state in
            let isFirst = state.usage.requestedTypes.isEmpty
            state.usage.requestedTypes.insert(type)
            state.usage.typesSincePurchase.insert(type)
            return isFirst && state.usage.hasShownDisclosure
        }
        if isLate { record(.tokensNotRequestedAtLaunch(member)) }
    }

    /// Records a token request in Japan or Brazil without a preceding notice or disclosure (TK-46).
    func recordTransactionToken(_ type: TokenType, _ member: Member, at moment: Moment) {
        guard state.withLock({ $0.usage.notice?.isContinued }) != true else { return }
        let isOlder = moment.engine.device.osVersion < OSVersion(27, 2)
        record(.tokenBeforeNotice(type, member, severity: isOlder ? .note : .warning))
    }
}

extension PendingDiagnostic {
    private static let requestable: [TokenType] = [.acquisition, .services, .inApp, .linkOut]

    /// Returns nil for a type that some storefront has.
    static func misspelledTokenType(_ text: String, _ member: Member, fitting types: [TokenType]) -> PendingDiagnostic?
    {
        guard !requestable.contains(TokenType(rawValue: text)) else { return nil }
        if let meant = requestable.first(where: { $0.rawValue == text.uppercased() }) {
            return PendingDiagnostic(
                id: "token-type-case",
                severity: .error,
                member: member.name,
                message: "\"\(text)\" is not a token type; did you mean \"\(meant)\"?",
                hint: "The values are upper case."
            )
        }
        let suggestion = similar(to: text).map { "Did you mean \"\($0)\"? " } ?? ""
        let here = types.isEmpty ? requestable : types
        return PendingDiagnostic(
            id: "token-type-unknown",
            severity: .error,
            member: member.name,
            message: "\"\(text)\" is not a token type",
            hint: "\(suggestion)Use \(here.map(\.rawValue).joined(separator: " or "))."
        )
    }

    /// The type that differs only in separators or in at most two letters.
    private static func similar(to text: String) -> TokenType? {
        func letters(_ text: String) -> [UInt8] { text.uppercased().utf8.filter { $0.isASCIILetter } }
        let written = Array(letters(text).prefix(32))
        let ranked = requestable.map { ($0, distance(written, letters($0.rawValue))) }.min { $0.1 < $1.1 }
        return ranked.flatMap { $0.1 <= 2 ? $0.0 : nil }
    }

    /// The Levenshtein distance.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (number, byte) in left.enumerated() {
            var next = [number + 1]
            for (index, other) in right.enumerated() {
                next.append(min(row[index + 1] + 1, next[index] + 1, row[index] + (byte == other ? 0 : 1)))
            }
            row = next
        }
        return row[right.count]
    }

    static func wrongProgramme(_ type: TokenType, _ member: Member, programme: String, types: [TokenType])
        -> PendingDiagnostic
    {
        let types = types.map(\.rawValue).joined(separator: " or ")
        return PendingDiagnostic(
            id: "token-type-wrong-programme",
            severity: .error,
            member: member.name,
            message: "\(type) does not belong to \(programme); use \(types)",
            hint: "Choose the type by the storefront."
        )
    }

    /// Explains why a request in an eligible storefront returns nil.
    static func absent(
        _ type: TokenType,
        _ member: Member,
        _ absence: TokenAnswer.Absence,
        in environment: AppStoreEnvironment
    ) -> PendingDiagnostic {
        if case .exhausted(let moment) = absence {
            return PendingDiagnostic(
                id: "acquisition-exhausted",
                severity: .note,
                member: member.name,
                message: "Use another sandbox account to test this again",
                hint: environment == .sandbox
                    ? "The only ACQUISITION period ended at \(moment); see newSandboxAccount()."
                    : "The customer's only ACQUISITION period ended at \(moment); report under SERVICES."
            )
        }
        return PendingDiagnostic(
            id: "token-none-active",
            severity: .note,
            member: member.name,
            message: "No active \(type) token: \(absence)",
            hint: "The purchase may continue; store the sale for a token that arrives later."
        )
    }

    static func noToken(_ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "no-token-before-17-4",
            severity: .note,
            member: member.name,
            message: "This system issues no tokens",
            hint: "Sales made from here are reported manually."
        )
    }

    static func tokensNotRequestedAtLaunch(_ member: Member) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "tokens-not-requested-at-launch",
            severity: .note,
            member: member.name,
            message: "Request tokens at launch",
            hint: "Ask for ACQUISITION and SERVICES at launch and again before each transaction.",
            isOncePerSession: true
        )
    }

    static func tokensNotRequestedBeforePurchase(missing types: [TokenType]) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "tokens-not-requested-before-purchase",
            severity: .note,
            message: "Request ACQUISITION and SERVICES before each purchase",
            hint: "Not requested since the last purchase: \(types.map(\.rawValue).joined(separator: ", "))."
        )
    }

    static func tokenTypesIncomplete(missing type: TokenType) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "token-types-incomplete",
            severity: .note,
            message: "Request ACQUISITION and SERVICES",
            hint: "\(type) was never requested.",
            isOncePerSession: true
        )
    }

    static func tokenBeforeNotice(_ type: TokenType, _ member: Member, severity: Severity) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "token-before-notice",
            severity: severity,
            member: member.name,
            message: "A declined offer would leave a token to report",
            hint: "Ask for \(type) after the customer went on."
        )
    }

    static func tokenNotDelivered(_ id: String) -> PendingDiagnostic {
        PendingDiagnostic(
            id: "token-not-delivered",
            severity: .warning,
            message: "Every token must be reported, even without a sale",
            hint: "Send \(id) to the server and tell the session with tokenDelivered."
        )
    }
}
