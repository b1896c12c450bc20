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
    /// Of `POST /v1/webhooks/…`; an invoice with its lines has some tens of thousands of bytes.
    var webhook = Limit(name: "http.maxWebhookBodySize", bytes: 1_048_576)
    /// Of the dashboard's forms.
    var form = Limit(name: "http.maxFormSize", bytes: 65_536)

    /// Creates the default limits.
    package init() {}
}

extension BodyLimits: NamedSettings {
    /// The settings `http.max…`, from 4 KiB, which fits a sale or a form, to 16 MiB.
    package static let settings: [Setting<BodyLimits>] = [
        size(\.body, "a body, where no other setting counts; above it 413, which names the setting"),
        size(\.batch, "the body of `POST /v1/batch`"), size(\.webhook, "the body of `POST /v1/webhooks/…`"),
        size(\.form, "a form of the dashboard"),
    ]

    private static func size(
        _ path: any Setting<BodyLimits>.Path<Limit>,
        _ what: String
    ) -> Setting<BodyLimits> {
        let setting = Setting<Limit>.number(
            BodyLimits()[keyPath: path].name,
            \.bytes,
            4_096...16_777_216,
            "a number of bytes from 4096 to 16777216",
            means: "the bytes of \(what)"
        )
        return setting.at(path)
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
