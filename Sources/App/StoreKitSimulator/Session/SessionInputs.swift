public import AppConfiguration
public import ConfigurationLint
public import Eligibility
public import ExternalPurchaseCore
public import Foundation
public import TokenLifecycle

/// What `open(url:)` does with a URL that is not in `eligibleURLs` (D5).
public enum IneligibleURLPolicy: String, Hashable, Sendable {
    /// Fails condition C10.
    case `throw`
    /// Opens it all the same.
    case open
}

extension StoreKitSession {
    /// The former name of ``SessionInputs``.
    @available(*, deprecated, renamed: "SessionInputs")
    public typealias World = SessionInputs

    /// The inputs of a session; each can be set at any time (SK-10).
    public struct SessionInputs: Sendable {
        // MARK: The device and the person

        /// The system that the app runs on; iOS 26.5 and the newest SDK unless set.
        public var device = Device()
        /// The storefront's alpha-3 code, nil for none; any other text is kept and counts as unknown (SK-11).
        public var storefront: String?
        /// False under Screen Time restrictions or a management profile (SK-6).
        public var canMakePayments = true
        /// False for a person who may not make external purchases.
        public var personEligible = true
        /// Whether the customer switched later reminders off in a disclosure of the EU (SK-67).
        public var remindersOff = false
        /// Nil while the network works, else the error it raises.
        public var network: URLError?
        /// Nil while the system works; else every call that would succeed throws it as `StoreKitError.systemError`.
        ///
        /// It is judged after the conditions of SK-20 and changes no property: a device that reports itself eligible
        /// can still fail.
        public var systemError: (any Error)?

        // MARK: The app

        /// Info.plist and entitlements.
        public var configuration = AppConfiguration()
        /// App Store id of the app, for minted tokens (TK-26); their bundle id is that of Info.plist.
        public var appAppleId: Int64 = 1_234_567_890

        // MARK: The App Store

        /// The region tables; the newest unless set (D10).
        public var rulePack = RulePack.newest
        /// Decides about the prefix of token ids.
        public var environment = AppStoreEnvironment.sandbox
        /// Makes the tokens.
        public var tokenIssuer: any TokenIssuer = InProcessTokenIssuer()

        // MARK: What happens around the app

        /// Answers the sheets; without one sheets cannot be shown (C11).
        public var presenter: (any SheetPresenter)?
        /// How long a sheet may stay unanswered in real time before the flow fails.
        public var presenterTimeout = Duration.seconds(30)
        /// The browser, which receives the URLs that are opened; without one they stand in the outcome only.
        public var urlOpener: (@Sendable (URL) async throws -> Void)?
        /// The time of tokens and diagnostics.
        public var clock: @Sendable () -> Timestamp = { Timestamp(Date()) }
        /// The random part of token ids.
        public var uuid: @Sendable () -> UUID = { UUID() }

        // MARK: Settings

        /// Error of a failed condition; nil, or nil for a condition, stands for the table of SK-20 (D1).
        public var errorMapping: (@Sendable (ConditionID) -> StoreKitError?)?
        /// What becomes of a URL that is not eligible (D5).
        public var ineligibleURLPolicy = IneligibleURLPolicy.throw
        /// What becomes of an entry with an error finding (D6).
        public var invalidEntryPolicy = InvalidEntryPolicy.ignore
        /// Adds `=` to minted tokens (D7).
        public var mintedTokenPadding = false
        /// Whether the app qualifies as music streaming (CF-43).
        public var musicStreaming = MusicStreaming.auto
        /// Whether the entitlements that only the documents of autumn 2025 named count (CF-24).
        public var legacyAllowedRegions = LegacyAllowedRegions.byPack
        /// Whether the allowed-regions entitlement opens `canPresent` and `canOpen` (SK-24).
        public var widenedEntitlement = WidenedEntitlement.byPack
        /// What `token(for:)` does with a type that the storefront does not have (D2).
        public var unknownTokenTypePolicy = UnknownTokenTypePolicy.nil
        /// How long `IN_APP` and `LINK_OUT` tokens live; nil for tokens without expiration (D3).
        public var transactionTokenLifetime: Duration?
        /// How long a production `SERVICES` period lasts (D4).
        public var servicesLifetime = Duration.seconds(365 * 86_400)
        /// How long the production `ACQUISITION` period lasts (D4).
        public var acquisitionLifetime = Duration.seconds(180 * 86_400)
        /// How long either period lasts in the sandbox (D4).
        public var sandboxLifetime = Duration.seconds(3_600)
        /// What `showNotice` does after the customer switched reminders off (D9).
        public var suppressedNoticePolicy = SuppressedNoticePolicy.continue
        /// Which token of an active period a request returns (TK-36).
        public var refreshPolicy = RefreshPolicy.identical
        /// What becomes of a sheet method outside of a marked customer action (SK-50).
        public var userInteraction = UserInteractionPolicy.record

        /// Inputs with the default values.
        public init() {}

        /// The engine over the entries of the configuration that count.
        func engine(_ usable: UsableConfiguration) -> EligibilityEngine {
            EligibilityEngine(
                device: device,
                storefront: storefront,
                canMakePayments: canMakePayments,
                isPersonEligible: personEligible,
                configuration: usable,
                pack: rulePack,
                widenedEntitlement: widenedEntitlement
            )
        }

        /// The settings that the token periods depend on.
        var lifecycleSettings: LifecycleSettings {
            var settings = LifecycleSettings()
            settings.servicesLifetime = servicesLifetime.wholeMilliseconds
            settings.acquisitionLifetime = acquisitionLifetime.wholeMilliseconds
            settings.sandboxLifetime = sandboxLifetime.wholeMilliseconds
            settings.transactionTokenLifetime = transactionTokenLifetime?.wholeMilliseconds
            settings.refreshPolicy = refreshPolicy
            return settings
        }

        /// What the usable entries depend on.
        struct ConfigurationInputs: Hashable, Sendable {
            let configuration: AppConfiguration
            let rulePack: RulePack
            let musicStreaming: MusicStreaming
            let policy: InvalidEntryPolicy
            let legacyAllowedRegions: LegacyAllowedRegions

            func usable() -> UsableConfiguration {
                UsableConfiguration(
                    configuration,
                    pack: rulePack,
                    musicStreaming: musicStreaming,
                    policy: policy,
                    legacyAllowedRegions: legacyAllowedRegions
                )
            }
        }

        var configurationInputs: ConfigurationInputs {
            ConfigurationInputs(
                configuration: configuration,
                rulePack: rulePack,
                musicStreaming: musicStreaming,
                policy: invalidEntryPolicy,
                legacyAllowedRegions: legacyAllowedRegions
            )
        }
    }
}

extension Duration {
    /// Held at the ends of 64 bits.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds > 0 ? .max : .min }
        return product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
