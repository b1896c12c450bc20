import ExternalPurchaseCore

/// The emulator's clock: follows the machine until a client sets or advances it, then stands still or runs at a rate of
/// its own (NT-100).
struct EmulatorClock: Hashable, Sendable {
    /// A virtual time and the machine's when it was that.
    private struct Anchor: Hashable, Sendable {
        var time: Timestamp
        var machine: Timestamp
    }

    /// Nil while the clock follows the machine's.
    private var virtual: Anchor?
    /// Virtual seconds per second of the machine; 0 stands still.
    private(set) var rate: Int64
    /// The moment of the newest event on record, behind which the clock never goes (NT-102).
    private(set) var newestEvent: Timestamp?

    /// The last millisecond of the year 9999, the end of what dates can say (TK-15).
    static let end = Timestamp(milliseconds: 253_402_300_799_999)

    init(startingAt virtual: Timestamp?, machine: Timestamp, rate: Int64 = 0) {
        self.virtual = virtual.map { Anchor(time: $0, machine: machine) }
        self.rate = rate
    }

    var isVirtual: Bool { virtual != nil }

    /// True when time goes by without a client's doing.
    var isRunning: Bool { virtual == nil || rate > 0 }

    func now(machine: Timestamp) -> Timestamp {
        guard let virtual else { return machine }
        guard rate > 0 else { return virtual.time }
        let passed = max(0, machine.milliseconds - virtual.machine.milliseconds)
        let (distance, overflow) = passed.multipliedReportingOverflow(by: rate)
        return min(virtual.time.advanced(byMilliseconds: overflow ? .max : distance), Self.end)
    }

    /// Milliseconds of the machine until a moment, 0 for one that is past; nil when the clock stands still.
    func wait(until moment: Timestamp, machine: Timestamp) -> Int64? {
        guard isRunning else { return nil }
        let (distance, overflow) = moment.milliseconds.subtractingReportingOverflow(now(machine: machine).milliseconds)
        let rest = max(0, overflow ? .max : distance)
        guard virtual != nil else { return rest }
        return rest / rate + (rest % rate == 0 ? 0 : 1)
    }

    /// Notes that something happened now.
    mutating func recordEvent(machine: Timestamp) {
        newestEvent = max(newestEvent ?? now(machine: machine), now(machine: machine))
    }

    mutating func restore(newestEvent: Timestamp?) { self.newestEvent = newestEvent }

    mutating func setRate(_ rate: Int64, machine: Timestamp) {
        if virtual != nil { virtual = Anchor(time: now(machine: machine), machine: machine) }
        self.rate = rate
    }

    /// Goes to a moment and stands still or runs on from there.
    mutating func set(to moment: Timestamp, machine: Timestamp) throws(EmulatorInputError) {
        try check(moment)
        virtual = Anchor(time: moment, machine: machine)
    }

    /// The moment that many seconds ahead.
    func ahead(seconds: Int64, machine: Timestamp) throws(EmulatorInputError) -> Timestamp {
        guard seconds >= 0 else {
            throw EmulatorInputError(
                "clock-backwards",
                field: "seconds",
                "seconds is negative; the clock advances by 0 or more seconds"
            )
        }
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let moment = now(machine: machine).advanced(byMilliseconds: overflow ? .max : milliseconds)
        try check(moment)
        return moment
    }

    mutating func followMachine(machine: Timestamp) throws(EmulatorInputError) {
        try check(machine)
        virtual = nil
    }

    func check(_ moment: Timestamp) throws(EmulatorInputError) {
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
