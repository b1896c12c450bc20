import Foundation

/// Tells when the app returns to the foreground.
@MainActor
public enum AppForeground {
    /// An element for each return to the foreground from now on; on other than Apple's platforms there are none.
    public static var returns: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let notification = systemNotification else { return stream }
        let center = NotificationCenter.default
        nonisolated(unsafe) let observer = center.addObserver(forName: notification, object: nil, queue: nil) { _ in
            continuation.yield()
        }
        continuation.onTermination = { _ in center.removeObserver(observer) }
        return stream
    }

    #if !canImport(Darwin)
    private static let systemNotification: Notification.Name? = nil
    #endif
}
