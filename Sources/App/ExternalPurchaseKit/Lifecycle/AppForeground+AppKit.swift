#if canImport(Darwin) && canImport(AppKit) && !canImport(UIKit)
import AppKit

// This file was never compiled: it needs an SDK of Apple.
extension AppForeground {
    static var systemNotification: Notification.Name? { NSApplication.didBecomeActiveNotification }
}
#endif
