/// What a ``TokenOutbox`` holds.
public struct TokenOutboxStatus: Hashable, Sendable {
    /// Tokens on disk that the server does not have yet.
    public internal(set) var pending = 0
    /// Tokens in memory only, because the disk refused them.
    ///
    /// They are lost if the app ends before the server or the disk takes them.
    public internal(set) var unstored = 0
    /// Tokens that the server refused, by name, with its reasons.
    public internal(set) var refused: [TokenName: String] = [:]
    /// Files that were set aside because they could not be understood.
    public internal(set) var unreadable = 0
    /// Files that the system did not let the app read, such as before the first unlock of the device.
    public internal(set) var unreachable = 0
    /// Requests of an earlier run of the app that did not end: StoreKit may have made a token that the app never got.
    ///
    /// Apple's notification of an unreported token names it to the server.
    public internal(set) var interruptedRequests = 0
    /// The bytes of the tokens that are pending, refused or unstored.
    public internal(set) var size = 0
    /// Whether a limit is reached.
    ///
    /// No flow that makes a token begins; tokens that arrive are kept nevertheless.
    public internal(set) var isFull = false
    /// Attempts without success since the last one that succeeded.
    public internal(set) var failures = 0
    /// Why the last attempt did not succeed; nil after a success.
    public internal(set) var lastFailure: String?
    /// Why the disk was last not usable; nil after a success.
    public internal(set) var storageFailure: StorageFailure?

    /// Creates the status of an empty outbox.
    public init() {}
}

extension TokenOutbox {
    /// The limits and times of an outbox.
    public struct Settings: Hashable, Sendable {
        /// How many tokens the outbox holds before flows that make tokens stop.
        public var largestCount = 1_000
        /// How many bytes of tokens the outbox holds before flows that make tokens stop.
        public var largestSize = 4_194_304
        /// The wait after the first attempt without success; it doubles with each further one.
        public var firstWait = Duration.seconds(5)
        /// The longest wait between attempts.
        ///
        /// `Retry-After` may ask for up to a day.
        public var longestWait = Duration.seconds(3_600)
        /// When a token that the server has is sent once more, if StoreKit returns it again.
        ///
        /// A server that was restored from a backup receives it again this way.
        public var confirmationInterval = Duration.seconds(7 * 86_400)

        /// Creates settings with the default values.
        public init() {}
    }

    /// Where a token is.
    public enum Location: Hashable, Sendable {
        /// On disk, until the server has it.
        case stored
        /// At the server.
        case delivered
        /// In memory only: the disk refused it, and the server could not be reached.
        case inMemory(StorageFailure)

        /// Whether the token outlives the process.
        public var isSafe: Bool {
            if case .inMemory = self { false } else { true }
        }
    }
}
