import ExternalPurchaseCore

/// The times of a customer's events that open commission windows.
struct CustomerEvents: Hashable, Sendable {
    /// The times by event, in ascending order.
    private var moments: [ReportingProgramme.Event: [Timestamp]] = [:]

    /// Creates the events of a customer.
    ///
    /// - Parameters:
    ///   - taps: the visits of landing addresses (OB-31).
    ///   - acquisitionTokens: creation dates of the customer's `ACQUISITION` tokens, of which the first represents the
    ///     first install (OB-34).
    ///   - servicesTokens: creation dates of the customer's `SERVICES` tokens, of which the newest represents the
    ///     latest install, update or reinstall (OB-34).
    init(
        taps: [Timestamp] = [],
        acquisitionTokens: [Timestamp] = [],
        servicesTokens: [Timestamp] = []
    ) {
        moments[.linkTap] = taps.sorted()
        moments[.firstInstall] = acquisitionTokens.min().map { [$0] } ?? []
        moments[.latestInstallUpdateOrReinstall] = servicesTokens.sorted()
    }

    /// The newest time of an event up to the given moment; nil if there is none.
    func newest(_ event: ReportingProgramme.Event, upTo moment: Timestamp) -> Timestamp? {
        let all = moments[event] ?? []
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle] <= moment { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : all[low - 1]
    }

    /// The first time of an event after the given moment; nil if there is none.
    func first(_ event: ReportingProgramme.Event, after moment: Timestamp) -> Timestamp? {
        moments[event]?.first { $0 > moment }
    }
}
