package import ExternalPurchaseCore
import Ledger
package import ReportPlanning

extension MerchantSide {
    /// The exports of an app and a month (OB-61, OB-80).
    ///
    /// - Parameters:
    ///   - month: the month's name, `2026-10`.
    ///   - bundleId: the app, nil for the only one.
    ///   - programme: the programme's id, nil for all of the app that are in force for the month.
    ///   - environment: whose sales count.
    /// - Throws: ``RequestError``: ``RequestError/invalid(_:)`` for an app that is left open, and for a wrong choice.
    package func export(
        month: String,
        of bundleId: BundleId? = nil,
        programme: String? = nil,
        environment: AppStoreEnvironment = .production
    ) async throws(RequestError) -> MonthExports {
        let (app, ids) = try choices(month: month, of: bundleId, programme: programme)
        let export = LedgerExport(rules: due.rules, settings: settings, environment: environment)
        let now = now
        let result = try await longRead { ledger throws(LedgerError) in
            try export.month(month, programmes: ids, of: app, now: now, in: ledger)
        }
        switch result {
        case .success(let exports): return exports
        // The month is known, so what is left to refuse is the programme.
        case .failure(let refusal): throw .invalid([FieldError("?programme", refusal.message)])
        }
    }

    /// The app and programme of a month, as far as they were named.
    ///
    /// - Parameters:
    ///   - month: the month's name.
    ///   - bundleId: the app, nil for the only one.
    ///   - programme: the programme's id, nil for the only one in force.
    ///   - place: how the place of `bundleId` and `programme` is written in a fault.
    ///   - monthAt: how the place of the month is.
    func choice(
        month: String,
        of bundleId: BundleId?,
        programme: String?,
        place: String = "?",
        monthAt: String = "the path"
    ) throws(RequestError) -> (app: BundleId, programme: String) {
        let (app, ids) = try choices(
            month: month,
            of: bundleId,
            programme: programme,
            place: place,
            monthAt: monthAt
        )
        do throws(ExportRefusal) {
            return (app, try ExportChoice.only(of: ids, month: month))
        } catch {
            throw .invalid([FieldError("\(place)programme", error.message)])
        }
    }

    private func choices(
        month: String,
        of bundleId: BundleId?,
        programme: String?,
        place: String = "?",
        monthAt: String = "the path"
    ) throws(RequestError) -> (app: BundleId, programmes: [String]) {
        let choice = ExportChoice(rules: due.rules, apps: Array(apps.keys))
        do throws(ExportRefusal) {
            try choice.check(month: month)
        } catch {
            throw .invalid([FieldError(monthAt, error.message)])
        }
        let app: BundleId
        do throws(ExportRefusal) {
            app = try choice.app(named: bundleId)
        } catch {
            throw .invalid([FieldError("\(place)bundleId", error.message)])
        }
        do throws(ExportRefusal) {
            return (app, try choice.programmes(named: programme, of: app, month: month))
        } catch {
            throw .invalid([FieldError("\(place)programme", error.message)])
        }
    }
}
