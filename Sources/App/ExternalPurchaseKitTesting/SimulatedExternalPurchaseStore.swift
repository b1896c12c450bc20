import Eligibility
public import ExternalPurchaseCore
public import ExternalPurchaseKit
import Foundation
public import StoreKitSimulator

/// The simulated StoreKit with its own session, on every platform.
public struct SimulatedExternalPurchaseStore: ExternalPurchaseStore {
    /// The session, with its outcomes and diagnostics.
    public let session: StoreKitSession

    /// Creates a store that uses a session.
    ///
    /// - Parameter session: the session.
    public init(session: StoreKitSession) {
        self.session = session
    }

    /// `AppStore.canMakePayments` in the session.
    public var canMakePayments: Bool {
        session.readCanMakePayments()
    }

    /// `ExternalPurchase.canPresent` in the session.
    public var canPresent: Bool {
        get async {
            guard exists(.canPresent) else { return false }
            return await StoreKitSession.withValue(session) { await StoreKitSimulator.ExternalPurchase.canPresent }
        }
    }

    /// `ExternalPurchaseLink.canOpen` in the session.
    public var canOpen: Bool {
        get async {
            guard exists(.canOpen) else { return false }
            return await StoreKitSession.withValue(session) { await StoreKitSimulator.ExternalPurchaseLink.canOpen }
        }
    }

    /// `ExternalPurchaseLink.eligibleURLs` in the session.
    public var eligibleURLs: [URL]? {
        get async {
            guard exists(.eligibleURLs) else { return nil }
            return await StoreKitSession.withValue(session) {
                await StoreKitSimulator.ExternalPurchaseLink.eligibleURLs
            }
        }
    }

    /// `ExternalPurchaseCustomLink.isEligible` in the session.
    public var isEligible: Bool {
        get async {
            guard exists(.isEligible) else { return false }
            return await StoreKitSession.withValue(session) {
                await StoreKitSimulator.ExternalPurchaseCustomLink.isEligible
            }
        }
    }

    /// Whether the simulated system has a property; stands for `#available`, which is always true outside Apple's
    /// platforms.
    private func exists(_ question: EligibilityQuestion) -> Bool {
        let device = session.device
        return question.firstVersion(on: device.column).map { device.osVersion >= $0 } ?? false
    }

    /// `Storefront.current` in the session.
    public var storefront: String? {
        get async { await StoreKitSession.withValue(session) { await Storefront.current?.countryCode } }
    }

    /// `Storefront.current` and `Storefront.updates` in the session.
    public var storefrontUpdates: AsyncStream<String?> {
        AsyncStream { continuation in
            let task = Task {
                await StoreKitSession.withValue(session) {
                    var updates = Storefront.updates.makeAsyncIterator()
                    continuation.yield(await Storefront.current?.countryCode)
                    while let next = await updates.next() { continuation.yield(next.countryCode) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Whether the session's system has `showNotice(for:)`.
    public var noticeNamesDestination: Bool { session.hasTypedMembers }

    /// The meaning of an error of the session.
    public func failure(_ error: any Error) -> StoreFailure {
        StoreFailure(Self.kind(of: error), message: error.localizedDescription)
    }

    private static func kind(of error: any Error) -> StoreFailure.Kind {
        switch error {
        case is ExternalPurchaseUnavailable: .unsupported
        case let error as StoreKitError: kind(of: error)
        default: .other
        }
    }

    private static func kind(of error: StoreKitError) -> StoreFailure.Kind {
        switch error {
        case .unsupported: .unsupported
        case .notEntitled: .notEntitled
        case .notAvailableInStorefront: .notAvailableInStorefront
        case .networkError: .network
        case .invalidPresentationContext: .cannotPresent
        case .systemError: .system
        case .unknown, .userCancelled: .other
        @unknown default: .other
        }
    }

    /// The session's explanation of the answer, with every condition (SK-26).
    public func explanation(of property: EligibilityProperty) -> String? {
        let question: EligibilityQuestion =
            switch property {
            case .canPresent: .canPresent
            case .canOpen: .canOpen
            case .eligibleURLs: .eligibleURLs
            case .isEligible: .isEligible
            }
        return session.explain(question).description
    }

    /// `ExternalPurchase.presentNoticeSheet()` in the session.
    public func presentNoticeSheet() async throws -> ExternalPurchaseNotice {
        try await StoreKitSession.withValue(session) {
            switch try await StoreKitSimulator.ExternalPurchase.presentNoticeSheet() {
            case .cancelled: .cancelled
            case .continuedWithExternalPurchaseToken(let token): .continued(token: token)
            @unknown default: throw ExternalPurchaseUnavailable(member: "ExternalPurchase.NoticeResult")
            }
        }
    }

    /// `ExternalPurchaseLink.open()` in the session.
    public func open() async throws {
        try await StoreKitSession.withValue(session) { try await StoreKitSimulator.ExternalPurchaseLink.open() }
    }

    /// `ExternalPurchaseLink.open(url:)` in the session.
    public func open(url: URL) async throws {
        try await StoreKitSession.withValue(session) {
            try await StoreKitSimulator.ExternalPurchaseLink.open(url: url)
        }
    }

    /// The overload of `ExternalPurchaseCustomLink.token(for:)` that the session's system has.
    public func token(for tokenType: String) async throws -> String? {
        try await StoreKitSession.withValue(session) {
            guard session.hasTypedMembers else {
                return try await StoreKitSimulator.ExternalPurchaseCustomLink.token(for: tokenType)?.value
            }
            let type = StoreKitSimulator.ExternalPurchaseCustomLink.TokenType(rawValue: tokenType)
            return try await StoreKitSimulator.ExternalPurchaseCustomLink.token(for: type)?.value
        }
    }

    /// `ExternalPurchaseCustomLink.showNotice(for:)` in the session, or `showNotice(type:)` on systems before 27.2.
    public func showNotice(_ destination: ExternalPurchaseDestination) async throws -> ExternalPurchaseNotice {
        try await StoreKitSession.withValue(session) {
            switch try await notice(destination) {
            case .cancelled: return .cancelled
            case .continued: return .continued(token: nil)
            @unknown default: throw ExternalPurchaseUnavailable(member: "ExternalPurchaseCustomLink.NoticeResult")
            }
        }
    }

    /// Tells the session, so that its diagnostics know of the app's own disclosure (SK-101).
    ///
    /// - Parameters:
    ///   - flow: where the customer would buy.
    ///   - isContinued: whether the customer continued.
    public func disclosureShown(_ flow: ProgrammeTerms.Flow, isContinued: Bool) {
        session.tell(.disclosureShown(isContinued: isContinued, flow: flow))
    }

    /// Tells the session, so that its diagnostics know of the parental gate (SK-88).
    public func parentalGatePassed() { session.tell(.parentalGatePassed) }

    /// The system of the session.
    public var system: String {
        let device = session.device
        return "\(device.column.rawValue) \(device.osVersion)"
    }

    /// Whether the app of the session has no In-App Purchase in the session's storefront (SK-87).
    ///
    /// - Parameter storefront: the storefront that was read.
    public func isSoldWithoutInAppPurchase(in storefront: String?) -> Bool { session.excludesInAppPurchase }

    private func notice(
        _ destination: ExternalPurchaseDestination
    ) async throws -> StoreKitSimulator.ExternalPurchaseCustomLink.NoticeResult {
        typealias CustomLink = StoreKitSimulator.ExternalPurchaseCustomLink
        switch (destination, session.hasTypedMembers) {
        case (.outOfApp(let url), true): return try await CustomLink.showNotice(for: .outOfApp(destinationURL: url))
        case (.withinApp, true): return try await CustomLink.showNotice(for: .withinApp)
        case (.outOfApp, false): return try await CustomLink.showNotice(type: .browser)
        case (.withinApp, false): return try await CustomLink.showNotice(type: .withinApp)
        }
    }
}
