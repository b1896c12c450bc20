import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation

/// What the kit asks the host, and has not been answered.
final class OpenQuestions: Sendable {
    /// What is asked.
    enum Question: Sendable {
        /// Shows the app's disclosure.
        case disclosure(ExternalPurchaseDestination)
        /// Opens the website.
        case openURL(URL)
        /// Sends a token to the developer's server.
        case sendToken(PurchaseToken)

        /// The answer of a host that gives none.
        fileprivate var refusal: Reply {
            switch self {
            case .disclosure, .openURL: .decision(false)
            case .sendToken: .delivery(.retry(reason: "the host gave no answer", after: nil))
            }
        }

        fileprivate func takes(_ method: BridgeMethod) -> Bool {
            switch self {
            case .disclosure: method == .answerDisclosure
            case .openURL: method == .answerOpenURL
            case .sendToken: method == .answerSendToken
            }
        }
    }

    /// The host's answer.
    enum Reply: Sendable {
        /// The customer continued, or the website was opened.
        case decision(Bool)
        /// What became of the token.
        case delivery(TokenDelivery)
    }

    private struct Open {
        let question: Question
        let continuation: CheckedContinuation<Reply, Never>
    }

    private struct State {
        var last = 0
        var open: [String: Open] = [:]
    }

    private let state = Lock(State())
    private let events: EventQueue

    init(events: EventQueue) {
        self.events = events
    }

    /// Asks the host and waits for the answer, for ``closeAll()`` or for the end of the task.
    func ask(_ question: Question) async -> Reply {
        let id = state.withLock { state in
            state.last += 1
            return "\(state.last)"
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.open[id] = Open(question: question, continuation: continuation) }
                events.add(.question, question.json(id), question: id)
                // The task may have ended before the question was open.
                if Task.isCancelled { close(id) }
            }
        } onCancel: {
            close(id)
        }
    }

    /// Answers a question.
    ///
    /// - Throws: an error for a question that is not open, or that another method answers.
    func answer(_ id: String, by method: BridgeMethod, _ reply: Reply) throws(BridgeError) {
        let open = state.withLock { state -> Open? in
            guard let open = state.open[id], open.question.takes(method) else { return nil }
            state.open[id] = nil
            return open
        }
        guard let open else {
            let path = "/parameters/question"
            throw BridgeError(.unknownQuestion, "\(path) is no open question of this kind.", at: path)
        }
        open.continuation.resume(returning: reply)
    }

    /// Answers every open question as a host does that gives no answer.
    func closeAll() {
        for id in state.withLock({ Array($0.open.keys) }) { close(id) }
    }

    private func close(_ id: String) {
        events.removeQuestion(id)
        guard let open = state.withLock({ $0.open.removeValue(forKey: id) }) else { return }
        open.continuation.resume(returning: open.question.refusal)
    }
}

extension OpenQuestions.Question {
    /// The data of the event `question`.
    fileprivate func json(_ id: String) -> JSONObject {
        let (kind, member): (String, JSONObject.Member) =
            switch self {
            case .disclosure(let destination): ("disclosure", .init("destination", destination.json))
            case .openURL(let url): ("openURL", .init("url", .string(url.absoluteString)))
            case .sendToken(let token): ("sendToken", .init("token", token.jsonWithText))
            }
        return JSONObject([.init("question", .string(id)), .init("kind", .string(kind)), member])
    }
}

extension ExternalPurchaseDestination {
    fileprivate var json: JSONValue {
        switch self {
        case .outOfApp(let url): .members(["kind": .string("outOfApp"), "url": .text(url?.absoluteString)])
        case .withinApp: .members(["kind": .string("withinApp")])
        }
    }
}
