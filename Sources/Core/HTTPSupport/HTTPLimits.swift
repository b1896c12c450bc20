package import ExternalPurchaseCore
import Foundation

/// How long a server waits for its clients, and how many connections it keeps at once.
package struct HTTPLimits: Hashable, Sendable {
    /// The longest time in ms from the first byte of a request's head to its last; for the first request of a connection
    /// it begins when the connection is open, the handshake of TLS included.
    package var head: Int64 = 10_000
    /// The longest time in ms without a byte of a body that the server is ready to read.
    package var body: Int64 = 30_000
    /// The longest time in ms between an answer and the next request of the same connection.
    package var idle: Int64 = 60_000
    /// The longest time in ms in which a client takes nothing of an answer.
    package var write: Int64 = 30_000
    /// The most connections at once; further ones wait to be accepted.
    ///
    /// A few more than that may be open, because they are accepted in groups.
    package var connections: Int = Self.standardConnections
    /// The longest time in ms that connections stay open once the server stops.
    package var shutdown: Int64 = 10_000

    /// The defaults.
    package init() {}

    /// Descriptors that stay free for files, outgoing connections and the standard streams.
    private static let reservedDescriptors = 128

    /// 1,024, or what the process's limit of descriptors leaves if that is less; at least 16.
    package static let standardConnections = max(16, min(1_024, descriptors - reservedDescriptors))

    /// The process's soft limit of open descriptors (`RLIMIT_NOFILE`).
    private static var descriptors: Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return status == 0 ? Int(clamping: limit.rlim_cur) : 1_024
    }
}

// The limits as named settings.
extension HTTPLimits {
    /// The names of the settings.
    package static let names = durations.map(\.name) + [connectionsName]

    private static let connectionsName = "http.maxConnections"
    private typealias Path = WritableKeyPath<HTTPLimits, Int64> & Sendable
    private static let durations: [(name: String, path: any Path)] = [
        ("http.headTimeout", \.head), ("http.bodyTimeout", \.body), ("http.idleTimeout", \.idle),
        ("http.writeTimeout", \.write), ("http.shutdownTimeout", \.shutdown),
    ]
    private static let longest = Timestamp.day
    private static let connectionRange = 1...1_000_000

    /// Sets a limit by its name, `http.headTimeout` to `10s`.
    ///
    /// - Throws: ``SettingError`` for a name that is none of ``names``, and for a value that the setting cannot have.
    package mutating func set(_ name: String, to text: String) throws(SettingError) {
        if name == Self.connectionsName {
            guard text.utf8.allSatisfy(\.isDigit), let count = Int(text), Self.connectionRange.contains(count) else {
                throw .unknownValue(name: name, value: text, expected: "a whole number from 1 to 1000000")
            }
            connections = count
            return
        }
        guard let path = Self.durations.first(where: { $0.name == name })?.path else { throw .unknownName(name) }
        let value = try SettingText.duration(text, of: name)
        guard (1...Self.longest).contains(value) else {
            throw .unknownValue(name: name, value: text, expected: "a duration from 1ms to 24h")
        }
        self[keyPath: path] = value
    }

    /// The present value of a limit; nil for a name that is none of ``names``.
    package func text(of name: String) -> String? {
        if name == Self.connectionsName { return String(connections) }
        return Self.durations.first { $0.name == name }.map { SettingText.text(ofDuration: self[keyPath: $0.path]) }
    }
}
