extension Duration {
    /// A number of days of 86,400 seconds (RR-9).
    package static func days(_ count: some BinaryInteger) -> Duration { .seconds(86_400) * count }

    /// A number of hours.
    package static func hours(_ count: some BinaryInteger) -> Duration { .seconds(3_600) * count }

    /// A number of minutes.
    package static func minutes(_ count: some BinaryInteger) -> Duration { .seconds(60) * count }

    /// The duration in milliseconds, rounded toward zero and clamped to 64 bits.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !overflow, !isTooLong else { return seconds < 0 ? .min : .max }
        return sum
    }

    /// The duration in seconds, exact to the millisecond.
    package var inSeconds: Double { Double(wholeMilliseconds) / 1_000 }

    /// The duration in days of 86,400 seconds, rounded toward zero.
    package var wholeDays: Int64 { components.seconds / 86_400 }

    /// The opposite duration.
    package static prefix func - (duration: Duration) -> Duration { .zero - duration }
}
