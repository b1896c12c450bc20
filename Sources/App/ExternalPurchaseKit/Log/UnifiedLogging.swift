#if canImport(Darwin)
import os

extension KitEvent {
    /// Returns a handler that writes to Apple's unified logging.
    ///
    /// This file was never compiled: it needs an SDK of Apple.
    ///
    /// - Parameter subsystem: the subsystem, such as the bundle id of the app.
    public static func unifiedLogging(subsystem: String) -> KitEventHandler {
        let logger = Logger(subsystem: subsystem, category: "ExternalPurchaseKit")
        return { event in
            switch event.level {
            case .info: logger.info("\(event.description, privacy: .public)")
            case .warning: logger.warning("\(event.description, privacy: .public)")
            case .error: logger.error("\(event.description, privacy: .public)")
            }
        }
    }
}
#endif
