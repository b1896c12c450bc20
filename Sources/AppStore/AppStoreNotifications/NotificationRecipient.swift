package import ExternalPurchaseCore

/// The apps and environments that an address receives notifications for (NT-35, NT-36).
package struct NotificationRecipient: Hashable, Sendable {
    /// An app of the recipient.
    package struct App: Hashable, Sendable {
        /// Its bundle id.
        package var bundleId: BundleId
        /// Its App Store id; nil is not compared.
        package var appAppleId: Int64?

        /// An app.
        ///
        /// - Parameters:
        ///   - bundleId: its bundle id.
        ///   - appAppleId: its App Store id, which is compared in production; nil is not compared.
        package init(bundleId: BundleId, appAppleId: Int64?) {
            self.bundleId = bundleId
            self.appAppleId = appAppleId
        }
    }

    /// The apps; nil takes notifications about any app.
    package var apps: [App]?
    /// The environments.
    package var environments: Set<AppStoreEnvironment>

    /// A recipient.
    ///
    /// - Parameters:
    ///   - apps: its apps; nil takes notifications about any app.
    ///   - environments: its environments.
    package init(apps: [App]?, environments: Set<AppStoreEnvironment> = [.sandbox, .production]) {
        self.apps = apps
        self.environments = environments
    }

    /// The step of NT-35 and NT-36 that a genuine notification does not meet, nil when it is for this recipient.
    ///
    /// What a notification does not name is not compared: types other than ours may come without data, and a `TEST`
    /// needs its bundle id only (NT-42).
    package func mismatch(_ payload: NotificationPayload) -> NotificationFailure? {
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
