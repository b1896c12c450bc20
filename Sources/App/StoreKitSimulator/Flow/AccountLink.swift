import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation

/// The link of a reader app to its account pages, for the inputs of one moment (SK-111).
struct AccountLink: Sendable {
    /// C1, C2, C3 and C6, each evaluated.
    let conditions: [Condition]
    /// The link of the storefront's country, else that of `*`, without which none counts.
    let link: UsableConfiguration.Link?

    /// The first condition that fails.
    var failed: Condition? { conditions.first { $0.holds == false } }

    init(_ device: Device, region: String?, _ configuration: UsableConfiguration) {
        let links = configuration.accountLinks.filter { URL(exactly: $0.value.url) != nil }
        link = links["*"].map { fallback in region.flatMap { links[$0] } ?? fallback }
        conditions = [
            Self.exists(on: device), Self.isAllowed(in: device.mode), Self.entitled(configuration),
            Self.configured(link, configuration),
        ]
    }

    /// The explanation, with one condition per line.
    var description: String {
        conditions.map { condition in
            let location = condition.evidence.map { evidence in
                " (\(evidence.file)\(evidence.position.map { ":\($0.line)" } ?? ""))"
            }
            let line =
                "  \(condition.holds == true ? "yes" : "no ") \(condition.id) \(condition.detail)\(location ?? "")"
            return line + (condition.fix.map { "\n        \($0)" } ?? "")
        }.joined(separator: "\n")
    }

    private static func exists(on device: Device) -> Condition {
        let name = "ExternalLinkAccount"
        let first: OSVersion? =
            switch device.column {
            case .iOS, .iPadOS, .macCatalyst: OSVersion(16, 0)
            case .tvOS: OSVersion(16, 4)
            default: nil
            }
        guard let first else {
            return Condition(
                id: .memberExists,
                holds: false,
                detail: "\(name) does not exist on \(device.column.title)"
            )
        }
        let holds = device.osVersion >= first
        return Condition(
            id: .memberExists,
            holds: holds,
            detail: holds
                ? "\(name) exists from \(device.column.title) \(first)"
                : "\(name) needs \(device.column.title) \(first), the device has \(device.osVersion)",
            fix: holds ? nil : "Guard the call with #available."
        )
    }

    private static func isAllowed(in mode: AppMode) -> Condition {
        let holds = mode == .native
        return Condition(
            id: .modeAllowed,
            holds: holds,
            detail: "mode \(mode.rawValue) is \(holds ? "" : "not ")allowed",
            fix: holds ? nil : "Show no account link there."
        )
    }

    private static func entitled(_ configuration: UsableConfiguration) -> Condition {
        let name = Entitlement.linkAccount.rawValue
        let evidence = configuration.entitlements[.linkAccount]
        return Condition(
            id: .entitlement,
            holds: evidence != nil,
            detail: "\(name) is \(evidence != nil ? "set" : "not among the entitlements")",
            evidence: evidence,
            fix: evidence == nil ? "Add it to the .entitlements file after Apple granted it." : nil
        )
    }

    private static func configured(
        _ link: UsableConfiguration.Link?,
        _ configuration: UsableConfiguration
    ) -> Condition {
        let key = PlistKey.linkAccount
        if let link {
            return Condition(
                id: .storefrontConfigured,
                holds: true,
                detail: "\(key) has a link",
                evidence: link.evidence
            )
        }
        let finding = configuration.removed.first { $0.key == key.rawValue }
        return Condition(
            id: .storefrontConfigured,
            holds: false,
            detail: "\(key) has no usable link" + (finding.map { ": \($0.message) (\($0.rule))" } ?? ""),
            evidence: finding.map { .init(file: $0.file, position: $0.position) },
            fix: finding?.hint ?? "Add the key `*` with an https URL."
        )
    }
}

/// Why the account link cannot be opened, where `StoreKitError` has no case.
struct AccountLinkFailure: Error, LocalizedError, CustomStringConvertible {
    let description: String
    var underlying: (any Error)?

    var errorDescription: String? { description }
    var failureReason: String? { underlying.map { "\($0)" } ?? description }
    var recoverySuggestion: String? { "Try again when the sheet can be shown." }
}

extension StoreKitSession {
    /// The account link of the present inputs.
    var accountLink: AccountLink {
        let (inputs, usable) = state.withLock { ($0.inputs, $0.usable) }
        return AccountLink(inputs, usable)
    }

    /// Checks the conditions, then runs sheet and browser after the call has returned (SK-112).
    func openAccountLink() throws(StoreKitError) {
        let name = "ExternalLinkAccount.open()"
        let (inputs, usable) = state.withLock { ($0.inputs, $0.usable) }
        let account = AccountLink(inputs, usable)
        if inputs.userInteraction != .off, !Self.isUserInteraction { record(.noUserInteraction(name)) }

        /// The error of a condition, with its sentence kept for tests.
        func failing(_ condition: Condition) -> StoreKitError {
            let error: StoreKitError =
                inputs.errorMapping?(condition.id)
                ?? {
                    switch FailureCase(condition.id, on: inputs.device) {
                    case .notEntitled: .notEntitled
                    case .notAvailableInStorefront: .notAvailableInStorefront
                    case .unsupported: .unsupported
                    case .invalidPresentationContext: .invalidPresentationContext
                    case .networkError: inputs.network.map(StoreKitError.networkError) ?? .unknown
                    case .systemError: .systemError(AccountLinkFailure(description: condition.detail))
                    }
                }()
            note(ThrownFailure(error, member: name, condition: condition, explanation: account.description))
            return error
        }
        if let failed = account.failed {
            record(
                PendingDiagnostic(
                    id: "called-while-ineligible",
                    severity: .error,
                    member: name,
                    message: "ExternalLinkAccount.canOpen is false: \(failed.detail)",
                    hint: failed.fix
                )
            )
            throw failing(failed)
        }
        guard let url = account.link.flatMap({ URL(exactly: $0.url) }), let presenter = inputs.presenter else {
            record(.noPresenter(name))
            throw failing(.sheetFails("no sheet presenter is set", "Set the session's presenter."))
        }
        if inputs.userInteraction == .require, !Self.isUserInteraction {
            throw failing(.sheetFails("no customer action led here", "Call it from withUserInteraction."))
        }
        guard raiseSheet() else {
            record(.sheetAlreadyUp(name))
            throw failing(.sheetFails("another sheet is up", "Wait until it is answered."))
        }
        if let error = inputs.network ?? inputs.systemError {
            lowerSheet()
            throw inputs.network.map(StoreKitError.networkError) ?? .systemError(error)
        }
        let request = SheetRequest(
            family: "ExternalLinkAccount",
            kind: .account,
            destination: url,
            storefront: inputs.storefront ?? ""
        )
        let presentation = SheetPresentation(presenter: presenter, timeout: inputs.presenterTimeout) {
            .systemError(AccountLinkFailure(description: $0, underlying: $1))
        }
        launch(name) {
            do {
                defer { self.lowerSheet() }
                guard try await self.answer(request, by: presentation, for: name) != .cancel else { return .cancelled }
                try await inputs.urlOpener?(url)
                return .continued(url)
            } catch {
                return .failed(StoreKitError(wrapping: error))
            }
        }
    }

    /// Presents a sheet, and records one that no step of a script expects.
    func answer(
        _ request: SheetRequest,
        by presentation: SheetPresentation,
        for member: String
    ) async throws -> SheetAnswer {
        if let presenter = presentation.presenter as? ScriptedPresenter, presenter.expectsNoSheet {
            record(.sheetNotExpected(member, request))
        }
        return try await presentation.answer(request)
    }

    /// Throws the error that the network or the system of the session has.
    func reachAppStore() throws(StoreKitError) {
        let inputs = state.withLock { $0.inputs }
        if let error = inputs.network { throw .networkError(error) }
        if let error = inputs.systemError { throw .systemError(error) }
    }
}

extension AccountLink {
    fileprivate init(_ inputs: StoreKitSession.SessionInputs, _ usable: UsableConfiguration) {
        self.init(inputs.device, region: inputs.engine(usable).region, usable)
    }
}

extension Condition {
    fileprivate static func sheetFails(_ detail: String, _ fix: String) -> Condition {
        Condition(id: .sheet, holds: false, detail: detail, fix: fix)
    }
}
