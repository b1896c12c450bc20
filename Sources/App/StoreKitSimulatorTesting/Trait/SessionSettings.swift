import Eligibility
import ExternalPurchaseCore
import StoreKitSimulator

/// What one trait says about the session; nil where it says nothing.
struct SessionSettings: Sendable {
    var sessionFile: String?
    var storefront: String?
    var os: String?
    var mode: AppMode?
    var app: AppFiles?
    var sheets: [ScriptedPresenter.Step]?
    var seed: UInt64?
    var diagnostics: DiagnosticReporting?
    var configure: (@Sendable (inout StoreKitSession.World) throws -> Void)?

    func fill(_ world: inout StoreKitSession.World) throws {
        if let sessionFile { try SessionFile.read(path: sessionFile).fill(&world) }
        if let storefront { world.storefront = storefront }
        let device = world.device
        if let os {
            world.device = try Device(SystemRelease(os), mode: mode ?? device.mode, linkedSDK: device.linkedSDK)
        } else if let mode, device.mode == .native {
            let release = SystemRelease(platform: device.platform, version: device.osVersion)
            world.device = try Device(release, mode: mode, linkedSDK: device.linkedSDK)
        } else if let mode {
            // The version has the numbers of iOS already.
            world.device.mode = mode
        }
        if let app { world.configuration = try app.read() }
        if let sheets { world.presenter = ScriptedPresenter(steps: sheets) }
        if let seed { world.seed(seed) }
        try configure?(&world)
    }
}
