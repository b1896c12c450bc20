#if canImport(StoreKit)
public import Foundation
import StoreKit

/// StoreKit itself: Apple's on Apple's platforms, this package's module elsewhere, where it type-checks this file.
public struct SystemExternalPurchaseStore: ExternalPurchaseStore {
    /// The system's store.
    public init() {}

    /// `AppStore.canMakePayments`.
    public var canMakePayments: Bool { AppStore.canMakePayments }

    /// `ExternalPurchase.canPresent`.
    public var canPresent: Bool {
        get async { await ExternalPurchase.canPresent }
    }

    /// `ExternalPurchaseLink.canOpen`.
    public var canOpen: Bool {
        get async { await ExternalPurchaseLink.canOpen }
    }

    /// `ExternalPurchaseLink.eligibleURLs`.
    public var eligibleURLs: [URL]? {
        get async { await ExternalPurchaseLink.eligibleURLs }
    }

    /// `ExternalPurchaseCustomLink.isEligible`, false before the systems that have it.
    public var isEligible: Bool {
        get async {
            guard #available(iOS 18.1, macOS 15.1, tvOS 18.1, watchOS 11.1, visionOS 2.1, *) else { return false }
            return await ExternalPurchaseCustomLink.isEligible
        }
    }

    /// `ExternalPurchase.presentNoticeSheet()`.
    public func presentNoticeSheet() async throws -> ExternalPurchaseNotice {
        switch try await ExternalPurchase.presentNoticeSheet() {
        case .cancelled: return .cancelled
        case .continuedWithExternalPurchaseToken(let token): return .continued(token: token)
        @unknown default: throw ExternalPurchaseUnavailable(member: "ExternalPurchase.NoticeResult")
        }
    }

    /// `ExternalPurchaseLink.open()`.
    public func open() async throws {
        try await ExternalPurchaseLink.open()
    }

    /// `ExternalPurchaseLink.open(url:)`.
    public func open(url: URL) async throws {
        try await ExternalPurchaseLink.open(url: url)
    }

    /// `ExternalPurchaseCustomLink.token(for:)`.
    public func token(for tokenType: String) async throws -> String? {
        guard #available(iOS 18.1, macOS 15.1, tvOS 18.1, watchOS 11.1, visionOS 2.1, *) else {
            throw ExternalPurchaseUnavailable(member: "ExternalPurchaseCustomLink.token(for:)")
        }
        return try await ExternalPurchaseCustomLink.token(for: tokenType)?.value
    }

    /// `ExternalPurchaseCustomLink.showNotice(type:)`.
    public func showNotice(_ destination: ExternalPurchaseDestination) async throws -> ExternalPurchaseNotice {
        guard #available(iOS 18.1, macOS 15.1, tvOS 18.1, watchOS 11.1, visionOS 2.1, *) else {
            throw ExternalPurchaseUnavailable(member: "ExternalPurchaseCustomLink.showNotice(type:)")
        }
        let type: ExternalPurchaseCustomLink.NoticeType = destination == .browser ? .browser : .withinApp
        switch try await ExternalPurchaseCustomLink.showNotice(type: type) {
        case .cancelled: return .cancelled
        case .continued: return .continued(token: nil)
        @unknown default: throw ExternalPurchaseUnavailable(member: "ExternalPurchaseCustomLink.NoticeResult")
        }
    }
}
#endif
