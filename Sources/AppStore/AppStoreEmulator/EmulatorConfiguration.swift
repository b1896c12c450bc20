public import ExternalPurchaseCore
import ServiceLifecycle
import Synchronization

/// The address and the initial state of an emulator.
public struct EmulatorConfiguration: Sendable {
    /// The host name or address to listen on.
    ///
    /// Control paths accept only requests whose `Host` is a loopback address, this host or one of ``allowedHosts``, so
    /// that web pages cannot use them.
    public var host: String
    /// Further names or addresses, without a port, that control paths accept as `Host`.
    public var allowedHosts: [String]
    /// The port to listen on; 0 selects a free one.
    public var port: Int
    /// The only environment to serve, as each of Apple's hosts does; nil serves both (SA-91).
    public var environment: AppStoreEnvironment?
    /// The apps to register at the start, in this order.
    public var apps: [AppRegistration]
    /// The virtual time to start at; nil follows the machine's clock until a client sets or advances it.
    public var now: Timestamp?
    /// The named settings at the start.
    ///
    /// A reset restores them.
    public var settings: EmulatorSettings

    /// A SQLite file that stores the state, created if necessary; nil holds the state in memory only.
    ///
    /// After a restart the settings, clock and apps of this configuration take precedence over those in the file.
    public var stateFile: String?
    /// The certificate and key for TLS; nil serves plain HTTP.
    public var tls: TLSFiles?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - host: the host name or address to listen on.
    ///   - port: the port; 0 selects a free one.
    ///   - environment: the only environment to serve; nil serves both.
    ///   - apps: the apps to register at the start.
    ///   - now: the virtual time to start at; nil follows the machine's clock.
    ///   - settings: the named settings at the start.
    ///   - stateFile: the path of the state file; nil for none.
    ///   - tls: the certificate and key for HTTPS; nil serves plain HTTP.
    ///   - allowedHosts: further names that control paths accept as `Host`.
    public init(
        host: String = "127.0.0.1",
        port: Int = 8801,
        environment: AppStoreEnvironment? = nil,
        apps: [AppRegistration] = [],
        now: Timestamp? = nil,
        settings: EmulatorSettings = EmulatorSettings(),
        stateFile: String? = nil,
        tls: TLSFiles? = nil,
        allowedHosts: [String] = []
    ) {
        self.host = host
        self.port = port
        self.environment = environment
        self.apps = apps
        self.now = now
        self.settings = settings
        self.stateFile = stateFile
        self.tls = tls
        self.allowedHosts = allowedHosts
    }
}

/// The sources of time and randomness of an emulator.
public struct EmulatorDependencies: Sendable {
    /// The machine's clock.
    ///
    /// JWTs are checked against it (SA-16).
    public var now: @Sendable () -> Timestamp
    /// Returns that many random bytes.
    ///
    /// Ids and keys are made from them.
    public var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits for the duration of a fault.
    ///
    /// The default uses the machine's clock; a simulation supplies its own.
    package var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Makes a signed payload without a signature, for simulations that would spend most of their time on signing.
    package var seal: (@Sendable (_ payload: [UInt8]) -> String)?
    /// Delivers a notification to a URL and returns the status of the response, or nil without one.
    ///
    /// The default uses HTTP; a simulation receives notifications in the same process.
    package var deliver: (@Sendable (_ body: [UInt8], _ address: String) async -> Int?)?

    /// Creates dependencies.
    ///
    /// - Parameters:
    ///   - now: the machine's clock.
    ///   - randomBytes: returns that many random bytes.
    public init(
        now: @escaping @Sendable () -> Timestamp,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.now = now
        self.randomBytes = randomBytes
    }

    /// Waits as ``wait`` does, but stops when the server shuts down.
    ///
    /// - Returns: false when the server shuts down first.
    func waited(_ duration: Duration) async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await wait(duration) }
            return true
        } catch {
            return false
        }
    }

    /// The machine's clock and the system's randomness.
    public static let live = EmulatorDependencies(
        now: { Timestamp(Date()) },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    )
}

extension EmulatorDependencies {
    /// The machine's clock, and bytes that depend only on a seed, so that ids and keys repeat.
    ///
    /// - Parameter seed: any number. Use it only in tests, because keys made from it can be guessed.
    public static func seeded(_ seed: UInt64) -> EmulatorDependencies {
        let generator = Mutex(SeededBytes(seed: seed))
        return EmulatorDependencies(
            now: live.now,
            randomBytes: { count in generator.withLock { generator in (0..<count).map { _ in generator.next() } } }
        )
    }

    /// The numbers of a seeded generator, byte by byte.
    private struct SeededBytes {
        private var numbers: SplitMix64
        private var rest: UInt64 = 0
        private var left = 0

        init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

        mutating func next() -> UInt8 {
            if left == 0 {
                rest = numbers.next()
                left = 8
            }
            defer {
                rest >>= 8
                left -= 1
            }
            return UInt8(truncatingIfNeeded: rest)
        }
    }

    /// A random UUID of version 4.
    func uuid() -> UUID {
        var bytes = randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }

    /// A random UUID in the spelling of App Store Connect.
    func uuidText() -> String { uuid().uuidString.lowercased() }
}
