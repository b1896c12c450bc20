import StoreKitSimulatorTesting

/// The types that the public members of `StoreKitSimulatorTesting` name, with no other import (SK-113).
///
/// `PackageStructureTests` compares the list with the declarations.
let namesOfStoreKitSimulatorTesting: [Any.Type] = [
    AccountID.self,
    Advice.self,
    AppConfiguration.self,
    AppEvent.self,
    AgeBand.self,
    AppMode.self,
    AppStoreEnvironment.self,
    Condition.self,
    ConditionID.self,
    ConfigurationReadError.self,
    Data.self,
    Date.self,
    Decimal.self,
    Device.self,
    DeviceID.self,
    EligibilityQuestion.self,
    Evaluation.self,
    ExternalPurchaseToken.self,
    FailureCase.self,
    InvalidEntryPolicy.self,
    LegacyAllowedRegions.self,
    Locale.self,
    MusicStreaming.self,
    NextStep.self,
    OSVersion.self,
    Platform.self,
    PropertyListFile.self,
    RefreshPolicy.self,
    ProgrammeTerms.self,
    RulePack.self,
    Severity.self,
    SourcePosition.self,
    SystemRelease.self,
    Timestamp.self,
    URL.self,
    URLError.self,
    UUID.self,
    UnnamedPlatformPolicy.self,
    WidenedEntitlement.self,
]

/// Members of these types, which need no import either.
func device(_ session: StoreKitSession) -> String {
    session.device.osVersion = OSVersion(26, 4)
    session.device.platform = Platform.iOS
    let evaluation: Evaluation = session.explain(.canOpen)
    let pack: RulePack = session.rulePack
    return "\(session.device.platform.rawValue) \(session.device.osVersion) \(evaluation.isEligible) \(pack.id.isEmpty)"
}
