public import ExternalPurchaseCore
import ServiceLifecycle
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where an emulator listens and what it knows at the start.
public struct EmulatorConfiguration: Sendable {
    /// The host name or address to listen on.
    ///
    /// Control paths answer only requests that name a loopback address, this host or one of ``allowedHosts``, so that no web
    /// page drives them.
    public var host: String
    /// Further names or addresses that requests to control paths may name as their `Host`, without a port.
    public var allowedHosts: [String]
    /// The port to listen on; 0 takes a free one.
    public var port: Int
    /// The one environment to play, as each of Apple's hosts does; nil plays both (SA-91).
    public var environment: AppStoreEnvironment?
    /// The apps to register at the start, in this order.
    public var apps: [AppRegistration]
    /// The virtual time to start at; nil follows the machine's clock until a client sets or advances it.
    public var now: Timestamp?
    /// The named settings at the start, to which a reset returns.
    public var settings: EmulatorSettings

    /// A SQLite file in which the state is kept, made when it is not there; nil keeps it in memory.
    ///
    /// At a restart the settings, the clock and the apps given here come before those in the file.
    public var stateFile: String?
    /// With what it proves itself to clients over TLS; nil answers plain HTTP.
    public var tls: TLSFiles?

    /// A configuration.
    ///
    /// - Parameters:
    ///   - host: the host name or address to listen on.
    ///   - port: the port; 0 takes a free one.
    ///   - environment: the one environment to play; nil plays both.
    ///   - apps: the apps to register at the start.
    ///   - now: the virtual time to start at; nil follows the machine's clock.
    ///   - settings: the named settings at the start.
    ///   - stateFile: where the state is kept.
    ///   - tls: the certificate and key to answer HTTPS with; nil answers plain HTTP.
    ///   - allowedHosts: further names under which control paths may be called.
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

/// Where an emulator takes time and randomness from.
public struct EmulatorDependencies: Sendable {
    /// The machine's clock, by which JWTs are checked (SA-16).
    public var now: @Sendable () -> Timestamp
    /// That many random bytes, from which ids and keys are made.
    public var randomBytes: @Sendable (Int) -> [UInt8]
    /// How faults take their time; the machine's clock unless a simulation has one of its own.
    package var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Makes a signed payload without a signature, for simulations that would spend most of their time on signing.
    package var seal: (@Sendable (_ payload: [UInt8]) -> String)?
    /// Takes notifications to an address and returns the status of the answer, nil without one; over HTTP unless a
    /// simulation receives them in the same process.
    package var deliver: (@Sendable (_ body: [UInt8], _ address: String) async -> Int?)?

    /// Sources.
    ///
    /// - Parameters:
    ///   - now: the machine's clock.
    ///   - randomBytes: that many random bytes.
    public init(
        now: @escaping @Sendable () -> Timestamp,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.now = now
        self.randomBytes = randomBytes
    }

    /// Waits as ``wait`` does, but no longer than the server runs.
    ///
    /// - Returns: false when the server stops first.
    func waited(_ duration: Duration) async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await wait(duration) }
            return true
        } catch {
            return false
        }
    }

    /// The machine's own clock and randomness.
    public static let live = EmulatorDependencies(
        now: { Timestamp(Date()) },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    )
}

extension EmulatorDependencies {
    /// The machine's own clock and bytes that are the same for the same seed, so that ids and keys repeat.
    ///
    /// - Parameter seed: any number; never use it outside of tests, because keys made from it can be guessed.
    public static func seeded(_ seed: UInt64) -> EmulatorDependencies {
        let generator = Mutex(SeededBytes(seed: seed))
        return EmulatorDependencies(
            now: live.now,
            randomBytes: { count in generator.withLock { generator in (0..<count).map { _ in generator.next() } } }
        )
    }

    /// The numbers of a seed, byte by byte.
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

    /// A random UUID as App Store Connect writes them.
    func uuidText() -> String { uuid().uuidString.lowercased() }
}
