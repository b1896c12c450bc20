#if canImport(Darwin) && canImport(UIKit) && !os(watchOS)
import UIKit

// This file was never compiled: it needs an SDK of Apple.
extension AppForeground {
    static var systemNotification: Notification.Name? { UIScene.willEnterForegroundNotification }
}
#endif
