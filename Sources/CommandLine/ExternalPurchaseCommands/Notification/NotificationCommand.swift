import AppStoreNotifications
import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation

struct NotificationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notification",
        abstract: "Look into App Store Server Notifications.",
        subcommands: [NotificationVerify.self]
    )
}

struct NotificationVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a signed notification and show what it says.",
        discussion: """
            No root is trusted by default. Apple signs under "Apple Root CA - G3", an emulator under the root that it \
            serves at /emulator/v1/root.pem. Certificates count at the time of signing; whether they were revoked is \
            not asked. Notifications of both environments count, and the output names the one.
            """
    )

    @Argument(help: "A file with the signed payload or with the whole body around it, or - for standard input.")
    var file: String

    @Option(help: "A file with a root certificate to trust, DER or PEM; may be repeated.")
    var root: [String]

    @Option(help: "Bundle id that the notification must be about; by default any.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "App Store id that a notification of production must be about; needs --bundle-id.")
    var appAppleId: Int64?

    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if appAppleId != nil, bundleId == nil { throw ValidationError("--app-apple-id needs --bundle-id") }
    }

    func run() async throws {
        let roots = try root.flatMap(Self.roots)
        let input = try InputFile.read(file)
        let verifier = NotificationVerifier(
            roots: roots,
            recipient: NotificationRecipient(
                apps: bundleId.map { [.init(bundleId: BundleId($0), appAppleId: appAppleId)] }
            ),
            now: { Timestamp(Date()) }
        )
        do throws(NotificationRefusal) {
            let notification = try await Self.verify(input, with: verifier)
            switch output.format {
            case .json: StandardStreams.output(Self.json(notification))
            case .text: StandardStreams.output(Self.lines(notification))
            }
        } catch {
            if output.format == .json {
                let object: JSONObject = [
                    "error": .string(error.failure.rawValue), "message": .string(error.message),
                ]
                StandardStreams.output(String(decoding: JSONValue.object(object).encoded(), as: UTF8.self))
            }
            throw CommandFailure.wrong(error.description)
        }
    }

    private static func roots(in path: String) throws -> [TrustedRoot] {
        let file = try InputFile.read(path)
        do {
            return try TrustedRoot.read(file)
        } catch {
            throw CommandFailure.input("\(path): \(error)")
        }
    }

    /// Verifies the body of a notification if the text is an object, otherwise the signed payload itself.
    private static func verify(
        _ input: [UInt8],
        with verifier: NotificationVerifier
    ) async throws(NotificationRefusal) -> VerifiedNotification {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let start = input.firstIndex { !blanks.contains($0) } ?? input.endIndex
        let end = input.lastIndex { !blanks.contains($0) } ?? input.startIndex
        guard start <= end, start < input.endIndex else { return try await verifier.verify(body: []) }
        let text = Array(input[start...end])
        if text.first == UInt8(ascii: "{") { return try await verifier.verify(body: text) }
        return try await verifier.verify(signedPayload: String(decoding: text, as: UTF8.self))
    }

    private static func json(_ notification: VerifiedNotification) -> String {
        let object: JSONObject = [
            "payload": notification.payload.json,
            "environment": notification.payload.environment?.known.map { .string($0.rawValue) } ?? .null,
            "root": [
                "fingerprint": .string(notification.root.fingerprint),
                "isApple": .bool(notification.root.isApple),
            ],
        ]
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self)
    }

    private static func lines(_ notification: VerifiedNotification) -> String {
        let style = TerminalStyle.standardOutput
        let payload = notification.payload
        func date(_ timestamp: Timestamp) -> String { "\(timestamp)  (\(timestamp.milliseconds))" }
        var rows: [(String, String)] = [("notificationType", payload.notificationType.rawValue)]
        if let subtype = payload.subtype { rows.append(("subtype", subtype.rawValue)) }
        rows += [
            ("notificationUUID", payload.notificationUUID.rawValue), ("version", payload.version),
            ("signed", date(payload.signedDate)),
        ]
        if let bundleId = payload.bundleId { rows.append(("bundleId", bundleId.rawValue)) }
        if let appAppleId = payload.appAppleId { rows.append(("appAppleId", String(appAppleId))) }
        if let environment = payload.environment {
            rows.append(("environment", environment.known?.rawValue ?? environment.rawValue))
        }
        if let token = payload.externalPurchaseToken {
            rows += [
                ("externalPurchaseId", token.externalPurchaseId.rawValue),
                ("tokenType", token.tokenType?.rawValue ?? "none"),
                ("created", date(token.tokenCreationDate)),
                ("expires", token.tokenExpirationDate.map(date) ?? "never"),
            ]
        }
        rows.append(("root", notification.root.fingerprint + (notification.root.isApple ? "  (Apple's)" : "")))
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, value in
            style.dim(name + String(repeating: " ", count: width - name.count)) + "  " + value.printable
        }.joined(separator: "\n")
    }
}
