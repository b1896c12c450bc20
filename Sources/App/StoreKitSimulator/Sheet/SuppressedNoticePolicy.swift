/// What `showNotice` does in the EU after the customer turned off reminders (SK-67, D9).
public enum SuppressedNoticePolicy: String, Hashable, Sendable, CaseIterable {
    /// Returns `continued` without a sheet.
    case `continue`
    /// Shows the sheet nevertheless.
    case show
}
