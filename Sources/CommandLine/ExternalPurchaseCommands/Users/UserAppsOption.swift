import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

/// The option `--app` of commands that say what a user may do.
struct UserAppsOption: ParsableArguments {
    @Option(
        name: .customLong("app"),
        help: "The only app that the user sees; repeatable. Left out, the apps stay; all: every app."
    )
    var apps: [String] = []

    /// The apps that the user sees from now on; nil if they stay.
    func stated() throws(CommandFailure) -> StoredUser.Apps? {
        if apps.isEmpty { return nil }
        if apps == ["all"] { return .all }
        for app in apps where !KeyCommand.isBundleId(app) || app == "all" || app.hasSecretMark {
            throw .input("--app: is no bundle id such as com.example.shop, nor all alone")
        }
        return .only(Set(apps.map { BundleId($0) }))
    }
}

extension StoredUser {
    /// The apps of the user as people read them.
    var appsText: String {
        apps.map { $0.map(\.rawValue).sorted().joined(separator: ", ") } ?? "all apps"
    }
}
