package import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The response of an emulator that runs in the same process.
package enum InProcessResponse: Hashable, Sendable {
    /// A complete response.
    case answered(status: Int, retryAfter: String?, body: [UInt8])
    /// The connection was closed before the response was complete.
    case brokenOff
}

// The emulator without a socket: the same paths, journal and faults as over HTTP.
extension AppStoreEmulator {
    /// Processes one request in the same way as the server.
    ///
    /// - Parameters:
    ///   - method: the HTTP method in capitals.
    ///   - path: the path with its query.
    ///   - authorization: the value of the `Authorization` header; nil omits the header.
    ///   - contentType: the value of the `Content-Type` header of a request with a body; nil omits the header.
    ///   - body: the body; nil omits it.
    package func answer(
        _ method: String,
        _ path: String,
        authorization: String? = nil,
        contentType: String? = "application/json",
        body: [UInt8]? = nil
    ) async -> InProcessResponse {
        guard let method = HTTPRequest.Method(rawValue: method) else {
            return .answered(status: 400, retryAfter: nil, body: [])
        }
        var head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        if let authorization { head.headerFields[.authorization] = authorization }
        if let contentType, body != nil { head.headerFields[.contentType] = contentType }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body ?? [])))
        guard let response = await responder.answer(to: request), let bytes = await response.wholeBody else {
            return .brokenOff
        }
        return .answered(
            status: response.status.code,
            retryAfter: response.headers[.retryAfter],
            body: bytes
        )
    }

    /// The moment of the next scheduled event; nil when there is none.
    package var nextEvent: Timestamp? {
        get async { await state.eventQueue.first?.moment }
    }

    /// Processes the events that are due by the clock.
    ///
    /// It returns after every attempt to deliver their notifications.
    package func settle() async { await state.settleNow() }

    /// The root certificate of the notifications' signatures, as DER (NT-92).
    package var rootCertificate: [UInt8] {
        get async { await state.rootCertificate }
    }

    /// Returns the accepted reports of an app in one environment, in the order of their acceptance.
    ///
    /// - Parameter count: the number of reports at the beginning to omit.
    package func acceptedReports(
        of bundleId: BundleId,
        in environment: AppStoreEnvironment,
        after count: Int = 0
    ) async -> [ReceivedReport] {
        await state.acceptedReports(after: count, in: ReportingScope(bundleId: bundleId, environment: environment))
    }

    /// The events stored for the event stream's listeners.
    var eventLoad: EventLoad { state.events.load }
}
