import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1
import Payments
import Reporting

/// Posts events to an address, signed as Standard Webhooks.
///
/// Any 2xx response counts as accepted. Redirects are not followed. The host's addresses are judged when they are resolved,
/// and the connection goes to one that was judged, so that no later answer of a name server leads elsewhere.
struct EventPoster: Sendable {
    let url: String
    /// The secret, and one that is being rotated out; the body is signed with each.
    let secrets: [String]
    /// Whether addresses of this machine and of private networks are allowed.
    let allowsPrivate: Bool
    /// The longest time of one attempt.
    var timeout = Duration.seconds(15)
    /// Finds the addresses of a host; only tests have another one.
    var resolve: @Sendable (_ host: String, _ limit: Duration) async -> [HostAddress] = HostAddresses.resolve

    func post(_ body: [UInt8], eventId: String) async -> DeliveryAnswer {
        let end = ContinuousClock.now + timeout
        // As the client reads it; brackets around a literal address are the URL's.
        guard let host = URL(string: url)?.host, !host.isEmpty else {
            return DeliveryAnswer(status: nil, error: "the address has no host")
        }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let addresses = await resolve(name, timeout)
        guard !addresses.isEmpty else { return DeliveryAnswer(status: nil, error: "the host's name has no address") }
        let allowed = addresses.filter { allowsPrivate || !$0.isPrivate }
        guard !allowed.isEmpty else {
            let message = "the host is on this machine or in a private network, which needs allowPrivate: true"
            return DeliveryAnswer(status: nil, error: message)
        }
        var last = DeliveryAnswer(status: nil, error: "no address of the host could be reached in time")
        // Another address is tried only if nothing was sent to the one before.
        for address in allowed.prefix(Self.mostAddresses) {
            let rest = end - .now
            if rest <= .zero { break }
            let (answer, isSent) = await post(body, eventId: eventId, to: address, for: name, within: rest)
            if isSent { return answer }
            last = answer
        }
        return last
    }

    /// The largest number of addresses that one attempt tries.
    private static let mostAddresses = 4
    private static let longestConnecting = Duration.seconds(5)

    private func post(
        _ body: [UInt8],
        eventId: String,
        to address: HostAddress,
        for name: String,
        within limit: Duration
    ) async -> (answer: DeliveryAnswer, isSent: Bool) {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = TimeAmount(min(limit, Self.longestConnecting))
        configuration.dnsOverride = [name: address.text]
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let answer = await post(body, eventId: eventId, through: http, within: limit)
        try? await http.shutdown()
        return answer
    }

    private func post(
        _ body: [UInt8],
        eventId: String,
        through http: HTTPClient,
        within limit: Duration
    ) async -> (answer: DeliveryAnswer, isSent: Bool) {
        // The machine's clock even if the server follows another one, because receivers compare it with theirs.
        let seconds = Timestamp(Date()).milliseconds / 1_000
        let signatures = secrets.map { secret in
            StandardWebhookSignature.value(of: body, id: eventId, seconds: seconds, secret: secret)
        }
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "webhook-id", value: eventId)
        request.headers.add(name: "webhook-timestamp", value: String(seconds))
        request.headers.add(name: "webhook-signature", value: signatures.joined(separator: " "))
        request.body = .bytes(body)
        do {
            // The body of the response is not read.
            let response = try await http.execute(request, timeout: TimeAmount(limit))
            let status = Int(response.status.code)
            let isAccepted = (200..<300).contains(status)
            let isRedirect = (300..<400).contains(status)
            let refusal =
                isRedirect ? "the receiver redirects, which is not followed" : "the receiver answered \(status)"
            return (DeliveryAnswer(status: status, error: isAccepted ? nil : refusal), true)
        } catch {
            let answer = DeliveryAnswer(status: nil, error: NetworkFailure.words(error, address: url))
            return (answer, !NetworkFailure.isBeforeConnection(error))
        }
    }
}

/// The addresses of a host.
enum HostAddresses {
    /// Resolves a name, or reads a literal address.
    ///
    /// The system's resolver cannot be interrupted, so it has a thread of its own.
    ///
    /// - Returns: no addresses if there are none, or none are known in time.
    @Sendable static func resolve(_ host: String, within limit: Duration) async -> [HostAddress] {
        if let literal = HostAddress(host) { return [literal] }
        let (results, result) = AsyncStream.makeStream(of: [HostAddress].self)
        Thread.detachNewThread {
            result.yield(lookUp(host))
            result.finish()
        }
        return await withTaskGroup(of: [HostAddress].self) { group in
            group.addTask {
                for await addresses in results { return addresses }
                return []
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return []
            }
            defer { group.cancelAll() }
            return await group.next() ?? []
        }
    }

    private static func lookUp(_ host: String) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [HostAddress] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ai_next
            guard let address = entry.pointee.ai_addr else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = entry.pointee.ai_addrlen
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let found = HostAddress(name), !addresses.contains(found) { addresses.append(found) }
        }
        return addresses
    }
}

/// A literal IP address.
struct HostAddress: Hashable, Sendable {
    let text: String
    private let bytes: [UInt8]

    init?(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.text = text
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address): bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        case .unixDomainSocket: return nil
        }
    }

    /// Whether the address is not one of the public internet: loopback, private, link-local, multicast, reserved.
    ///
    /// An address of version 4 within one of version 6 is judged as what it is.
    var isPrivate: Bool {
        if bytes.count == 4 { return Self.isPrivate(version4: bytes) }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        let isTranslated = bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) && bytes[4..<12].allSatisfy { $0 == 0 }
        if isMapped || isTranslated { return Self.isPrivate(version4: Array(bytes[12...])) }
        if bytes.starts(with: [0x20, 0x02]) { return Self.isPrivate(version4: Array(bytes[2..<6])) }
        // Global unicast is 2000::/3; 2001:db8::/32 is for documentation, 2001::/23 for protocols such as tunnels.
        guard bytes[0] & 0xE0 == 0x20 else { return true }
        return bytes.starts(with: [0x20, 0x01]) && (bytes[2] < 2 || bytes[2] == 0x0D && bytes[3] == 0xB8)
    }

    private static func isPrivate(version4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _), (169, 254, _), (172, 16...31, _), (192, 168, _): true
        case (100, 64...127, _), (198, 18...19, _), (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113): true
        default: false
        }
    }
}
