import ExternalPurchaseCore

/// The emulator's clock.
///
/// It follows the machine's clock until a client sets or advances it; then it is fixed or runs at a rate (NT-100).
struct EmulatorClock: Hashable, Sendable {
    /// A virtual time and the machine's time at which it was set.
    private struct Anchor: Hashable, Sendable {
        var time: Timestamp
        var machine: Timestamp
    }

    /// The virtual time; nil while the clock follows the machine's.
    private var virtual: Anchor?
    /// Virtual seconds per second of the machine; 0 for a fixed clock.
    private(set) var rate: Int64
    /// The moment of the newest recorded event.
    ///
    /// The clock cannot be set to an earlier time (NT-102).
    private(set) var newestEvent: Timestamp?

    /// The last millisecond of the year 9999, which is the latest time that dates can express (TK-15).
    static let end = Timestamp(milliseconds: 253_402_300_799_999)

    init(startingAt virtual: Timestamp?, machine: Timestamp, rate: Int64 = 0) {
        self.virtual = virtual.map { Anchor(time: $0, machine: machine) }
        self.rate = rate
    }

    var isVirtual: Bool { virtual != nil }

    /// True when time passes without a client's request.
    var isRunning: Bool { virtual == nil || rate > 0 }

    func now(machine: Timestamp) -> Timestamp {
        guard let virtual else { return machine }
        guard rate > 0 else { return virtual.time }
        let passed = max(.zero, virtual.machine.duration(to: machine)).wholeMilliseconds
        let (distance, overflow) = passed.multipliedReportingOverflow(by: rate)
        return min(virtual.time.advanced(by: .milliseconds(overflow ? .max : distance)), Self.end)
    }

    /// Returns the machine's time until a moment, 0 for a past one; nil when the clock is fixed.
    func wait(until moment: Timestamp, machine: Timestamp) -> Duration? {
        guard isRunning else { return nil }
        let rest = max(.zero, now(machine: machine).duration(to: moment))
        guard virtual != nil else { return rest }
        let milliseconds = rest.wholeMilliseconds
        return .milliseconds(milliseconds / rate + (milliseconds % rate == 0 ? 0 : 1))
    }

    /// Records that an event happened now.
    mutating func recordEvent(machine: Timestamp) {
        newestEvent = max(newestEvent ?? now(machine: machine), now(machine: machine))
    }

    mutating func restore(newestEvent: Timestamp?) { self.newestEvent = newestEvent }

    mutating func setRate(_ rate: Int64, machine: Timestamp) {
        if virtual != nil { virtual = Anchor(time: now(machine: machine), machine: machine) }
        self.rate = rate
    }

    /// Sets the clock to a moment.
    ///
    /// It is fixed there or continues at its rate.
    mutating func set(to moment: Timestamp, machine: Timestamp) throws(EmulatorInputError) {
        try check(moment)
        virtual = Anchor(time: moment, machine: machine)
    }

    /// Returns the moment that many seconds ahead.
    func ahead(seconds: Int64, machine: Timestamp) throws(EmulatorInputError) -> Timestamp {
        guard seconds >= 0 else {
            throw EmulatorInputError(
                "clock-backwards",
                field: "seconds",
                "seconds is negative; the clock advances by 0 or more seconds"
            )
        }
        let moment = now(machine: machine).advanced(by: .seconds(seconds))
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
