import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1
import Reporting

/// Posts alerts to the configured address, signed if there is a secret.
///
/// Any 2xx response counts as delivery. Redirects are not followed, so that messages only go to the configured host.
struct AlertWebhook: AlertReceiver {
    /// What is posted.
    enum Format: String, CaseIterable {
        /// The message with its events.
        case json
        /// `text` for an incoming webhook of Slack, or of what takes the same.
        case slack
    }

    let url: String
    let format: Format
    /// If nil, messages are not signed.
    let secret: [UInt8]?
    /// The client, configured like `AppStoreServerClient.httpConfiguration`.
    let http: HTTPClient
    /// The maximum time to wait for a response.
    var timeout = TimeAmount.seconds(10)

    /// Creates the webhook of a configuration.
    ///
    /// - Throws: ``CommandFailure`` for a secret that cannot be read or is too short.
    init(_ configuration: ServeConfiguration.Webhook, http: HTTPClient) throws(CommandFailure) {
        url = configuration.url
        format = configuration.format
        self.http = http
        guard let file = configuration.secretFile else {
            secret = nil
            return
        }
        secret = try file.read { path throws(CommandFailure) in
            let lines = try SecretFile.lines(of: path)
            guard lines.count == 1, lines[0].utf8.count >= SecretFile.leastLength else {
                throw CommandFailure.input(
                    "\(path): must hold one line, a secret of at least \(SecretFile.leastLength) random characters, such "
                        + "as `openssl rand -hex 32` prints"
                )
            }
            return Array(lines[0].utf8)
        }
    }

    func deliver(_ body: [UInt8], messageId: String) async -> String? {
        guard format == .slack else { return await post(body, messageId) }
        guard let text = AlertText(body) else { return "the message cannot be read" }
        return await post(Self.slackBody(text), messageId)
    }

    /// The longest text in characters, below the 4,000 after which Slack advises against a message.
    private static let longestText = 3_500

    /// The body for Slack, which would read `&`, `<` and `>` as markup, such as a mention of everybody.
    static func slackBody(_ text: AlertText) -> [UInt8] {
        func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }
        var message = "*\(escaped(text.subject))*"
        for (index, line) in text.lines.enumerated() {
            let next = "\n• \(escaped(line))"
            guard message.count + next.count <= longestText else {
                message += "\n• and \(text.lines.count - index) more lines"
                break
            }
            message += next
        }
        return JSONValue.object(["text": .string(message)]).encoded()
    }

    private func post(_ body: [UInt8], _ messageId: String) async -> String? {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "External-Purchase-Message", value: messageId)
        if let secret {
            // Uses the machine's clock even if the server follows another one, because receivers compare it with
            // theirs.
            let value = WebhookSignature.value(of: body, at: Timestamp(Date()), secret: secret)
            request.headers.add(name: WebhookSignature.header, value: value)
        }
        request.body = .bytes(body)
        do {
            let response = try await http.execute(request, timeout: timeout)
            guard response.history.count <= 1 else { return "the receiver redirects, which is not followed" }
            return (200..<300).contains(response.status.code) ? nil : "the receiver answered \(response.status.code)"
        } catch {
            return NetworkFailure.words(error, address: url)
        }
    }
}
