import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

/// Lines of the start about what a configuration leaves out.
enum StartNotes {
    /// The deadline that holds for an app without `programmes` (OB-11, OB-12); nil for an app that names them.
    ///
    /// A plain token of a Dutch sale is the example, because most programmes fit it.
    static func programmes(
        of app: ServeConfiguration.App,
        by rules: DeadlineRules,
        at now: Timestamp
    ) -> String? {
        guard app.programmes.isEmpty else { return nil }
        let origin = ObligationOrigin(taxCountries: ["NLD"], token: .type(nil))
        let example = rules.programme(for: origin, at: now).map { programme in
            let days = programme.deadlineDays.map { " (\($0) days after the end of \(calendar(of: programme)))" } ?? ""
            return ", for a sale in the Netherlands on a plain token that of \(programme.id)\(days)"
        }
        return
            "\(app.bundleId): no programmes are configured: the earliest deadline of all that fit holds\(example ?? ""); "
            + "apps: [{programmes: […]}] names those of your terms"
    }

    private static func calendar(of programme: ReportingProgramme) -> String {
        programme.calendar == .appleFiscalMonth ? "Apple's fiscal month" : "the month"
    }

    /// The valid keys that are restricted to an app which the configuration does not name.
    static func keys(_ keys: [StoredAPIKey], apps: [BundleId]) -> [String] {
        let now = Timestamp(Date())
        return keys.compactMap { key in
            guard let app = key.bundleId, !apps.contains(app), key.state(at: now) == .valid else { return nil }
            return "\(key.keyId): gives access to \(app) only, which is none of the apps here; it opens nothing"
        }
    }

    /// What cannot be fetched without an API key of Stripe; nil with one.
    static func apiKey(of stripe: ServeConfiguration.Stripe) -> String? {
        guard stripe.apiKeyFile == nil else { return nil }
        let account = stripe.account.map { ", account \($0)" } ?? ""
        return
            "stripe (\(stripe.bundleId)\(account)): no apiKeyFile: what an event leaves out is not fetched, so that an "
            + "event without its line items, such as every real one of Checkout, is held; `stripe replay` leaves the "
            + "entry out"
    }
}
