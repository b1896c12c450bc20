import ExternalPurchaseCore

/// The kinds of answer whose status and body are settings of the emulator.
enum AnswerClass: String, Hashable, Sendable, CaseIterable {
    /// A report was accepted.
    case accepted
    /// A report was refused with errors.
    case refused
    /// A body is malformed.
    case malformed
    /// A retrieval finds nothing.
    case notFound
    /// The authorisation is refused.
    case unauthenticated
    /// The path does not exist.
    case unknownPath
    /// The path exists with other methods.
    case wrongMethod

    /// The class of an expected answer; nil for one without settings.
    init?(_ answer: ConformanceAnswer, of item: ConformanceCase) {
        switch (answer.status, answer.content) {
        case (200, _) where item.sendsReport: self = .accepted
        case (400, .errors): self = .refused
        case (400, .error): self = .notFound
        case (400, .text): self = .malformed
        case (401, _): self = .unauthenticated
        case (404, _): self = .unknownPath
        case (405, _): self = .wrongMethod
        default: return nil
        }
    }

    /// The name of the setting of its status.
    var statusSetting: String { "answers.status.\(rawValue)" }

    /// The name of the setting of its body; nil where the body has a form of its own.
    var bodySetting: String? {
        switch self {
        case .malformed, .unauthenticated, .unknownPath, .wrongMethod: "answers.body.\(rawValue)"
        case .accepted, .refused, .notFound: nil
        }
    }
}
