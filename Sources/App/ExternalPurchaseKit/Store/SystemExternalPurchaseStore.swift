#if canImport(StoreKit)
import ExternalPurchaseCore
public import Foundation
import StoreKit

/// The system's StoreKit: Apple's on Apple platforms, and the module of this package elsewhere, where it type-checks
/// this file.
///
/// From OS 27.2, custom links use the typed members, which take the destination. On Apple platforms these are compiled
/// only with the trait `AppleSDK27_2`, because an older SDK does not declare them; without the trait, the older members
/// are used on every system. This file was never compiled against an Apple SDK.
public struct SystemExternalPurchaseStore: ExternalPurchaseStore {
    /// Creates a store.
    public init() {}

    /// `AppStore.canMakePayments`.
    public var canMakePayments: Bool { AppStore.canMakePayments }

    /// `ExternalPurchase.canPresent`; false on systems that lack it.
    public var canPresent: Bool {
        get async {
            guard #available(iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) else { return false }
            return await ExternalPurchase.canPresent
        }
    }

    /// `ExternalPurchaseLink.canOpen`; false on systems that lack it.
    public var canOpen: Bool {
        get async {
            guard #available(tvOS 17.4, watchOS 10.4, visionOS 1.1, *) else { return false }
            return await ExternalPurchaseLink.canOpen
        }
    }

    /// `ExternalPurchaseLink.eligibleURLs`; nil on systems that lack it.
    public var eligibleURLs: [URL]? {
        get async {
            guard #available(iOS 17.5, tvOS 17.5, watchOS 10.5, visionOS 1.2, *) else { return nil }
            return await ExternalPurchaseLink.eligibleURLs
        }
    }

    /// `ExternalPurchaseCustomLink.isEligible`; false on systems that lack it.
    public var isEligible: Bool {
        get async {
            guard #available(iOS 18.1, macOS 15.1, tvOS 18.1, watchOS 11.1, visionOS 2.1, *) else { return false }
            return await ExternalPurchaseCustomLink.isEligible
        }
    }

    /// `Storefront.current`.
    public var storefront: String? {
        get async { await Storefront.current?.countryCode }
    }

    /// `Storefront.current` and `Storefront.updates`.
    public var storefrontUpdates: AsyncStream<String?> {
        AsyncStream { continuation in
            let task = Task {
                var updates = Storefront.updates.makeAsyncIterator()
                continuation.yield(await Storefront.current?.countryCode)
                while let next = await updates.next() { continuation.yield(next.countryCode) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// True from OS 27.2, if the typed members are compiled.
    public var noticeNamesDestination: Bool {
        #if AppleSDK27_2 || !canImport(Darwin)
        if #available(iOS 27.2, macOS 27.2, tvOS 27.2, watchOS 27.2, visionOS 27.2, *) { return Self.hasTypedMembers }
        #endif
        return false
    }

    /// Whether the keys of the app's Info.plist list South Korea alone, or beside others and the storefront is South Korea.
    ///
    /// - Parameter storefront: the alpha-3 code; nil for none.
    public func isSoldWithoutInAppPurchase(in storefront: String?) -> Bool {
        let lists = PlistKey.all.filter { $0 != .linkAccount }.compactMap { key -> [String]? in
            let value = Bundle.main.object(forInfoDictionaryKey: key.rawValue)
            return value as? [String] ?? (value as? [String: Any])?.keys.map { $0 }
        }
        return ProgrammeTerms.excludesInAppPurchase(
            listing: Set(lists.flatMap { $0 }),
            in: storefront.flatMap { StorefrontCode($0)?.region }
        )
    }

    /// The meaning of a `StoreKitError`.
    public func failure(_ error: any Error) -> StoreFailure {
        StoreFailure(Self.kind(of: error), message: error.localizedDescription)
    }

    private static func kind(of error: any Error) -> StoreFailure.Kind {
        if error is ExternalPurchaseUnavailable { return .unsupported }
        guard let error = error as? StoreKitError else { return .other }
        if #available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *), case .unsupported = error {
            return .unsupported
        }
        #if AppleSDK27_2 || !canImport(Darwin)
        if #available(iOS 27.0, macOS 27.0, tvOS 27.0, watchOS 27.0, visionOS 27.0, *),
            case .invalidPresentationContext = error
        {
            return .cannotPresent
        }
        #endif
        switch error {
        case .networkError: return .network
        case .notEntitled: return .notEntitled
        case .notAvailableInStorefront: return .notAvailableInStorefront
        case .systemError: return .system
        default: return .other
        }
    }

    /// `ExternalPurchase.presentNoticeSheet()`.
    public func presentNoticeSheet() async throws -> ExternalPurchaseNotice {
        // The result with a token came after the method.
        guard #available(iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) else {
            throw ExternalPurchaseUnavailable(member: "ExternalPurchase.presentNoticeSheet()")
        }
        switch try await ExternalPurchase.presentNoticeSheet() {
        case .cancelled: return .cancelled
        case .continuedWithExternalPurchaseToken(let token): return .continued(token: token)
        @unknown default: throw ExternalPurchaseUnavailable(member: "ExternalPurchase.NoticeResult")
        }
    }

    /// `ExternalPurchaseLink.open()`.
    public func open() async throws {
        guard #available(tvOS 17.4, watchOS 10.4, visionOS 1.1, *) else {
            throw ExternalPurchaseUnavailable(member: "ExternalPurchaseLink.open()")
        }
        try await ExternalPurchaseLink.open()
    }

    /// `ExternalPurchaseLink.open(url:)`.
    public func open(url: URL) async throws {
        guard #available(iOS 17.5, tvOS 17.5, watchOS 10.5, visionOS 1.2, *) else {
            throw ExternalPurchaseUnavailable(member: "ExternalPurchaseLink.open(url:)")
        }
        try await ExternalPurchaseLink.open(url: url)
    }

    /// The overload of `ExternalPurchaseCustomLink.token(for:)` that the system has.
    public func token(for tokenType: String) async throws -> String? {
        guard #available(iOS 18.1, macOS 15.1, tvOS 18.1, watchOS 11.1, visionOS 2.1, *) else {
            throw ExternalPurchaseUnavailable(member: "ExternalPurchaseCustomLink.token(for:)")
        }
        #if AppleSDK27_2 || !canImport(Darwin)
        if #available(iOS 27.2, macOS 27.2, tvOS 27.2, watchOS 27.2, visionOS 27.2, *), Self.hasTypedMembers {
            let type = ExternalPurchaseCustomLink.TokenType(rawValue: tokenType)
            return try await ExternalPurchaseCustomLink.token(for: type)?.value
        }
        #endif
        return try await ExternalPurchaseCustomLink.token(for: tokenType)?.value
    }

    /// `ExternalPurchaseCustomLink.showNotice(for:)`, or `showNotice(type:)` on systems before 27.2.
    public func showNotice(_ destination: ExternalPurchaseDestination) async throws -> ExternalPurchaseNotice {
        guard #available(iOS 18.1, macOS 15.1, tvOS 18.1, watchOS 11.1, visionOS 2.1, *) else {
            throw ExternalPurchaseUnavailable(member: "ExternalPurchaseCustomLink.showNotice(type:)")
        }
        switch try await notice(destination) {
        case .cancelled: return .cancelled
        case .continued: return .continued(token: nil)
        @unknown default: throw ExternalPurchaseUnavailable(member: "ExternalPurchaseCustomLink.NoticeResult")
        }
    }

    @available(iOS 18.1, macOS 15.1, tvOS 18.1, watchOS 11.1, visionOS 2.1, *)
    private func notice(_ destination: ExternalPurchaseDestination) async throws
        -> ExternalPurchaseCustomLink.NoticeResult
    {
        #if AppleSDK27_2 || !canImport(Darwin)
        if #available(iOS 27.2, macOS 27.2, tvOS 27.2, watchOS 27.2, visionOS 27.2, *), Self.hasTypedMembers {
            switch destination {
            case .outOfApp(let url):
                return try await ExternalPurchaseCustomLink.showNotice(for: .outOfApp(destinationURL: url))
            case .withinApp:
                return try await ExternalPurchaseCustomLink.showNotice(for: .withinApp)
            }
        }
        #endif
        switch destination {
        case .outOfApp: return try await ExternalPurchaseCustomLink.showNotice(type: .browser)
        case .withinApp: return try await ExternalPurchaseCustomLink.showNotice(type: .withinApp)
        }
    }

    /// Whether the typed members exist.
    ///
    /// On other than Apple platforms `#available` is always true, so the simulated system determines it.
    private static var hasTypedMembers: Bool {
        #if canImport(Darwin)
        true
        #else
        StoreKitSession.current.hasTypedMembers
        #endif
    }
}
#endif
