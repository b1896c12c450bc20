public import AppConfiguration
public import ConfigurationLint
public import Eligibility
public import ExternalPurchaseCore
public import Foundation
public import TokenLifecycle

/// What `open(url:)` does with a URL that is not in `eligibleURLs` (D5).
public enum IneligibleURLPolicy: String, Hashable, Sendable {
    /// The call fails condition C10.
    case `throw`
    /// The URL is opened nevertheless.
    case open
}

extension StoreKitSession {
    /// The inputs of a session; each can be set at any time (SK-10).
    public struct SessionInputs: Sendable {
        // MARK: The device and the person

        /// The system that the app runs on.
        ///
        /// The default is iOS 26.5 with the newest SDK.
        public var device = Device()
        /// The storefront's alpha-3 code; nil for none.
        ///
        /// Any other text counts as unknown (SK-11).
        public var storefront: String?
        /// False under Screen Time restrictions or a management profile (SK-6).
        public var canMakePayments = true
        /// False for a person who may not make external purchases.
        public var personEligible = true
        /// The band that the customer's age lies in; nil if it does not matter (SK-88).
        ///
        /// StoreKit's answers do not depend on it. A diagnostic names a purchase that the storefront's terms ask a parental
        /// gate for, or that they do not allow.
        public var customerAge: AgeBand?
        /// Whether the customer turned off later reminders in a disclosure of the EU (SK-67).
        public var remindersOff = false
        /// The error of the network; nil while the network is available.
        public var network: URLError?
        /// The error of the system; nil while the system works.
        ///
        /// Every call that would otherwise succeed throws it as `StoreKitError.systemError`, after the conditions of
        /// SK-20. Properties do not change: a device that reports itself eligible can still fail.
        public var systemError: (any Error)?

        // MARK: The app

        /// Info.plist and entitlements.
        public var configuration = AppConfiguration()
        /// The App Store id of the app in issued tokens (TK-26).
        ///
        /// Their bundle id is that of Info.plist.
        public var appAppleId: Int64 = 1_234_567_890

        // MARK: The App Store

        /// The region tables.
        ///
        /// The default is the newest pack (D10).
        public var rulePack = RulePack.newest
        /// The environment, which determines the prefix of token ids.
        public var environment = AppStoreEnvironment.sandbox
        /// Issues the tokens.
        public var tokenIssuer: any TokenIssuer = InProcessTokenIssuer()

        // MARK: What happens around the app

        /// Answers the sheets.
        ///
        /// Without a presenter sheets cannot be shown (C11).
        public var presenter: (any SheetPresenter)?
        /// How long a sheet may be unanswered in real time before the flow fails.
        public var presenterTimeout = Duration.seconds(30)
        /// Opens URLs in place of the browser.
        ///
        /// Without it, URLs appear only in the outcomes.
        public var urlOpener: (@Sendable (URL) async throws -> Void)?
        /// The time of tokens and diagnostics.
        public var clock: @Sendable () -> Timestamp = { Timestamp(Date()) }
        /// The random part of token ids.
        public var uuid: @Sendable () -> UUID = { UUID() }

        // MARK: Settings

        /// The errors of failed conditions.
        ///
        /// Where it is or returns nil, the table of SK-20 applies (D1).
        public var errorMapping: (@Sendable (ConditionID) -> StoreKitError?)?
        /// How `open(url:)` treats a URL that is not eligible (D5).
        public var ineligibleURLPolicy = IneligibleURLPolicy.throw
        /// How an entry with an error finding is treated (D6).
        public var invalidEntryPolicy = InvalidEntryPolicy.ignore
        /// Whether `=` is appended to issued tokens (D7).
        public var mintedTokenPadding = false
        /// Whether the app qualifies as music streaming (CF-43).
        public var musicStreaming = MusicStreaming.auto
        /// Whether the entitlements that only the documents of autumn 2025 name are used (CF-24).
        public var legacyAllowedRegions = LegacyAllowedRegions.byPack
        /// Whether the allowed-regions entitlement opens `canPresent` and `canOpen` (SK-24).
        public var widenedEntitlement = WidenedEntitlement.byPack
        /// What is answered on platforms that a programme's terms do not name (SK-44).
        public var unnamedPlatforms = UnnamedPlatformPolicy.allow
        /// What `token(for:)` does with a type that the storefront does not have (D2).
        public var unknownTokenTypePolicy = UnknownTokenTypePolicy.nil
        /// How long `IN_APP` and `LINK_OUT` tokens are active; nil for tokens without expiration (D3).
        public var transactionTokenLifetime: Duration?
        /// How long a production `SERVICES` period lasts (D4).
        public var servicesLifetime = Duration.seconds(365 * 86_400)
        /// How long the production `ACQUISITION` period lasts (D4).
        public var acquisitionLifetime = Duration.seconds(180 * 86_400)
        /// How long either period lasts in the sandbox (D4).
        public var sandboxLifetime = Duration.seconds(3_600)
        /// What `showNotice` does after the customer turned off reminders (D9).
        public var suppressedNoticePolicy = SuppressedNoticePolicy.continue
        /// Which token of an active period a request returns (TK-36).
        public var refreshPolicy = RefreshPolicy.identical
        /// How a sheet method is treated that is called outside a marked customer action (SK-50).
        public var userInteraction = UserInteractionPolicy.record

        /// Creates inputs with the default values.
        public init() {}

        /// Creates the engine for the usable entries of the configuration.
        func engine(_ usable: UsableConfiguration) -> EligibilityEngine {
            EligibilityEngine(
                device: device,
                storefront: storefront,
                canMakePayments: canMakePayments,
                isPersonEligible: personEligible,
                configuration: usable,
                pack: rulePack,
                widenedEntitlement: widenedEntitlement,
                unnamedPlatforms: unnamedPlatforms
            )
        }

        /// The settings that the token periods depend on.
        var lifecycleSettings: LifecycleSettings {
            var settings = LifecycleSettings()
            settings.servicesLifetime = servicesLifetime
            settings.acquisitionLifetime = acquisitionLifetime
            settings.sandboxLifetime = sandboxLifetime
            settings.transactionTokenLifetime = transactionTokenLifetime
            settings.refreshPolicy = refreshPolicy
            return settings
        }

        /// The inputs that determine the usable entries.
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
