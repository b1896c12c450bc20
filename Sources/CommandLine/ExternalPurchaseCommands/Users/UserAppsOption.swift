import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

/// The option `--app` of commands that say what a user may do.
struct UserAppsOption: ParsableArguments {
    @Option(
        name: .customLong("app"),
        help:
            "The only app that the user sees; repeatable. Left out, the apps stay, but who is an admin no longer needs it; all: every app."
    )
    var apps: [String] = []

    /// The apps that the user sees from now on; nil if they stay.
    func stated() throws(CommandFailure) -> StoredUser.Apps? {
        if apps.isEmpty { return nil }
        if apps == ["all"] { return .all }
        for app in apps where BundleId.fault(in: app) != nil || app == "all" || app.hasSecretMark {
            throw .input("--app: is no bundle id such as com.example.shop, nor all alone")
        }
        return .only(Set(apps.map { BundleId($0) }))
    }

    /// Says on standard error which of the apps may be misspelt.
    ///
    /// - Parameter unknown: the apps of which the ledger has no record.
    static func warn(about unknown: [BundleId]) {
        for app in unknown {
            StandardStreams.error(
                "--app \(app): the ledger has no token and no sale of this app. An app that the server's configuration "
                    + "does not name shows nothing"
            )
        }
    }
}

extension LedgerQueries {
    /// Returns the apps of a statement of which nothing is stored.
    func appsWithoutRecords(_ apps: StoredUser.Apps?) throws(LedgerError) -> [BundleId] {
        guard case .only(let apps)? = apps else { return [] }
        var unknown: [BundleId] = []
        for app in apps.sorted() where try !hasRecords(of: app) { unknown.append(app) }
        return unknown
    }
}

extension StoredUser {
    /// The apps of the user as people read them.
    var appsText: String {
        apps.map { $0.map(\.rawValue).sorted().joined(separator: ", ") } ?? "all apps"
    }
}
