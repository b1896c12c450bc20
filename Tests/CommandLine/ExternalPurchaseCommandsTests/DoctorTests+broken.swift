import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

extension DoctorTests {
    /// One thing that is broken.
    struct Broken: Sendable, CustomTestStringConvertible {
        let name: String
        /// The check that fails, and words of its repair.
        let check: String
        let fix: String
        let breakIt: @Sendable (DoctorSetup) async throws -> [String]

        init(
            _ name: String,
            _ check: String,
            _ fix: String,
            _ breakIt: @escaping @Sendable (DoctorSetup) async throws -> [String]
        ) {
            (self.name, self.check, self.fix, self.breakIt) = (name, check, fix, breakIt)
        }

        var testDescription: String { name }
    }

    private static let other = "com.example.two"
    private static let old = Timestamp(Date(timeIntervalSinceNow: -3 * 86_400))

    static let broken: [Broken] = [
        Broken("the key's file is missing", "files", "put the file there") { setup in
            _ = try setup.config()
            try FileManager.default.removeItem(atPath: setup.keyFile)
            return []
        },
        Broken("everybody may read the key", "file-modes", "chmod 600") { setup in
            _ = try setup.config()
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: setup.keyFile)
            return []
        },
        Broken("the key is no key", "apple-key", "download the .p8") { setup in
            _ = try setup.config()
            _ = try Data("no key\n".utf8).write(to: URL(filePath: setup.keyFile))
            return []
        },
        Broken("the key's id is another one", "apple-key", "compare keyId, issuerId and bundleId") { setup in
            _ = try setup.config(keyId: "2X9R4HXF34")
            return []
        },
        Broken("a payment provider's secret is none", "secrets", "correct that file") { setup in
            _ = try setup.config(stripe: try setup.stripe(events: ["*"]))
            try Data("secret\n".utf8).write(to: URL(filePath: setup.secret))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: setup.secret)
            return []
        },
        Broken("the clock is long after the ledger's newest entry", "clock", "set the machine's clock right") { setup in
            _ = try setup.config(settings: "clock.maxGap: 1ms")
            let made = try await BuiltBinary.run(
                ["keys", "create", "--scope", "read", "--database", "sqlite:\(setup.database)"]
            )
            #expect(made.exitCode == 0, "\(made.error)")
            return []
        },
        Broken("no roots", "roots", "notifications: {roots: [AppleRootCA-G3.cer]}") { setup in
            _ = try setup.config(roots: "")
            return []
        },
        Broken("the root is no certificate", "roots", "AppleRootCA-G3.cer") { setup in
            _ = try setup.config()
            try Data("<html>".utf8).write(to: URL(filePath: setup.root))
            return []
        },
        Broken("the ledger's folder is missing", "database", "create the folder") { setup in
            _ = try setup.config()
            return ["--database", "sqlite:\(setup.scratch.url.path)/nowhere/ledger.sqlite"]
        },
        Broken("the ledger is another file", "database", "name the ledger of the server") { setup in
            _ = try setup.config()
            let file = try setup.scratch.write("a text of a page\n", to: "notes.sqlite")
            try setup.setMode(0o600, of: file)
            return ["--database", "sqlite:\(file)"]
        },
        Broken("the ledger is gone, its anchor is there", "database", "put the newest copy") { setup in
            _ = try setup.config()
            try FileManager.default.removeItem(atPath: setup.database)
            _ = try setup.scratch.write("3:\(String(repeating: "a", count: 64))\n", to: "ledger.sqlite.anchor")
            return []
        },
        Broken("the schema is behind, and serve does not migrate", "schema", "database migrate") { setup in
            _ = try setup.config(settings: "database.migrate: off")
            let file = try setup.scratch.write("", to: "empty.sqlite")
            try setup.setMode(0o600, of: file)
            return ["--database", "sqlite:\(file)"]
        },
        Broken("the disk is full", "disk-space", "free space") { setup in
            _ = try setup.config(settings: "ready.freeSpace: 900000TB")
            return []
        },
        Broken("the public's address leads nowhere", "public-address", "proxy and firewall") { setup in
            _ = try setup.config()
            return ["--public-address", "http://127.0.0.1:1"]
        },
        Broken("the certificate belongs to another key", "tls-certificate", "its own key") { setup in
            _ = try setup.config()
            let (one, other) = (try SelfSigned(setup.scratch), try SelfSigned(setup.scratch, name: "other"))
            try setup.setMode(0o600, of: other.key)
            return ["--tls-certificate", one.certificate, "--tls-key", other.key]
        },
        Broken("Stripe does not deliver which payment paid an invoice", "stripe-events", "add these events") { setup in
            let events = [
                "checkout.session.completed", "checkout.session.async_payment_succeeded",
                "payment_intent.succeeded", "invoice.paid", "invoice.payment_failed", "customer.subscription.deleted",
                "refund.created", "refund.updated", "refund.failed", "charge.refunded", "credit_note.created",
                "credit_note.updated", "credit_note.voided", "charge.dispute.created",
                "charge.dispute.funds_withdrawn", "charge.dispute.closed", "charge.dispute.funds_reinstated",
            ]
            _ = try setup.config(stripe: try setup.stripe(events: events))
            return []
        },
        Broken("Stripe's endpoint is elsewhere", "stripe-events", "/v1/webhooks/stripe") { setup in
            _ = try setup.config(stripe: try setup.stripe(events: ["*"], path: "/hook"))
            return []
        },
        Broken("a payment's product cannot be reported", "products", "payment-event.md") { setup in
            _ = try setup.config()
            try await Self.hold(setup, "product: the line names no price or product")
            return []
        },
        Broken("a token came from a storefront without a programme", "storefronts", "apps[].programmes") { setup in
            let config = try setup.config()
            try await Self.deliver(setup, config, ["storefront": "JPN"])
            return []
        },
        Broken("the receiver of alerts does not take them", "alerts", "alerts.webhook.url") { setup in
            _ = try setup.config()
            try await setup.write { ledger throws(LedgerError) in
                let message = AlertMessage(messageId: "m-1", madeAt: Self.old, body: Array("{}".utf8))
                try ledger.insertAlerts([AlertMark(eventId: "e-1", crossedAt: Self.old)], by: message)
            }
            return []
        },
        Broken("the program of alerts by mail is not there", "alerts", "alerts.mail.sendmail") { setup in
            _ = try setup.config(more: "alerts: {mail: {to: [root], from: root, sendmail: /nowhere/sendmail}}")
            return []
        },
        Broken("mail waits", "alerts", "as the user of serve") { setup in
            _ = try setup.config()
            try await setup.write { ledger throws(LedgerError) in
                let message = AlertMessage(
                    messageId: "m-1",
                    madeAt: Self.old,
                    channel: .mail,
                    body: Array("{}".utf8)
                )
                try ledger.insertAlerts([AlertMark(eventId: "e-1", crossedAt: Self.old)], by: message)
            }
            return []
        },
        Broken("the server listens beyond this machine, and there is nobody", "access", "users set-password") { setup in
            _ = try setup.config()
            return ["--host", "0.0.0.0"]
        },
        Broken("the server would listen beyond this machine, and there is no ledger", "access", "keys create") {
            setup in
            _ = try setup.config()
            return ["--host", "0.0.0.0", "--database", "sqlite:\(setup.database).none"]
        },
        Broken("the ledger is a folder", "database", "name a file") { setup in
            _ = try setup.config()
            return ["--database", "sqlite:\(setup.scratch.url.path)"]
        },
        Broken("the newest backup is old", "backup", "every day") { setup in
            _ = try setup.config()
            try await Self.backup(setup) { $0["at"] = Self.old.description }
            return []
        },
        Broken("something waits for a person", "review", "ledger review") { setup in
            _ = try setup.config()
            try await setup.write { ledger throws(LedgerError) in
                let item = ReviewItem(
                    bundleId: BundleId(DoctorSetup.bundleId),
                    kind: .contradiction,
                    subject: .sale(SaleId("order-1")),
                    detail: "differs",
                    openedAt: Self.old
                )
                _ = try ledger.open(item)
            }
            return []
        },
        Broken("a token was not reported in time", "deadlines", "ledger due") { setup in
            let config = try setup.config(settings: "reporting.send: off")
            let created = Int64(Date().timeIntervalSince1970 - 90 * 86_400) * 1_000
            try await Self.deliver(setup, config, [:], creationDate: created)
            return []
        },
        Broken("the tokens have another Apple ID", "configuration", "correct apps[].appAppleId") { setup in
            try await Self.deliver(setup, try setup.config(), [:])
            _ = try setup.config(appAppleId: 999)
            return []
        },
        Broken("an app with an open token is not in the configuration", "configuration", "put the app back") { setup in
            let config = try setup.config()
            let text = try String(contentsOfFile: config, encoding: .utf8)
            let end = try #require(text.range(of: "notifications:")).lowerBound
            let app = text[..<end].replacing("apps:\n", with: "").replacing(DoctorSetup.bundleId, with: Self.other)
                .replacing("1234567890", with: "1234567891")
            _ = try setup.scratch.write("\(text[..<end])\(app)\(text[end...])", to: "serve.yaml")
            let path = "/emulator/v1/apps/\(Self.other)"
            _ = try await HTTP.send("PUT", setup.emulator.url + path, ["appAppleId": 1_234_567_891])
            try await Self.deliver(setup, config, [:], of: Self.other)
            _ = try setup.config()
            return []
        },
        Broken("the key is there and may not be read", "files", "own the file") { setup in
            _ = try setup.config()
            try setup.setMode(0, of: setup.keyFile)
            return []
        },
        Broken("others may write the ledger", "file-modes", "chmod 600") { setup in
            _ = try setup.config()
            try setup.setMode(0o666, of: setup.database)
            return []
        },
        Broken("everybody may replace the ledger", "file-modes", "chmod o-w") { setup in
            _ = try setup.config()
            let made = try await setup.ledger(in: "open")
            try setup.setMode(0o777, of: made.folder)
            return ["--database", "sqlite:\(made.file)"]
        },
        Broken("others may read the key of HTTPS", "file-modes", "chmod 600") { setup in
            _ = try setup.config()
            let made = try SelfSigned(setup.scratch)
            try setup.setMode(0o644, of: made.key)
            return ["--tls-certificate", made.certificate, "--tls-key", made.key]
        },
        Broken("a web server is named in place of Apple", "apple-key", "apps[].baseURL") { setup in
            _ = try setup.config(
                baseURL: try setup.other("400 Bad Request", "<html>plain HTTP to an HTTPS port</html>")
            )
            return []
        },
        Broken("a web server without the path is named in place of Apple", "apple-key", "apps[].baseURL") { setup in
            _ = try setup.config(baseURL: try setup.other("404 Not Found", "<html>"))
            return []
        },
        Broken("a web server leads elsewhere in place of Apple", "apple-key", "apps[].baseURL") { setup in
            _ = try setup.config(baseURL: try setup.other("301 Moved Permanently", ""))
            return []
        },
        Broken("the root is an emulator's, and reports go to Apple", "roots", "goes with a baseURL") { setup in
            _ = try setup.config(baseURL: "https://nowhere.apple.com:1")
            return []
        },
        Broken("the root is a leaf", "roots", "AppleRootCA-G3.cer") { setup in
            _ = try setup.config(roots: "notifications: {roots: [leaf.pem]}")
            let chain = try CertificateChain(setup.scratch)
            try setup.setMode(0o600, of: chain.key)
            return []
        },
        Broken("the ledger's mode forbids to write", "database", "chmod u+rwX") { setup in
            _ = try setup.config()
            try setup.setMode(0o400, of: setup.database)
            return []
        },
        Broken("the mode of the ledger's folder forbids to write", "database", "chmod u+rwX") { setup in
            _ = try setup.config()
            let made = try await setup.ledger(in: "closed")
            try setup.setMode(0o500, of: made.folder)
            return ["--database", "sqlite:\(made.file)"]
        },
        Broken("the ledger has no content, its anchor is there", "database", "put the newest copy") { setup in
            _ = try setup.config()
            let file = try setup.scratch.write("", to: "emptied.sqlite")
            try setup.setMode(0o600, of: file)
            _ = try setup.scratch.write("3:\(String(repeating: "a", count: 64))\n", to: "emptied.sqlite.anchor")
            return ["--database", "sqlite:\(file)"]
        },
        Broken("the anchor is none", "database", "ledger verify") { setup in
            _ = try setup.config()
            _ = try setup.scratch.write("garbage\n", to: "ledger.sqlite.anchor")
            return []
        },
        Broken("pages of the ledger are damaged", "database", "restore") { setup in
            _ = try setup.config()
            var bytes = try Data(contentsOf: URL(filePath: setup.database))
            let last = bytes.count - 4_096..<bytes.count
            bytes.replaceSubrange(last, with: Data(repeating: 0xA5, count: 4_096))
            try bytes.write(to: URL(filePath: setup.database))
            try setup.setMode(0o600, of: setup.database)
            return []
        },
        Broken("the public's address is another server's", "public-address", "/health/live") { setup in
            _ = try setup.config()
            return ["--public-address", try setup.other("200 OK", "<html>")]
        },
        Broken("Stripe delivers everything, to another server", "stripe-events", "add http://127.0.0.1") { setup in
            let stripe = try setup.stripe(
                [StripeEndpoints.endpoint("https://other.example.com/v1/webhooks/stripe", ["*"])]
            )
            _ = try setup.config(stripe: stripe.url)
            return ["--public-address", stripe.url]
        },
        Broken("another server's endpoint has what this one's lacks", "stripe-events", "add these events") { setup in
            let stripe = try setup.stripe()
            try stripe.set([
                StripeEndpoints.endpoint("https://other.example.com/v1/webhooks/stripe", ["*"]),
                StripeEndpoints.endpoint(stripe.url + "/v1/webhooks/stripe", ["invoice.paid"]),
            ])
            _ = try setup.config(stripe: stripe.url)
            return ["--public-address", stripe.url]
        },
        Broken("Stripe's endpoint is disabled", "stripe-events", "enable the endpoint") { setup in
            let endpoint = StripeEndpoints.endpoint(
                "https://pay.example.com/v1/webhooks/stripe",
                ["*"],
                status: "disabled"
            )
            _ = try setup.config(stripe: try setup.stripe([endpoint]).url)
            return []
        },
        Broken("Stripe's API key is revoked", "stripe-events", "make a restricted key") { setup in
            _ = try setup.config(stripe: try setup.other("401 Unauthorized", "{}"))
            return []
        },
        Broken("a web server is named in place of Stripe", "stripe-events", "stripe[].baseURL") { setup in
            _ = try setup.config(stripe: try setup.other("404 Not Found", "<html>"))
            return []
        },
        Broken("nothing fetches the line items of Stripe's events", "stripe-events", "add apiKeyFile") { setup in
            _ = try setup.config(stripe: try setup.stripe().url, hasAPIKey: false)
            try await Self.hold(setup, "line-items: the event leaves out the session's line items")
            return []
        },
        Broken("the host is no address of this machine", "ports", "an address of this machine") { setup in
            _ = try setup.config()
            try await setup.makeKeyAndUser()
            return ["--host", "300.1.1.1"]
        },
        Broken("another program has the port", "ports", "ss -ltnp") { setup in
            _ = try setup.config()
            return ["--port", try setup.port(of: try setup.other("200 OK", "{}"))]
        },
        Broken("another server of this program has the port", "ports", "ss -ltnp") { setup in
            let config = try setup.config()
            let other = try await setup.ledger(in: "other").file
            let server = try await RunningServer(
                ["serve", "--config", config, "--port", "0", "--database", "sqlite:\(other)"]
            )
            setup.keep(server)
            return ["--port", try setup.port(of: server.url)]
        },
        Broken("another program has the public port", "ports", "another --public-port") { setup in
            _ = try setup.config()
            return ["--public-port", try setup.port(of: try setup.other("200 OK", "{}"))]
        },
        Broken("the newest backup is dated after today", "backup", "clock") { setup in
            _ = try setup.config()
            try await Self.backup(setup) { $0["at"] = Timestamp(Date(timeIntervalSinceNow: 10 * 86_400)).description }
            return []
        },
        Broken("the newest backup was emptied", "backup", "every day") { setup in
            _ = try setup.config()
            let file = try await Self.backup(setup) { _ in }
            try Data().write(to: URL(filePath: file))
            return []
        },
        Broken("the newest backup is cut off", "backup", "every day") { setup in
            _ = try setup.config()
            let file = try await Self.backup(setup) { _ in }
            try Data(contentsOf: URL(filePath: file)).dropLast(5_000).write(to: URL(filePath: file))
            return []
        },
        Broken("the newest backup is gone", "backup", "every day") { setup in
            _ = try setup.config()
            try FileManager.default.removeItem(atPath: try await Self.backup(setup) { _ in })
            return []
        },
        Broken("the record of the newest backup is none", "backup", "every day") { setup in
            _ = try setup.config()
            _ = try setup.scratch.write("garbage\n", to: "ledger.sqlite.last-backup")
            return []
        },
    ]

    /// Makes a backup, whose record a case changes.
    @discardableResult
    static func backup(_ setup: DoctorSetup, _ change: (inout [String: Any]) -> Void) async throws -> String {
        let file = setup.scratch.url.appending(path: "backup.sqlite").path
        let address = "sqlite:\(setup.database)"
        #expect(try await BuiltBinary.run(["ledger", "backup", file, "--database", address]).exitCode == 0)
        let record = URL(filePath: setup.database + ".last-backup")
        var object = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: record)) as? [String: Any])
        change(&object)
        try JSONSerialization.data(withJSONObject: object).write(to: record)
        return file
    }

    /// Stores a payment event that is held.
    private static func hold(_ setup: DoctorSetup, _ detail: String) async throws {
        try await setup.write { ledger throws(LedgerError) in
            let event = StoredPaymentEvent(
                eventId: PaymentEventId("evt_1"),
                provider: .stripe,
                apps: [BundleId(DoctorSetup.bundleId)],
                bundleId: BundleId(DoctorSetup.bundleId),
                type: "invoice.paid",
                isLive: false,
                createdAt: Self.old,
                arrival: .delivered,
                receivedAt: Self.old,
                content: [:],
                customerId: nil,
                objects: ["in_1"]
            )
            let stored = try ledger.insert(event).event
            try ledger.setResult(
                PaymentEventResult(.held, detail: detail, decidedAt: Self.old),
                of: stored,
                app: BundleId(DoctorSetup.bundleId)
            )
        }
    }

    /// Lets a server store a token.
    private static func deliver(
        _ setup: DoctorSetup,
        _ config: String,
        _ more: [String: String],
        of bundleId: String = DoctorSetup.bundleId,
        creationDate: Int64? = nil
    ) async throws {
        var order: [String: Any] = ["bundleId": bundleId]
        order["creationDate"] = creationDate
        let minted = try await HTTP.send("POST", setup.emulator.url + "/emulator/v1/tokens", order)
        let token = try #require(minted.json["token"] as? String, "\(minted.json)")
        let server = try await RunningServer(
            ["serve", "--config", config, "--port", "0", "--database", "sqlite:\(setup.database)"]
        )
        let answer = try await HTTP.send("POST", server.url + "/v1/tokens", more.merging(["token": token]) { $1 })
        #expect(answer.status == 201, "\(answer.json)")
        #expect(server.terminate() == 0)
    }
}
