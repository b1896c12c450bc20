import ExternalPurchaseCore
import HTTPTypes

/// An injected fault on Apple's paths: the requests it applies to, the behaviour, and the number of times.
struct Fault: Hashable, Sendable {
    /// The method; nil applies to every method.
    var method: String?
    /// The path as requested, without its query; nil applies to every path.
    var path: String?
    var behaviour: Behaviour
    var times: Int64

    enum Behaviour: Hashable, Sendable {
        /// Responds at once without reading the request.
        ///
        /// The delay determines `Retry-After`.
        case status(Int, retryAfterMs: Int64?)
        /// Responds normally after a delay.
        case delay(milliseconds: Int64)
        /// Processes the request, then closes the connection instead of responding.
        case dropAfterAccept
        /// Closes the connection without processing the request.
        case closeConnection
        /// Processes the request, sends the head and half of the body, then closes the connection.
        case closeMidBody
        /// Responds normally, but sends the body in small pieces over that time.
        case slowBody(milliseconds: Int64)
        /// Processes the request and sends its status with half of the body.
        case malformedJSON

        /// The name in the journal.
        var name: String {
            switch self {
            case .status: "status"
            case .delay: "delayMs"
            case .dropAfterAccept: "dropAfterAccept"
            case .closeConnection: "closeConnection"
            case .closeMidBody: "closeMidBody"
            case .slowBody: "slowBodyMs"
            case .malformedJSON: "malformedJSON"
            }
        }
    }

    func meets(method: String, path: String) -> Bool {
        (self.method ?? method) == method && (self.path ?? path) == path
    }
}

/// The injected faults that still apply to requests, oldest first.
struct FaultQueue: Sendable {
    private(set) var faults: [Fault] = []

    mutating func append(_ fault: Fault) { faults.append(fault) }

    /// Returns the behaviour of the first fault that applies to a request, and counts its use.
    mutating func next(method: String, path: String) -> Fault.Behaviour? {
        guard let index = faults.firstIndex(where: { $0.meets(method: method, path: path) }) else { return nil }
        let behaviour = faults[index].behaviour
        faults[index].times -= 1
        if faults[index].times < 1 { faults.remove(at: index) }
        return behaviour
    }
}

extension Fault {
    /// Reads `{"match":{"method":"PUT","path":"…"},"behaviour":{"status":429,"retryAfterMs":1000},"times":3}`.
    init(_ body: ControlBody) throws(EmulatorInputError) {
        let match = try body.object("match", known: ["method", "path"])
        method = try match?.string("method")
        path = try match?.string("path")
        // What no request has would wait for ever.
        if let method, !Self.methods.contains(method) {
            throw body.wrongType("method", "one of \(Self.methods.joined(separator: ", "))")
        }
        if let path, !path.hasPrefix("/") || path.contains("?") {
            throw body.wrongType("path", "a path that begins with /, without a query")
        }
        let known = [
            "status", "retryAfterMs", "delayMs", "dropAfterAccept", "closeConnection", "closeMidBody",
            "slowBodyMs", "malformedJSON",
        ]
        behaviour = try Behaviour(body.required("behaviour", body.object("behaviour", known: known), such: Self.form))
        times = try body.integer("times") ?? 1
        guard (1...1_000_000).contains(times) else { throw body.wrongType("times", "a number from 1 to 1000000") }
    }

    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    fileprivate static let form =
        #"one of {"status":429,"retryAfterMs":1000}, {"delayMs":500}, {"dropAfterAccept":true}, {"closeConnection":true}, "#
        + #"{"closeMidBody":true}, {"slowBodyMs":2000}, {"malformedJSON":true}"#
}

extension Fault.Behaviour {
    fileprivate init(_ body: ControlBody) throws(EmulatorInputError) {
        let wrong = body.wrongType("behaviour", Fault.form)
        let retryAfterMs = try body.integer("retryAfterMs")
        let names = body.members.map(\.key).filter { $0 != "retryAfterMs" }
        guard names.count == 1, let name = names.first, name == "status" || retryAfterMs == nil else { throw wrong }
        switch name {
        case "status":
            guard let status = try body.integer(name), (200...599).contains(status),
                (0...EmulatorClock.end.milliseconds).contains(retryAfterMs ?? 0)
            else { throw wrong }
            self = .status(Int(status), retryAfterMs: retryAfterMs)
        case "delayMs":
            guard let delay = try body.integer(name), (0...3_600_000).contains(delay) else { throw wrong }
            self = .delay(milliseconds: delay)
        case "slowBodyMs":
            guard let time = try body.integer(name), (1...3_600_000).contains(time) else { throw wrong }
            self = .slowBody(milliseconds: time)
        default:
            guard try body.bool(name) == true else { throw wrong }
            switch name {
            case "dropAfterAccept": self = .dropAfterAccept
            case "closeMidBody": self = .closeMidBody
            case "malformedJSON": self = .malformedJSON
            default: self = .closeConnection
            }
        }
    }
}
