package import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import NIOCore

/// What came back from an emulator in the same process.
package enum InProcessResponse: Hashable, Sendable {
    /// A whole answer.
    case answered(status: Int, retryAfter: String?, body: [UInt8])
    /// The connection was closed before the answer was whole.
    case brokenOff
}

// The emulator without a socket: the same paths, journal and faults as over HTTP.
extension AppStoreEmulator {
    /// Answers one request as the server does.
    ///
    /// - Parameters:
    ///   - method: the HTTP method, in capitals.
    ///   - path: the path with its query.
    ///   - authorization: the value of the header of that name; nil sends none.
    ///   - body: the body, sent as `application/json`; nil sends none.
    package func answer(
        _ method: String,
        _ path: String,
        authorization: String? = nil,
        body: [UInt8]? = nil
    ) async -> InProcessResponse {
        guard let method = HTTPRequest.Method(rawValue: method) else {
            return .answered(status: 400, retryAfter: nil, body: [])
        }
        var head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        if let authorization { head.headerFields[.authorization] = authorization }
        if body != nil { head.headerFields[.contentType] = "application/json" }
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

    /// The moment at which something happens by itself next; nil when nothing will.
    package var nextEvent: Timestamp? {
        get async { await state.eventQueue.first?.moment }
    }

    /// Lets happen what the clock has reached; returns when every notification of it was delivered or not.
    package func settle() async { await state.settleNow() }

    /// The certificate that vouches for notifications, as DER (NT-92).
    package var rootCertificate: [UInt8] {
        get async { await state.rootCertificate }
    }

    /// The accepted reports of an app in one environment, in the order of their acceptance.
    ///
    /// - Parameter count: how many of the first to leave out.
    package func acceptedReports(
        of bundleId: BundleId,
        in environment: AppStoreEnvironment,
        after count: Int = 0
    ) async -> [ReceivedReport] {
        await state.acceptedReports(after: count, in: ReportingScope(bundleId: bundleId, environment: environment))
    }

    /// What is kept for those who listen to events.
    package var eventLoad: EventLoad { state.events.load }
}
