package import ExternalPurchaseCore
import Foundation

/// The limits for the clients of a server: times, sizes and the number of connections.
package struct HTTPLimits: Hashable, Sendable {
    /// The maximum time from the first byte of a request head to its last.
    ///
    /// For the first request of a connection it starts when the connection opens and includes the TLS handshake.
    var head = Duration.seconds(10)
    /// The maximum time without a byte of a body while the server reads it.
    var body = Duration.seconds(30)
    /// The maximum time from the end of a request head to the end of its body, while the server reads it.
    ///
    /// Otherwise a byte now and then would hold a connection for as long as a client likes.
    var wholeBody = Duration.seconds(60)
    /// The maximum time between a response and the next request on the same connection.
    var idle = Duration.seconds(60)
    /// The maximum time in which a client receives nothing of a response.
    var write = Duration.seconds(30)
    /// The maximum size of the header fields of a request in bytes.
    var headerBytes = 16_384
    /// The maximum length of the target of a request, its path with query, in bytes.
    var targetBytes = 16_384
    /// The maximum number of open connections.
    ///
    /// Further connections wait to be accepted.
    ///
    /// A few more may be open, because connections are accepted in groups.
    package var connections: Int = Self.standardConnections
    /// The maximum number of open connections of an address (``IPAddress/group``); nil sets no limit.
    ///
    /// Further ones are closed at once.
    package var connectionsPerAddress: Int?
    /// The maximum time for which connections stay open after the server begins to stop.
    package var shutdown = Duration.seconds(10)

    /// Creates the default limits.
    package init() {}

    /// The number of descriptors reserved for files, outgoing connections and the standard streams.
    private static let reservedDescriptors = 128

    /// 1,024, or fewer if the process's descriptor limit does not allow that many; at least 16.
    static let standardConnections = defaultConnections(listeners: 1)

    /// The default number of connections of each listener of a process.
    package static func defaultConnections(listeners: Int) -> Int {
        max(16, min(1_024, (descriptors - reservedDescriptors) / listeners))
    }

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
    package static let names = durations.map(\.name) + sizes.map(\.name) + [connectionsName, perAddressName]

    /// The name of the setting of ``connections``.
    package static let connectionsName = "http.maxConnections"
    /// The name of the setting of ``connectionsPerAddress``.
    static let perAddressName = "http.maxConnectionsPerAddress"

    private typealias Path = WritableKeyPath<HTTPLimits, Duration> & Sendable
    private typealias SizePath = WritableKeyPath<HTTPLimits, Int> & Sendable
    private static let durations: [(name: String, path: any Path)] = [
        ("http.headTimeout", \.head), ("http.bodyTimeout", \.body), ("http.wholeBodyTimeout", \.wholeBody),
        ("http.idleTimeout", \.idle),
        ("http.writeTimeout", \.write), ("http.shutdownTimeout", \.shutdown),
    ]
    private static let sizes: [(name: String, path: any SizePath)] = [
        ("http.maxHeaderSize", \.headerBytes), ("http.maxTargetSize", \.targetBytes),
    ]
    /// 1 KiB, which fits every request that the server needs, to 1 MiB.
    private static let sizeRange = 1_024...1_048_576
    private static let longest = Duration.days(1)
    private static let connectionRange = 1...1_000_000

    /// Sets a limit by its name, such as `http.headTimeout` to `10s`.
    ///
    /// - Throws: ``SettingError`` for a name that is not one of ``names``, and for a value that the setting does not
    ///   accept.
    package mutating func set(_ name: String, to text: String) throws(SettingError) {
        if name == Self.connectionsName {
            guard text.utf8.allSatisfy(\.isDigit), let count = Int(text), Self.connectionRange.contains(count) else {
                throw .unknownValue(name: name, value: text, expected: "a whole number from 1 to 1000000")
            }
            connections = count
            return
        }
        if name == Self.perAddressName {
            let count = text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
            guard text == "off" || count.map(Self.connectionRange.contains) == true else {
                throw .unknownValue(name: name, value: text, expected: "a whole number from 1 to 1000000, or off")
            }
            connectionsPerAddress = count
            return
        }
        if let path = Self.sizes.first(where: { $0.name == name })?.path {
            guard text.utf8.allSatisfy(\.isDigit), let size = Int(text), Self.sizeRange.contains(size) else {
                throw .unknownValue(name: name, value: text, expected: "a number of bytes from 1024 to 1048576")
            }
            self[keyPath: path] = size
            return
        }
        guard let path = Self.durations.first(where: { $0.name == name })?.path else { throw .unknownName(name) }
        let value = try SettingText.duration(text, of: name)
        guard (.milliseconds(1)...Self.longest).contains(value) else {
            throw .unknownValue(name: name, value: text, expected: "a duration from 1ms to 24h")
        }
        self[keyPath: path] = value
    }

    /// Returns the current value of a limit, or nil for a name that is not one of ``names``.
    package func text(of name: String) -> String? {
        if name == Self.connectionsName { return String(connections) }
        if name == Self.perAddressName { return connectionsPerAddress.map { String($0) } ?? "off" }
        if let path = Self.sizes.first(where: { $0.name == name })?.path { return String(self[keyPath: path]) }
        return Self.durations.first { $0.name == name }.map { SettingText.text(of: self[keyPath: $0.path]) }
    }
}
