package import ExternalPurchaseCore

/// The apps and environments that an address receives notifications for (NT-35, NT-36).
package struct NotificationRecipient: Hashable, Sendable {
    /// An app of the recipient.
    package struct App: Hashable, Sendable {
        /// The bundle id.
        var bundleId: BundleId
        /// The App Store id; nil accepts any.
        var appAppleId: Int64?

        /// Creates an app.
        ///
        /// - Parameters:
        ///   - bundleId: the bundle id.
        ///   - appAppleId: the App Store id, compared in production only; nil accepts any.
        package init(bundleId: BundleId, appAppleId: Int64?) {
            self.bundleId = bundleId
            self.appAppleId = appAppleId
        }
    }

    /// The apps; nil accepts notifications about any app.
    var apps: [App]?
    /// The environments.
    var environments: Set<AppStoreEnvironment>

    /// Creates a recipient.
    ///
    /// - Parameters:
    ///   - apps: the apps; nil accepts notifications about any app.
    ///   - environments: the environments.
    package init(apps: [App]?, environments: Set<AppStoreEnvironment> = [.sandbox, .production]) {
        self.apps = apps
        self.environments = environments
    }

    /// Returns the step of NT-35 or NT-36 that a genuine notification fails; nil when it is for this recipient.
    ///
    /// Values that a notification omits are not compared: types other than those of external purchases may have no
    /// data, and a `TEST` requires only its bundle id (NT-42).
    func mismatch(_ payload: NotificationPayload) -> NotificationFailure? {
        if let apps, let bundleId = payload.bundleId {
            let isOurs = apps.contains { app in
                app.bundleId == bundleId
                    && (payload.environment != .production || app.appAppleId == nil
                        || app.appAppleId == payload.appAppleId)
            }
            guard isOurs else { return .wrongApp }
        }
        if let environment = payload.environment {
            guard let known = environment.known, environments.contains(known) else { return .wrongEnvironment }
        }
        return nil
    }
}
