import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// Names that are nearly known, and Apple's other names.
struct NearMissTests {
    private func findings(key: String, isEntitlement: Bool) throws -> [Finding] {
        let text = key.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        let member = "<key>\(text)</key><true/>"
        let configuration = try ConfigurationText.read(
            infoPlist: isEntitlement ? "" : member,
            entitlements: isEntitlement ? member : ""
        )
        return ConfigurationLinter.findings(in: configuration)
    }

    private static let keys = PlistKey.all.map(\.rawValue)
    private static let entitlements = Entitlement.all.map(\.rawValue)

    /// The name with a letter removed, added, replaced, or swapped with its neighbour, at each place.
    private static func misses(_ name: String) -> [String] {
        let letters = Array(name)
        var misses: Set<String> = []
        for index in 0...letters.count {
            var added = letters
            added.insert("q", at: index)
            misses.insert(String(added))
            guard index < letters.count else { continue }
            var removed = letters
            removed.remove(at: index)
            misses.insert(String(removed))
            var replaced = letters
            replaced[index] = "q"
            misses.insert(String(replaced))
            guard index + 1 < letters.count else { continue }
            var swapped = letters
            swapped.swapAt(index, index + 1)
            misses.insert(String(swapped))
        }
        return misses.subtracting([name]).sorted()
    }

    @Test("One letter off, at any place, is an error that names the key (key-unknown)", arguments: keys + entitlements)
    func oneLetter(_ name: String) throws {
        let isEntitlement = Self.entitlements.contains(name)
        for miss in Self.misses(name) where !(Self.keys + Self.entitlements).contains(miss) {
            let found = try findings(key: miss, isEntitlement: isEntitlement)
            let finding = found.first { ["key-unknown", "key-case"].contains($0.rule) }
            #expect(finding?.severity == .error, "\(miss)")
            let names = [finding?.hint, finding?.message].compactMap { $0 }.joined()
            #expect(names.contains(name), "\(miss): \(names)")
        }
    }

    static let misspelled: [(String, String)] = [
        ("SKExternalPurchaseCustomLinkRegion", "SKExternalPurchaseCustomLinkRegions"),
        ("SKExternalPurchaseLinkURL", "SKExternalPurchaseLink"),
        ("SKExternalPurchaseMultiLinks", "SKExternalPurchaseMultiLink"),
        ("SKExternalPurchaseLinkStreamingRegion", "SKExternalPurchaseLinkStreamingRegions"),
        ("skexternalpurchaselnk", "SKExternalPurchaseLink"), ("SKEXTERNALLINKACOUNT", "SKExternalLinkAccount"),
        ("SK_External_Purchase_Multi_Link", "SKExternalPurchaseMultiLink"),
        ("\n    SKExternalPurchaseLink\n", "SKExternalPurchaseLink"),
    ]

    @Test("A key in another form is an error that names the right one (key-unknown)", arguments: misspelled)
    func otherForm(_ key: String, nearest: String) throws {
        for isEntitlement in [false, true] {
            let finding = try findings(key: key, isEntitlement: isEntitlement).first { $0.rule == "key-unknown" }
            #expect(finding?.severity == .error)
            #expect(finding?.hint == "Did you mean \(nearest)?")
        }
    }

    static let misspelledEntitlements: [(String, String)] = [
        ("com.apple.developer.external-purchase-link", "external-purchase-link"),
        ("com.apple.developer.external-purchase", "external-purchase"),
        ("com.apple.developer.External-Purchase-Link", "external-purchase-link"),
        ("COM.APPLE.DEVELOPER.EXTERNAL-PURCHASE", "external-purchase"),
        ("com.apple.storekit.external-purchase-link-streaming", "external-purchase-link-streaming"),
        ("com.apple.external-purchase-link", "external-purchase-link"),
        ("com.apple.developer.storekit-external-purchase", "external-purchase"),
        ("com.apple.developer.storekit.external_purchase_link_streaming", "external-purchase-link-streaming"),
        ("com.apple.developer.storekit.externalPurchaseLink", "external-purchase-link"),
        ("com.apple.developer.custom-purchase-link.allowed-region", "custom-purchase-link.allowed-regions"),
        ("com.apple.developer.storekit.custom-purchase-link.allowedregions", "custom-purchase-link.allowed-regions"),
        ("com.apple.developer.external-link-account", "external-link.account"),
        ("com.apple.developer.store-kit.external-purchase", "external-purchase"),
        ("storekit.external-purchase", "external-purchase"),
    ]

    @Test(
        "An entitlement without a part of Apple's domain is an error (key-unknown)",
        arguments: misspelledEntitlements
    )
    func otherDomain(_ name: String, nearest: String) throws {
        let finding = try findings(key: name, isEntitlement: true).first { $0.rule == "key-unknown" }
        #expect(finding?.severity == .error)
        #expect(finding?.hint == "Did you mean com.apple.developer.storekit.\(nearest)?")
    }

    static let withoutBeginning: [(String, Bool, String)] =
        entitlements.map { ($0.replacing("com.apple.developer.storekit.", with: ""), true, $0) }
        + keys.map { (String($0.dropFirst(2)), false, $0) }
        + [
            ("external-purchase-lnk", true, "com.apple.developer.storekit.external-purchase-link"),
            ("External Purchase Link", true, "com.apple.developer.storekit.external-purchase-link"),
            ("ExternalPurchase", true, "com.apple.developer.storekit.external-purchase"),
            ("externalPurchaseLink", false, "SKExternalPurchaseLink"),
            ("external-purchase-link", false, "SKExternalPurchaseLink"),
        ]

    @Test("A name without its whole beginning is found, a key as a warning (key-unknown)", arguments: withoutBeginning)
    func beginning(_ name: String, isEntitlement: Bool, nearest: String) throws {
        let finding = try findings(key: name, isEntitlement: isEntitlement).first { $0.rule == "key-unknown" }
        #expect(finding?.severity == (isEntitlement ? .error : .warning))
        #expect(finding?.hint == "Did you mean \(nearest)?")
    }

    @Test("Keys of other frameworks and other vendors are never mistaken for these")
    func others() throws {
        for key in Self.otherKeys.split(whereSeparator: \.isWhitespace).map(String.init) {
            #expect(try findings(key: key, isEntitlement: false) == [], "\(key)")
        }
        let entitlements = Self.otherEntitlements.split(whereSeparator: \.isWhitespace).map { name in
            name.hasPrefix(".") ? "com.apple.developer\(name)" : String(name)
        }
        for name in entitlements { #expect(try findings(key: name, isEntitlement: true) == [], "\(name)") }
        #expect(entitlements.count > 100)
    }

    private static let otherKeys = """
        AppIdentifierPrefix ATSApplicationFontsPath BGTaskSchedulerPermittedIdentifiers BuildMachineOSBuild
        CADisableMinimumFrameDurationOnPhone CFAppleHelpAnchor CFBundleAllowMixedLocalizations CFBundleAlternateIcons
        CFBundleDevelopmentRegion CFBundleDisplayName CFBundleDocumentTypes CFBundleExecutable CFBundleGetInfoString
        CFBundleIconFile CFBundleIconFiles CFBundleIconName CFBundleIcons CFBundleInfoDictionaryVersion
        CFBundleLocalizations CFBundleName CFBundlePackageType CFBundlePrimaryIcon CFBundleShortVersionString
        CFBundleSignature CFBundleSpokenName CFBundleURLTypes CFBundleVersion CFPlugInFactories
        CKSharingSupported CLKComplicationPrincipalClass DTCompiler DTPlatformBuild DTPlatformName DTSDKName DTXcode
        EXAppExtensionAttributes EXExtensionPointIdentifier EnergyBudget FacebookAppID FirebaseAppDelegateProxyEnabled
        GADApplicationIdentifier GADIsAdManagerApp GCSupportedGameControllers GCSupportsControllerUserInteraction
        GKGameCenterBadgingDisabled HMDRequired INAlternativeAppNames INIntentsSupported INIntentsRestrictedWhileLocked
        IOKitPersonalities ITSAppUsesNonExemptEncryption ITSEncryptionExportComplianceCode JavaScriptEnabled
        LSApplicationCategoryType LSApplicationQueriesSchemes LSArchitecturePriority LSBackgroundOnly LSEnvironment
        LSFileQuarantineEnabled LSHandlerRank LSItemContentTypes LSMinimumSystemVersionByArchitecture
        LSMultipleInstancesProhibited LSRequiresIPhoneOS LSSupportsOpeningDocumentsInPlace LSUIElement LSUIPresentationMode
        MAAudibleAssistiveServices MDItemKeywords MKDirectionsApplicationSupportedModes MetalCaptureEnabled
        MinimumOSVersion~ipad NFCReaderUsageDescription NSAccentColorName NSAdvertisingAttributionReportEndpoint
        NSAppDataUsageDescription NSAppIconActionTintColorName NSAppTransportSecurity NSAppleEventsUsageDescription
        NSAppleMusicUsageDescription NSAppleScriptEnabled NSBluetoothAlwaysUsageDescription
        NSBluetoothPeripheralUsageDescription NSBonjourServices NSCalendarsFullAccessUsageDescription
        NSCameraUsageDescription NSContactsUsageDescription NSCriticalMessagingUsageDescription
        NSDesktopFolderUsageDescription NSDocumentsFolderUsageDescription NSDownloadsFolderUsageDescription NSExtension
        NSExtensionActivationRule NSFaceIDUsageDescription NSFallDetectionUsageDescription NSFileProviderDomainUsageDescription
        NSFocusStatusUsageDescription NSGKFriendListUsageDescription NSHandsTrackingUsageDescription
        NSHealthClinicalHealthRecordsShareUsageDescription NSHealthShareUsageDescription NSHealthUpdateUsageDescription
        NSHighResolutionCapable NSHomeKitUsageDescription NSHumanReadableCopyright NSIdentityUsageDescription
        NSLocalNetworkUsageDescription NSLocationAlwaysAndWhenInUseUsageDescription NSLocationAlwaysUsageDescription
        NSLocationDefaultAccuracyReduced NSLocationTemporaryUsageDescriptionDictionary NSLocationWhenInUseUsageDescription
        NSMainNibFile NSMainStoryboardFile NSMicrophoneUsageDescription NSMotionUsageDescription
        NSNearbyInteractionUsageDescription NSNetworkVolumesUsageDescription NSPhotoLibraryAddUsageDescription
        NSPhotoLibraryUsageDescription NSPrefPaneIconFile NSPrincipalClass NSPrivacyAccessedAPITypes
        NSPrivacyCollectedDataTypes NSPrivacyTracking NSPrivacyTrackingDomains NSQuickLookPreview NSRemindersUsageDescription
        NSRemovableVolumesUsageDescription NSRequiresAquaSystemAppearance NSSensorKitUsageDescription NSServices
        NSSiriUsageDescription NSSpeechRecognitionUsageDescription NSSupportsAutomaticTermination NSSupportsLiveActivities
        NSSupportsLiveActivitiesFrequentUpdates NSSupportsSuddenTermination NSSystemAdministrationUsageDescription
        NSUbiquitousContainers NSUbiquitousDisplaySet NSUserActivityTypes NSUserTrackingUsageDescription
        NSVideoSubscriberAccountUsageDescription NSVoIPUsageDescription NSWorldSensingUsageDescription OSAScriptingDefinition
        OSBundleRequired PHPhotoLibraryPreventAutomaticLimitedAccessAlert PKExtensionPasteboard QLSupportsSearchableItems
        QuartzGLEnable RCTNewArchEnabled SBMatchingApplicationGenres SKAdNetworkAttributionReportEndpoint SKAdNetworkIdentifier
        SKAdNetworkItems SKIncludeConsumableInAppPurchaseHistory SKStoreProductParameterITunesItemIdentifier
        SKSubscriptionOffer SKTestSession SMAuthorizedClients SMPrivilegedExecutables SUEnableAutomaticChecks SUFeedURL
        SUPublicEDKey SULastCheckTime UIAppFonts UIApplicationExitsOnSuspend UIApplicationPreferredDefaultSceneSessionRole
        UIApplicationSceneManifest UIApplicationShortcutItems UIApplicationSupportsIndirectInputEvents
        UIApplicationSupportsMultipleScenes UIBackgroundModes UIDesignRequiresCompatibility UIFileSharingEnabled
        UIInterfaceOrientation UILaunchImages UILaunchScreen UILaunchStoryboardName UIMainStoryboardFile UIPrerenderedIcon
        UIRequiredDeviceCapabilities UIRequiresFullScreen UIRequiresPersistentWiFi UIStatusBarHidden UIStatusBarStyle
        UISupportedExternalAccessoryProtocols UISupportedInterfaceOrientations UISupportsDocumentBrowser
        UISupportsTrueScreenSizeOnMac UIUserInterfaceStyle UIViewControllerBasedStatusBarAppearance UIViewEdgeAntialiasing
        UTExportedTypeDeclarations UTImportedTypeDeclarations WKAppBundleIdentifier WKApplication WKBackgroundModes
        WKCompanionAppBundleIdentifier WKExtensionDelegateClassName WKRunsIndependentlyOfCompanionApp WKWatchKitApp
        WKWatchOnly XPCService com.apple.developer.default-data-protection RCExternalPurchase
        MyExternalPurchaseLink ACMEExternalLinkAccount ExternalPurchaseURL
        """

    private static let otherEntitlements = """
        application-identifier aps-environment beta-reports-active get-task-allow inter-app-audio keychain-access-groups
        com.apple.application-identifier com.apple.external-accessory.wireless-configuration com.apple.InstallerCrypto
        com.apple.security.app-sandbox com.apple.security.application-groups com.apple.security.automation.apple-events
        com.apple.security.cs.allow-jit com.apple.security.cs.allow-unsigned-executable-memory
        com.apple.security.cs.disable-library-validation com.apple.security.cs.debugger com.apple.security.device.audio-input
        com.apple.security.device.bluetooth com.apple.security.device.camera com.apple.security.device.usb
        com.apple.security.files.bookmarks.app-scope com.apple.security.files.downloads.read-write
        com.apple.security.files.user-selected.read-only com.apple.security.files.user-selected.read-write
        com.apple.security.hypervisor com.apple.security.network.client com.apple.security.network.server
        com.apple.security.personal-information.addressbook com.apple.security.personal-information.location
        com.apple.security.print com.apple.security.smartcard com.apple.security.virtualization com.apple.smoot.subscriptionservice
        com.apple.vm.networking com.apple.vm.device-access com.apple.private.security.container-required
        .aps-environment .applesignin .app-attest-opt-in .app-migration.data-container-access .arkit.main-camera-access.allow
        .associated-appclip-app-identifiers .associated-domains .associated-domains.applinks.read-write .authentication-services.autofill-credential-provider
        .automatic-assessment-configuration .avfoundation.multitasking-camera-access .background-tasks.continued-processing.gpu
        .browser.app-installation .carplay-audio .carplay-charging .carplay-communication .carplay-driving-task .carplay-fueling
        .carplay-maps .carplay-messaging .carplay-parking .carplay-playable-content .carplay-protocols .carplay-quick-ordering
        .ClassKit-environment .coremedia.hls.interstitial-preview .coremedia.hls.low-latency .contacts.notes
        .declared-age-range .default-calling-app .default-data-protection .default-messaging-app .device-information.user-assigned-device-name
        .devicecheck.appattest-environment .driverkit .driverkit.allow-any-userclient-access .driverkit.transport.usb
        .driverkit.userclient-access .embedded-web-browser-engine .endpoint-security.client .energykit .exposure-notification
        .family-controls .fileprovider.testing-mode .financekit .foundation-model-adapter .fs.removable-media .fskit.fsmodule
        .game-center .group-session .healthkit .healthkit.access .healthkit.background-delivery .healthkit.recalibrate-estimates
        .hid.virtual.device .homekit .icloud-container-development-container-identifiers .icloud-container-environment
        .icloud-container-identifiers .icloud-services .in-app-identity-presentation .in-app-payments .in-app-payments.web
        .journal.allow .kernel.extended-virtual-addressing .kernel.increased-debugging-memory-limit .kernel.increased-memory-limit
        .location.push .low-latency-streaming .mail-client .maps .matter.allow-setup-payload .media-device-discovery-extension
        .memory.transfer-send .messages.critical-messaging .networking.HotspotConfiguration .networking.HotspotHelper
        .networking.custom-protocol .networking.multicast .networking.multipath .networking.networkextension
        .networking.slicing.appcategory .networking.vpn.api .networking.wifi-info .nfc.hce .nfc.hce.default-contactless-app
        .nfc.hce.iso7816.select-identifier-prefixes .nfc.readersession.formats .on-demand-install-capable .parent-application-identifiers
        .pass-type-identifiers .payment-pass-provisioning .persistent-content-capture .playable-content .proximity-reader.identity.display
        .proximity-reader.payment.acceptance .push-to-talk .screen-capture.include-passthrough .secure-element-credential
        .sensitivecontentanalysis.client .sensorkit.reader.allow .severe-vehicular-crash-event .shared-with-you .shazamkit
        .siri .spatial-audio.profile-access .storekit.request .sustained-execution .system-extension.install
        .system-extension.redistributable .team-identifier .ubiquity-container-identifiers .ubiquity-kvstore-identifier
        .upi-device-validation .usernotifications.communication .usernotifications.critical-alerts .usernotifications.filtering
        .usernotifications.time-sensitive .user-fonts .user-management .video-subscriber-single-sign-on .virtual-terminal
        .voip-push-notification .vmnet .weatherkit .web-browser .web-browser-engine.host .web-browser.public-key-credential
        .wifi-aware com.acme.external-purchase com.acme.storekit.external-purchase-link com.acme.external-link.account
        """
}
