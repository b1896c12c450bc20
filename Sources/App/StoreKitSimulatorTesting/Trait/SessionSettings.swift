import Eligibility
import ExternalPurchaseCore
import StoreKitSimulator

/// The settings of one trait; nil where the trait does not set a value.
struct SessionSettings: Sendable {
    var sessionFile: String?
    var storefront: String?
    var os: String?
    var mode: AppMode?
    var app: AppFiles?
    var sheets: [ScriptedPresenter.Step]?
    var seed: UInt64?
    var diagnostics: DiagnosticReporting?
    var configure: (@Sendable (inout StoreKitSession.SessionInputs) throws -> Void)?

    func fill(_ inputs: inout StoreKitSession.SessionInputs) throws {
        if let sessionFile { try SessionFile.read(path: sessionFile).fill(&inputs) }
        if let storefront { inputs.storefront = storefront }
        let device = inputs.device
        if let os {
            inputs.device = try Device(SystemRelease(os), mode: mode ?? device.mode, linkedSDK: device.linkedSDK)
        } else if let mode, device.mode == .native {
            let release = SystemRelease(platform: device.platform, version: device.osVersion)
            inputs.device = try Device(release, mode: mode, linkedSDK: device.linkedSDK)
        } else if let mode {
            // The version already uses the numbering of iOS.
            inputs.device.mode = mode
        }
        if let app { inputs.configuration = try app.read() }
        if let sheets { inputs.presenter = ScriptedPresenter(steps: sheets) }
        if let seed { inputs.seed(seed) }
        try configure?(&inputs)
    }
}
