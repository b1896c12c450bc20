#if canImport(Darwin) && os(watchOS)
import WatchKit

// This file was never compiled: it needs an SDK of Apple.
extension AppForeground {
    static var systemNotification: Notification.Name? { WKExtension.applicationWillEnterForegroundNotification }
}
#endif
