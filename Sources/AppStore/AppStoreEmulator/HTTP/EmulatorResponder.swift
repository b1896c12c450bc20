import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird

/// Dispatches requests to Apple's paths, which are recorded in the journal, and to the control paths.
///
/// A router is unsuitable: it accepts trailing slashes and responds with 404 to wrong methods, but SA-2 requires an
/// exact match of both.
struct EmulatorResponder: HTTPResponder {
    typealias Context = EmulatorContext

    let state: EmulatorState
    let endpoint: ReportEndpoint
    let notifications: NotificationEndpoint
    let guardian: LoopbackGuard

    func respond(to request: Request, context: EmulatorContext) async throws -> Response {
        if let response = await answer(to: request) { return response }
        try await context.channel?.close()
        return Response(status: .internalServerError)
    }

    /// Responds to a request.
    ///
    /// The response to `HEAD` is that of `GET` without its body.
    ///
    /// - Returns: nil when the connection must be closed without a response.
    func answer(to request: Request) async -> Response? {
        let response = await completeResponse(to: request)
        return request.method == .head ? response?.withoutBody() : response
    }

    private func completeResponse(to request: Request) async -> Response? {
        // Control paths are recognised by the raw path, so that no encoded spelling bypasses the guard or passes as one
        // of Apple's paths.
        let path = request.uri.path
        if path == AdminRoute.root || path.hasPrefix(AdminRoute.root + "/") {
            return await control(String(path.dropFirst(AdminRoute.root.count)), request)
        }
        if path == "/openapi.json" { return Self.openAPI(request) }
        if path == "/" {
            guard request.reads else { return .noSuchPath(allowed: [.get, .head]) }
            return DevicePage.response(WebFiles.deviceHTML, .html)
        }
        var entry = JournalEntry(at: await state.now, method: request.method.rawValue, path: request.head.path ?? path)
        let fault = await state.fault(method: entry.method, path: path)
        entry.fault = fault?.name
        var response = await answer(path, request, fault: fault, entry: &entry)
        if let failure = await state.commit() {
            entry.reason = "not-stored"
            entry.message = failure
            response = ReportEndpointResponse.notStored.response
        }
        // Without a response there is no status.
        entry.status = response?.status.code ?? 0
        await state.record(entry)
        return response
    }

    /// The OpenAPI document of Apple's paths, which needs no authorisation.
    private static func openAPI(_ request: Request) -> Response {
        guard request.reads else { return .noSuchPath(allowed: [.get, .head]) }
        return .bytes(Array(OpenAPIDocument.json.utf8), contentType: "application/json")
    }

    /// Returns nil when the connection must be closed without a response.
    private func answer(
        _ path: String,
        _ request: Request,
        fault: Fault.Behaviour?,
        entry: inout JournalEntry
    ) async -> Response? {
        switch fault {
        case nil:
            return await apple(path, request, entry: &entry)
        case .status(let code, let retryAfterMs):
            let now = await state.now
            let retryAt = retryAfterMs.map { now.advanced(by: .milliseconds($0)) }
            return .injected(status: code, retryAt: retryAt)
        case .delay(let milliseconds):
            guard await state.dependencies.waited(.milliseconds(milliseconds)) else { return nil }
            return await apple(path, request, entry: &entry)
        case .dropAfterAccept:
            _ = await apple(path, request, entry: &entry)
            return nil
        case .closeConnection:
            return nil
        case .closeMidBody:
            return await apple(path, request, entry: &entry).brokenOff()
        case .slowBody(let milliseconds):
            return await apple(path, request, entry: &entry)
                .slowed(over: milliseconds, waiting: state.dependencies.waited)
        case .malformedJSON:
            return await apple(path, request, entry: &entry).malformed()
        }
    }

    private func apple(_ path: String, _ request: Request, entry: inout JournalEntry) async -> Response {
        let reports = "/externalPurchase/v1/reports"
        let answers = await state.settings.answers
        if path == reports {
            guard request.method == .put else { return answers.shaped(.noSuchPath(allowed: [.put]), .wrongMethod) }
            return await endpoint.send(request, entry: &entry).response(answers)
        }
        let id = path.dropFirst(reports.count + 1)
        if path.hasPrefix(reports + "/"), !id.isEmpty, !id.contains("/") {
            guard request.reads else { return answers.shaped(.noSuchPath(allowed: [.get, .head]), .wrongMethod) }
            return await endpoint.retrieve(PercentEncoding.decoded(id), request, entry: &entry).response(answers)
        }
        if path.hasPrefix(NotificationEndpoint.root + "/"), let question = NotificationEndpoint.Question(path: path) {
            let allowed: [HTTPRequest.Method] = if case .testStatus = question { [.get, .head] } else { [.post] }
            guard allowed.contains(request.method) else { return .noSuchPath(allowed: allowed) }
            return await notifications.answer(question, request, entry: &entry).response
        }
        return answers.shaped(.noSuchPath(allowed: []), .unknownPath)
    }

    private func control(_ path: String, _ request: Request) async -> Response {
        do throws(EmulatorInputError) {
            try guardian.check(request)
            let response = try await AdminRoute(path, method: request.method).answer(request, state: state)
            if let failure = await state.commit() {
                throw EmulatorInputError("not-stored", kind: .notStored, failure)
            }
            return response
        } catch {
            return .refusal(error)
        }
    }
}

extension Request {
    /// True for `GET` and `HEAD`, which differ only in the body of the response (RFC 9110, section 9.3.2).
    fileprivate var reads: Bool { method == .get || method == .head }
}

/// Decodes `%XX` in a path.
enum PercentEncoding {
    static func decoded(_ text: some StringProtocol) -> String {
        var output: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, rest.prefix(2).allSatisfy(\.isHexDigit),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                output.append(value)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
