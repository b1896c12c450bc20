package import ExternalPurchaseCore
import Ledger

/// The month, app and programme that a request names.
package struct MonthChoice: Hashable, Sendable {
    /// The name of the month, such as `2026-10`.
    let month: String
    /// The app; nil selects the only registered one.
    let bundleId: BundleId?
    /// The identifier of the programme; nil leaves it open.
    let programme: String?

    package init(_ month: String, of bundleId: BundleId? = nil, programme: String? = nil) {
        self.month = month
        self.bundleId = bundleId
        self.programme = programme
    }
}

extension ExportChoice {
    /// Returns the choice which also takes an app that only a ledger has, such as one that was taken out of the configuration.
    func alsoNaming(_ bundleId: BundleId?, of store: any LedgerStore) async throws(RequestError) -> ExportChoice {
        guard let bundleId, !has(bundleId) else { return self }
        return alsoNaming(try await store.shortRead { ledger throws(LedgerError) in try ledger.apps() })
    }

    /// Returns the app and the programmes of a choice.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` at `/month`, `/bundleId` or `/programme`.
    func programmes(of choice: MonthChoice) throws(RequestError) -> (app: BundleId, programmes: [String]) {
        do throws(ExportRefusal) {
            try check(month: choice.month)
        } catch {
            throw .invalid([FieldError("/month", error.message)])
        }
        let app = try app(of: choice.bundleId)
        do throws(ExportRefusal) {
            return (app, try programmes(named: choice.programme, of: app, month: choice.month))
        } catch {
            throw .invalid([FieldError("/programme", error.message)])
        }
    }

    /// Returns the app of a choice and what its export covers.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` at `/month`, `/bundleId` or `/programme`.
    func exported(of choice: MonthChoice) throws(RequestError) -> (app: BundleId, programmes: ExportProgrammes) {
        do throws(ExportRefusal) {
            try check(month: choice.month)
        } catch {
            throw .invalid([FieldError("/month", error.message)])
        }
        let app = try app(of: choice.bundleId)
        do throws(ExportRefusal) {
            return (app, try exported(named: choice.programme, of: app, month: choice.month))
        } catch {
            throw .invalid([FieldError("/programme", error.message)])
        }
    }

    /// Returns the app and the only programme of a choice.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` at `/month`, `/bundleId` or `/programme`.
    func programme(of choice: MonthChoice) throws(RequestError) -> (app: BundleId, programme: String) {
        let (app, ids) = try programmes(of: choice)
        do throws(ExportRefusal) {
            return (app, try Self.only(of: ids, month: choice.month))
        } catch {
            throw .invalid([FieldError("/programme", error.message)])
        }
    }

    /// Returns the named app, or the only registered one.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` at `/bundleId`.
    func app(of bundleId: BundleId?) throws(RequestError) -> BundleId {
        do throws(ExportRefusal) {
            return try app(named: bundleId)
        } catch {
            throw .invalid([FieldError("/bundleId", error.message)])
        }
    }
}
