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

extension HTTPLimits: NamedSettings {
    /// The name of the setting of ``connections``.
    package static let connectionsName = "http.maxConnections"

    /// The settings `http.…`.
    package static let settings: [Setting<HTTPLimits>] = [
        time(
            "http.headTimeout",
            \.head,
            "from the opening of a connection, or the first byte of a later request, to the last byte of the request's head; "
                + "then 408 if a byte came, and the connection ends"
        ),
        time("http.bodyTimeout", \.body, "without a byte of the body; then 408, and the connection ends"),
        time(
            "http.wholeBodyTimeout",
            \.wholeBody,
            "from the end of the head to the end of the body; then 408, and the connection ends"
        ),
        time("http.idleTimeout", \.idle, "between two requests of a connection, which then ends"),
        time(
            "http.writeTimeout",
            \.write,
            "without the client reading anything of an answer; then the connection ends"
        ),
        time(
            "http.shutdownTimeout",
            \.shutdown,
            "for which connections stay open once the server is asked to end; "
                + "then exports and due lists in progress are 503, and the connections end"
        ),
        size(
            "http.maxHeaderSize",
            \.headerBytes,
            "of a request's header fields; above it 431, and the connection ends"
        ),
        size(
            "http.maxTargetSize",
            \.targetBytes,
            "of a request's address with its query; above it 414, and the connection ends"
        ),
        .number(
            connectionsName,
            \.connections,
            1...1_000_000,
            means: "connections of each listener, or fewer by default where the limit of open files leaves fewer; "
                + "more wait until one ends, and the log says so"
        ),
        .number(
            "http.maxConnectionsPerAddress",
            orOff: \.connectionsPerAddress,
            1...1_000_000,
            means: "connections of an address (IPv6: each /64 network) that is no trusted proxy, of each listener; "
                + "a further one is closed at once, and the log says so"
        ),
    ]

    private static func time(
        _ name: String,
        _ path: any Setting<HTTPLimits>.Path<Duration>,
        _ meaning: String
    ) -> Setting<HTTPLimits> {
        .duration(
            name,
            path,
            from: .milliseconds(1),
            through: .days(1),
            "a duration from 1ms to 24h",
            means: "the time \(meaning)"
        )
    }

    /// 1 KiB, which fits every request that the server needs, to 1 MiB.
    private static func size(
        _ name: String,
        _ path: any Setting<HTTPLimits>.Path<Int>,
        _ meaning: String
    ) -> Setting<HTTPLimits> {
        .number(
            name,
            path,
            1_024...1_048_576,
            "a number of bytes from 1024 to 1048576",
            means: "the bytes \(meaning)"
        )
    }
}
