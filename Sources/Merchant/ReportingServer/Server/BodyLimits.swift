package import ExternalPurchaseCore
import Hummingbird

/// The largest sizes of request bodies, as named settings beside those of `HTTPLimits`.
package struct BodyLimits: Hashable, Sendable {
    /// A limit with the name of its setting, which a refusal states.
    struct Limit: Hashable, Sendable {
        let name: String
        var bytes: Int
    }

    /// Of every body that has no limit of its own; a sale or token needs a few thousand bytes.
    var body = Limit(name: "http.maxBodySize", bytes: 262_144)
    /// Of `POST /v1/batch`.
    var batch = Limit(name: "http.maxBatchBodySize", bytes: 4_194_304)
    /// Of `POST /v1/webhooks/stripe`; an invoice with its lines has some tens of thousands of bytes.
    var webhook = Limit(name: "http.maxWebhookBodySize", bytes: 1_048_576)
    /// Of the dashboard's forms.
    var form = Limit(name: "http.maxFormSize", bytes: 65_536)

    /// Creates the default limits.
    package init() {}

    private static let paths: [any WritableKeyPath<BodyLimits, Limit> & Sendable] = [
        \.body, \.batch, \.webhook, \.form,
    ]
    /// 4 KiB, which fits a sale or a form, to 16 MiB.
    private static let range = 4_096...16_777_216

    /// The names of the settings.
    package static let names = paths.map { BodyLimits()[keyPath: $0].name }

    /// Sets a limit by its name.
    ///
    /// - Throws: `SettingError` for a name that is not one of ``names``, and for a value outside the range.
    package mutating func set(_ name: String, to text: String) throws(SettingError) {
        guard let path = Self.paths.first(where: { self[keyPath: $0].name == name }) else { throw .unknownName(name) }
        guard text.utf8.allSatisfy(\.isDigit), let size = Int(text), Self.range.contains(size) else {
            throw .unknownValue(name: name, value: text, expected: "a number of bytes from 4096 to 16777216")
        }
        self[keyPath: path].bytes = size
    }

    /// Returns the present value of a limit; nil for a name that is not one of ``names``.
    package func text(of name: String) -> String? {
        Self.paths.first { self[keyPath: $0].name == name }.map { String(self[keyPath: $0].bytes) }
    }
}

/// Puts the limits of bodies into the context of every request.
struct BodyLimitsMiddleware: RouterMiddleware {
    let limits: BodyLimits

    func handle(
        _ request: Request,
        context: ServerContext,
        next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.bodyLimits = limits
        return try await next(request, context)
    }
}
