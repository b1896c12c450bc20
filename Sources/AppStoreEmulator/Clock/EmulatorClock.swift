import ExternalPurchaseCore

/// The emulator's clock: follows the machine until a client sets or advances it, then stands still (NT-100).
struct EmulatorClock: Hashable, Sendable {
    /// The virtual time; nil while the clock follows the machine's.
    private var virtual: Timestamp?
    /// The moment of the newest event on record, behind which the clock never goes (NT-102).
    private var newestEvent: Timestamp?

    /// The last millisecond of the year 9999, the end of what dates can say (TK-15).
    static let end = Timestamp(milliseconds: 253_402_300_799_999)

    init(startingAt virtual: Timestamp?) {
        self.virtual = virtual
    }

    var isVirtual: Bool { virtual != nil }

    func now(machine: Timestamp) -> Timestamp { virtual ?? machine }

    /// Notes that something happened now.
    mutating func recordEvent(machine: Timestamp) {
        newestEvent = max(newestEvent ?? now(machine: machine), now(machine: machine))
    }

    /// Goes to a moment and stands still there.
    mutating func set(to moment: Timestamp) throws(EmulatorInputError) {
        try check(moment)
        virtual = moment
    }

    mutating func advance(seconds: Int64, machine: Timestamp) throws(EmulatorInputError) {
        guard seconds >= 0 else {
            throw EmulatorInputError(
                "clock-backwards",
                field: "seconds",
                "seconds is negative; the clock advances by 0 or more seconds"
            )
        }
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        try set(to: now(machine: machine).advanced(byMilliseconds: overflow ? .max : milliseconds))
    }

    mutating func followMachine(machine: Timestamp) throws(EmulatorInputError) {
        try check(machine)
        virtual = nil
    }

    private func check(_ moment: Timestamp) throws(EmulatorInputError) {
        guard (0...Self.end.milliseconds).contains(moment.milliseconds) else {
            throw EmulatorInputError(
                "clock-out-of-range",
                field: "now",
                "the clock runs from 1970-01-01T00:00:00Z to \(Self.end)"
            )
        }
        if let newestEvent, moment < newestEvent {
            throw EmulatorInputError(
                "clock-backwards",
                field: "now",
                "\(moment) is before the newest recorded event, \(newestEvent); POST /emulator/v1/reset forgets it"
            )
        }
    }
}
