import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Describes network failures for operators, without names of types or libraries.
package enum NetworkFailure {
    /// Returns one clause about an error of an HTTP exchange.
    ///
    /// - Parameters:
    ///   - error: the error of the HTTP client.
    ///   - address: the URL of the request.
    package static func words(_ error: any Error, address: String) -> String {
        let host = host(of: address)
        if let error = error as? IOError { return words(error, host) }
        if let error = error as? HTTPClientError, let words = words(error, host) { return words }
        if error is NIOTooManyBytesError { return "the answer of \(host) is larger than any that is expected" }
        if let error = error as? HTTPParserError {
            if error == .invalidEOFState { return "\(host) closed the connection before the answer was complete" }
            return "\(host) does not answer in HTTP"
        }
        if let error = error as? ChannelError {
            if case .connectTimeout = error { return "no connection to \(host) in time" }
            return "\(host) closed the connection before the answer was complete"
        }
        if error is CancellationError { return "the exchange with \(host) was given up because the program ends" }
        // The error types of the TLS library and of connection attempts to several addresses are not imported, so they
        // are recognised by name.
        let type = String(reflecting: type(of: error))
        if type.contains("SSL") { return "TLS with \(host) failed: check its certificate and the address" }
        if type.contains("NIOConnectionError") { return "could not connect to \(host)" }
        return "the exchange with \(host) failed"
    }

    /// Whether an error says that there was no connection, so that nothing was sent.
    package static func isBeforeConnection(_ error: any Error) -> Bool {
        if let error = error as? IOError {
            return [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(error.errnoCode)
        }
        if let error = error as? HTTPClientError { return error == .connectTimeout }
        if let error = error as? ChannelError, case .connectTimeout = error { return true }
        return String(reflecting: type(of: error)).contains("NIOConnectionError")
    }

    /// The host and port of a URL, without a user name and password.
    private static func host(of address: String) -> Substring {
        // The authority is the text between the two slashes after the scheme and the next slash.
        let authority = address.split(separator: "/", maxSplits: 2).dropFirst().first?.prefix { $0 != "/" } ?? ""
        return authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    }

    private static func words(_ error: IOError, _ host: Substring) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "no server listens at \(host)"
        case ETIMEDOUT: "no connection to \(host) in time"
        case ECONNRESET, EPIPE: "\(host) closed the connection before the answer was complete"
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN: "\(host) cannot be reached from this network"
        default: "could not connect to \(host)"
        }
    }

    private static func words(_ error: HTTPClientError, _ host: Substring) -> String? {
        switch error {
        case .connectTimeout: "no connection to \(host) in time"
        case .deadlineExceeded, .readTimeout, .writeTimeout: "\(host) did not answer in time"
        case .getConnectionFromPoolTimeout: "no connection to \(host) became free in time"
        case .tlsHandshakeTimeout: "TLS with \(host) was not set up in time"
        case .remoteConnectionClosed: "\(host) closed the connection before the answer was complete"
        case .cancelled, .alreadyShutdown: "the exchange with \(host) was given up because the program ends"
        case .invalidURL, .emptyHost, .emptyScheme: "the address of \(host) cannot be used"
        default: nil
        }
    }
}
