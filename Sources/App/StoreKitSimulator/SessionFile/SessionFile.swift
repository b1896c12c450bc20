public import AppConfiguration
public import ConfigurationLint
public import Eligibility
public import ExternalPurchaseCore

/// A session described in a JSON file, for tests, for `explain` and for the device page alike.
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
/// Every member may be left out; what the file does not say stays as it is in the world that it fills.
public struct SessionFile: Hashable, Sendable {
    /// The path as the caller gave it.
    public let path: String
    /// Member `storefront`: an alpha-3 code, or none where the file says null.
    public internal(set) var storefront: String??
    /// Member `os`, with the version in the numbers that the mode sees (SK-12).
    public internal(set) var system: SystemRelease?
    /// Member `mode`.
    public internal(set) var mode: AppMode?
    /// Member `sdk`.
    public internal(set) var linkedSDK: OSVersion?
    /// Member `canMakePayments`.
    public internal(set) var canMakePayments: Bool?
    /// Member `personEligible`.
    public internal(set) var personEligible: Bool?
    /// Member `environment`.
    public internal(set) var environment: AppStoreEnvironment?
    /// Member `rulePack`, or the pack in force on the day of `asOf`.
    public internal(set) var rulePack: RulePack?
    /// Member `musicStreaming`: true, false or "auto".
    public internal(set) var musicStreaming: MusicStreaming?
    /// The file of member `infoPlist`.
    public internal(set) var infoPlist: PropertyListFile?
    /// The file of member `entitlements`.
    public internal(set) var entitlements: PropertyListFile?
    /// Member `appAppleId`.
    public internal(set) var appAppleId: Int64?
    /// Member `sheetAnswers`: one answer per sheet, the last one repeats.
    public internal(set) var sheetAnswers: [SheetAnswer]?
    /// Member `seed`.
    public internal(set) var seed: UInt64?
    /// Member `now`: where the clock stands still.
    public internal(set) var now: Timestamp?

    init(path: String) {
        self.path = path
    }

    /// Sets the inputs that the file names.
    ///
    /// - Parameter world: keeps what the file does not say.
    public func fill(_ world: inout StoreKitSession.World) {
        if let storefront { world.storefront = storefront }
        if let system {
            world.device.platform = system.platform
            world.device.osVersion = system.version
        }
        if let mode { world.device.mode = mode }
        if let linkedSDK { world.device.linkedSDK = linkedSDK }
        if let canMakePayments { world.canMakePayments = canMakePayments }
        if let personEligible { world.personEligible = personEligible }
        if let environment { world.environment = environment }
        if let rulePack { world.rulePack = rulePack }
        if let musicStreaming { world.musicStreaming = musicStreaming }
        if let infoPlist { world.configuration.infoPlist = infoPlist }
        if let entitlements { world.configuration.entitlements = entitlements }
        if let appAppleId { world.appAppleId = appAppleId }
        if let sheetAnswers { world.presenter = ScriptedPresenter(answers: sheetAnswers) }
        if let seed { world.seed(seed) }
        if let now { world.clock = { now } }
    }
}

extension StoreKitSession {
    /// A session that a file describes.
    ///
    /// - Parameters:
    ///   - path: the session file.
    ///   - configure: sets further inputs, after the file.
    /// - Throws: the first fault of the file, or of a property list that it names.
    public convenience init(
        file path: String,
        _ configure: (inout World) -> Void = { _ in }
    ) throws(SessionFileError) {
        let file = try SessionFile.read(path: path)
        self.init { world in
            file.fill(&world)
            configure(&world)
        }
    }
}
