public import AppConfiguration
public import ConfigurationLint
public import Eligibility
public import ExternalPurchaseCore

/// A session described by a JSON file, for tests, for `explain` and for the device page.
///
/// ```json
/// {
///     "storefront": "NLD",
///     "os": "iOS 26.4",
///     "infoPlist": "../App/Info.plist",
///     "entitlements": "../App/App.entitlements",
///     "sheetAnswers": ["cancel", "continue"],
///     "seed": 1
/// }
/// ```
///
/// Every member is optional. Inputs that the file does not name keep their values.
public struct SessionFile: Hashable, Sendable {
    /// The path as the caller gave it.
    public let path: String
    /// Member `storefront`: an alpha-3 code, or `.some(nil)` for null.
    public internal(set) var storefront: String??
    /// Member `os`, with the version in the numbering of the mode (SK-12).
    public internal(set) var system: SystemRelease?
    /// Member `mode`.
    public internal(set) var mode: AppMode?
    /// Member `sdk`.
    public internal(set) var linkedSDK: OSVersion?
    /// Member `canMakePayments`.
    public internal(set) var canMakePayments: Bool?
    /// Member `personEligible`.
    public internal(set) var personEligible: Bool?
    /// Member `age`: the customer's age in years.
    public internal(set) var customerAge: AgeBand?
    /// Member `environment`.
    public internal(set) var environment: AppStoreEnvironment?
    /// Member `rulePack`, or the pack in force on the day of member `asOf`.
    public internal(set) var rulePack: RulePack?
    /// Member `musicStreaming`: true, false or "auto".
    public internal(set) var musicStreaming: MusicStreaming?
    /// The file of member `infoPlist`.
    public internal(set) var infoPlist: PropertyListFile?
    /// The file of member `entitlements`.
    public internal(set) var entitlements: PropertyListFile?
    /// Member `appAppleId`.
    public internal(set) var appAppleId: Int64?
    /// Member `sheetAnswers`: one answer per sheet.
    ///
    /// The last one repeats.
    public internal(set) var sheetAnswers: [SheetAnswer]?
    /// Member `seed`.
    public internal(set) var seed: UInt64?
    /// Member `now`: the fixed time of the clock.
    public internal(set) var now: Timestamp?

    /// Sets the inputs that the file names.
    ///
    /// - Parameter inputs: the inputs. Those that the file does not name keep their values.
    public func fill(_ inputs: inout StoreKitSession.SessionInputs) {
        if let storefront { inputs.storefront = storefront }
        if let system {
            inputs.device.platform = system.platform
            inputs.device.osVersion = system.version
        }
        if let mode { inputs.device.mode = mode }
        if let linkedSDK { inputs.device.linkedSDK = linkedSDK }
        if let canMakePayments { inputs.canMakePayments = canMakePayments }
        if let personEligible { inputs.personEligible = personEligible }
        if let customerAge { inputs.customerAge = customerAge }
        if let environment { inputs.environment = environment }
        if let rulePack { inputs.rulePack = rulePack }
        if let musicStreaming { inputs.musicStreaming = musicStreaming }
        if let infoPlist { inputs.configuration.infoPlist = infoPlist }
        if let entitlements { inputs.configuration.entitlements = entitlements }
        if let appAppleId { inputs.appAppleId = appAppleId }
        if let sheetAnswers { inputs.presenter = ScriptedPresenter(answers: sheetAnswers) }
        if let seed { inputs.seed(seed) }
        if let now { inputs.clock = { now } }
    }
}

extension StoreKitSession {
    /// Creates a session from a session file.
    ///
    /// - Parameters:
    ///   - path: the session file.
    ///   - configure: sets further inputs, after the file.
    /// - Throws: the first error of the file, or of a property list that it names.
    public convenience init(
        file path: String,
        _ configure: (inout SessionInputs) -> Void = { _ in }
    ) throws(SessionFileError) {
        let file = try SessionFile.read(path: path)
        self.init { inputs in
            file.fill(&inputs)
            configure(&inputs)
        }
    }
}
