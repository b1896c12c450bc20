package import ExternalPurchaseCore

/// When a customer did what windows are counted from.
package struct CustomerEvents: Hashable, Sendable {
    /// By event, in order of time.
    private var moments: [ReportingProgramme.Event: [Timestamp]] = [:]

    /// Events of a customer.
    ///
    /// - Parameters:
    ///   - taps: the taps on links out of the app, as the landing redirect recorded them (OB-31).
    ///   - acquisitionTokens: creation dates of the customer's `ACQUISITION` tokens, the first of which stands for the
    ///     first install (OB-34).
    ///   - servicesTokens: creation dates of the customer's `SERVICES` tokens, the newest of which stands for the
    ///     latest install, update or reinstall (OB-34).
    package init(
        taps: [Timestamp] = [],
        acquisitionTokens: [Timestamp] = [],
        servicesTokens: [Timestamp] = []
    ) {
        moments[.linkTap] = taps.sorted()
        moments[.firstInstall] = acquisitionTokens.min().map { [$0] } ?? []
        moments[.latestInstallUpdateOrReinstall] = servicesTokens.sorted()
    }

    /// The newest moment of an event up to another moment, nil when there is none.
    package func newest(_ event: ReportingProgramme.Event, upTo moment: Timestamp) -> Timestamp? {
        let all = moments[event] ?? []
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle] <= moment { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : all[low - 1]
    }

    /// The first moment of an event after another moment, nil when there is none.
    package func first(_ event: ReportingProgramme.Event, after moment: Timestamp) -> Timestamp? {
        moments[event]?.first { $0 > moment }
    }
}
