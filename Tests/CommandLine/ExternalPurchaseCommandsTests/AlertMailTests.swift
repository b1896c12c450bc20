import ExternalPurchaseCore
import Foundation
import Reporting
import Testing

@testable import ExternalPurchaseCommands

@Suite("Alerts by mail and for Slack")
struct AlertMailTests {
    /// A stored message with one event of each kind.
    private static func body(
        app: String = "com.example.shop",
        reason: String = "due at the end",
        counts: JSONObject = ["overdue": .integer(1), "opened": .integer(2), "2d": .integer(3), "10d": .integer(1)],
        events: Int = 2
    ) -> [UInt8] {
        let due: JSONValue = [
            "id": "aa-overdue", "step": "overdue", "kind": "due", "about": "token", "bundleId": .string(app),
            "environment": "production", "dueAt": "2026-11-30T12:00:00Z", "daysLeft": .integer(-1), "sendAt": .null,
            "heldFor": .null, "reason": .string(reason),
        ]
        let review: JSONValue = [
            "id": "attention-bb", "step": "opened", "kind": "attention", "about": "report", "bundleId": .string(app),
            "attention": .integer(12), "reason": .string("report-refused"), "openedAt": "2026-11-28T11:59:40Z",
        ]
        return JSONValue.object([
            "id": "m", "madeAt": "2026-11-08T09:05:07Z", "total": .integer(2), "counts": .object(counts),
            "events": .array((0..<events).map { $0.isMultiple(of: 2) ? due : review }), "omitted": .integer(5),
        ]).encoded()
    }

    private static func mail(_ body: [UInt8], from: String = "alerts@example.com", to: [String] = ["ops@example.com"])
        throws -> (headers: [String], content: String, raw: String)
    {
        let text = try #require(AlertText(body))
        let raw = String(
            decoding: AlertMail(text: text, messageId: "5f0c", from: from, to: to).bytes,
            as: UTF8.self
        )
        let parts = raw.components(separatedBy: "\n\n")
        try #require(parts.count == 2)
        let headers = parts[0].replacing("\n ", with: " ").components(separatedBy: "\n")
        let content = try #require(Data(base64Encoded: parts[1].replacing("\n", with: "")))
        return (headers, String(decoding: content, as: UTF8.self), raw)
    }

    @Test("Headers and lines of an ordinary message")
    func ordinary() throws {
        let (headers, content, raw) = try Self.mail(Self.body(), to: ["ops@example.com", "root"])
        #expect(
            headers == [
                "From: alerts@example.com", "To: ops@example.com, root",
                "Subject: External purchases: 1 overdue, 2 wait for a person, 3 due within 2 days, 1 due within 10 days",
                "Date: Sun, 8 Nov 2026 09:05:07 +0000", "Message-ID: <5f0c@example.com>",
                "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: base64",
            ]
        )
        let lines = content.components(separatedBy: "\n")
        #expect(
            lines[0]
                == "Overdue: due 2026-11-30T12:00:00Z; due at the end; token of com.example.shop; production; aa-overdue"
        )
        #expect(
            lines[1] == "A person is needed: report-refused; review item 12; since 2026-11-28T11:59:40Z; "
                + "report of com.example.shop; attention-bb"
        )
        #expect(lines[2] == "and 5 more")
        #expect(raw.split(separator: "\n").allSatisfy { $0.utf8.count <= 998 })
    }

    @Test(
        "No text of a message makes a header, a line or a mention of its own",
        arguments: [
            "a\r\nBcc: evil@example.com\r\n\r\nx", "a\nBcc: x", "a\rBcc: x", "\u{2028}Bcc: x", "\u{85}x", "\u{0}", "",
            "店の\u{202E}名前 ✨", "<!channel> & <https://example.com|x>", "=?UTF-8?B?YQ==?=",
            String(repeating: "ü", count: 5_000), "\u{7F}\u{1B}[31m",
        ]
    )
    func hostile(_ text: String) throws {
        let body = Self.body(
            app: text,
            reason: text,
            counts: [text.isEmpty ? "opened" : "\(text.prefix(60))d": .integer(1)]
        )
        let (headers, content, raw) = try Self.mail(body)
        #expect(headers.count == 9, "\(headers)")
        #expect(raw.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
        #expect(content.split(separator: "\n").count == 4, "\(content)")
        #expect(!raw.contains("\nBcc"))
        let subject = try #require(headers.first { $0.hasPrefix("Subject: ") }).dropFirst(9)
        for word in subject.split(separator: " ") where word.hasPrefix("=?") {
            #expect(word.utf8.count <= 75)
            let code = word.dropFirst("=?UTF-8?B?".count).dropLast(2)
            let decoded = try #require(Data(base64Encoded: String(code)))
            #expect(String(data: decoded, encoding: .utf8) != nil)
        }
        let words = try #require(AlertText(body))
        let slack = try #require(try JSONReader().read(AlertWebhook.slackBody(words)).objectValue)
        let message = try #require(slack["text"]?.stringValue)
        #expect(slack.members.count == 1)
        #expect(!message.contains("<") && !message.contains(">"))
        #expect(message.replacing(#/&(amp|lt|gt);/#, with: "").contains("&") == false)
        #expect(message.split(separator: "\n", omittingEmptySubsequences: false).count == 4, "\(message)")
    }

    @Test(
        "A message of a thousand events stays below the length that Slack shows, and says how many lines are left out"
    )
    func huge() throws {
        let text = try #require(AlertText(Self.body(events: 1_000)))
        #expect(text.lines.count == 1_001)
        let message = try #require(
            try JSONReader().read(AlertWebhook.slackBody(text)).objectValue?["text"]?.stringValue
        )
        #expect(message.count < 4_000)
        #expect(message.contains("more lines"))
        #expect(try Self.mail(Self.body(events: 1_000)).content.split(separator: "\n").count == 1_002)
        #expect(AlertText(Array("{}".utf8)) == nil)
        #expect(AlertText([]) == nil)
    }

    @Test(
        "One address each, which no program takes for an option and no header for two",
        arguments: [
            ("ops@example.com", true), ("root", true), ("a.b+c-d_e=f@mail.example.com", true), ("", false),
            ("-oQ/tmp@example.com", false), ("a b@example.com", false), ("a@example.com,b@example.com", false),
            ("Ops <ops@example.com>", false), ("a@example.com\nBcc: b", false), ("ü@example.com", false),
            ("a@", false), ("@example.com", false), ("a@-example.com", false), ("|/bin/sh", false),
            (String(repeating: "a", count: 255), false),
        ]
    )
    func addresses(_ text: String, isOne: Bool) {
        #expect(MailAddress.isOne(text) == isOne)
    }
}

@Suite("sendmail, as a program that is run", .serialized)
struct SendmailTests {
    private static let message = Array(#"{"madeAt":"2026-11-28T12:00:00Z","counts":{"overdue":1},"events":[]}"#.utf8)

    private static func program(_ script: String, mode: Int = 0o755) throws -> (ScratchFolder, String) {
        let scratch = try ScratchFolder()
        let path = try scratch.write("#!/bin/sh\n" + script, to: "sendmail")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return (scratch, path)
    }

    private static func deliver(_ path: String, patience: Duration = .seconds(30)) async -> String? {
        let mail = ServeConfiguration.Mail(to: ["ops@example.com", "root"], from: "alerts@example.com", sendmail: path)
        return await Sendmail(mail: mail, patience: patience).deliver(Self.message, messageId: "m-1")
    }

    @Test("It gets the addresses as arguments and the mail as its input, and neither files nor secrets of the server")
    func taken() async throws {
        let (scratch, path) = try Self.program(
            #"""
            cd "$(dirname "$0")"
            for argument; do echo "$argument"; done >arguments
            cat >mail
            env >environment
            ls /proc/self/fd | sort -n | tr '\n' ' ' >files
            """#
        )
        setenv("EXTERNAL_PURCHASE_SECRET_OF_TEST", "1", 1)
        defer { unsetenv("EXTERNAL_PURCHASE_SECRET_OF_TEST") }
        let open = FileHandle(forReadingAtPath: path)
        defer { try? open?.close() }
        #expect(await Self.deliver(path) == nil)
        func read(_ name: String) throws -> String {
            try String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)
        }
        #expect(try read("arguments") == "-i\n-f\nalerts@example.com\nops@example.com\nroot\n")
        #expect(try read("mail").hasPrefix("From: alerts@example.com\nTo: ops@example.com,\n root\nSubject: External"))
        #expect(try !read("environment").contains("SECRET_OF_TEST"))
        // 3 is the folder that ls reads.
        #expect(try read("files") == "0 1 2 3 ")
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let script: String
        var mode = 0o755
        let says: String
        var testDescription: String { script + String(mode, radix: 8) }
    }

    @Test(
        "A program that fails is named with its reason",
        arguments: [
            Wrong(script: "echo 'no such relay' >&2; exit 75", says: "ended with 75: 'no such relay'"),
            Wrong(script: "exit 1", says: "ended with 1"), Wrong(script: "kill -9 $$", says: "signal 9"),
            Wrong(script: "exit 0", mode: 0o644, says: "Permission denied"),
            Wrong(script: "printf 'a\\033[31m\\nb' >&2; exit 2", says: "ended with 2: 'a"),
        ]
    )
    func failing(_ wrong: Wrong) async throws {
        let (scratch, path) = try Self.program(wrong.script, mode: wrong.mode)
        let reason = try #require(await Self.deliver(path))
        #expect(reason.contains(wrong.says), "\(reason)")
        #expect(!reason.contains("\u{1B}"))
        withExtendedLifetime(scratch) {}
    }

    @Test("One that is missing is named, and one that hangs is ended with what it started")
    func hanging() async throws {
        let (scratch, path) = try Self.program("sleep 600 &\necho $! >\"$0.pid\"\nwait")
        #expect(await Self.deliver(path + ".none")?.contains("No such file") == true)
        #expect(
            Sendmail(mail: .init(to: [], from: "a", sendmail: path + ".none")).problem?.contains("not there") == true
        )
        #expect(Sendmail(mail: .init(to: [], from: "a", sendmail: scratch.url.path)).problem == "is no file")
        #expect(Sendmail(mail: .init(to: [], from: "a", sendmail: path)).problem == nil)
        let reason = await Self.deliver(path, patience: .seconds(2))
        #expect(reason?.contains("did not end within 2 s") == true, "\(reason ?? "")")
        let text = try String(contentsOfFile: path + ".pid", encoding: .utf8)
        let child = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        for _ in 0..<6_000 where FileManager.default.fileExists(atPath: "/proc/\(child)/exe") {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child)/exe")) == nil)
    }

    @Test("The built server mails and posts each alert, one way going on while the other fails, each once")
    func server() async throws {
        let receiver = try WebhookReceiver()
        let (scratch, path) = try Self.program(
            "[ -e \"$0.ready\" ] || exit 75\ncat >\"$0.mail.$$\"\n"
        )
        let sides = try await TwoSides(
            settings: "reporting.send: off",
            more:
                "alerts: {webhook: {url: '\(receiver.url)', format: slack, severities: [warning]}, every: 1s, scheduled: on, "
                + "mail: {to: [ops@example.com], from: alerts@example.com, sendmail: '\(path)'}}"
        )
        func mails() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).filter { $0.contains(".mail.") }
                .map { try String(contentsOf: scratch.url.appending(path: $0), encoding: .utf8) }
        }
        let (token, _) = try await sides.mint()
        try await sides.deliver(token)
        try await sides.advance(days: 5.5)
        // The program refuses, and the post arrives all the same.
        let first = try #require(try await receiver.wait(for: 1).first)
        #expect(first.json["text"] as? String != nil && first.json.count == 1, "\(first.json)")
        func waiting(_ count: Int) async throws {
            let line = "external_purchase_alert_messages_waiting \(count)\n"
            for _ in 0..<2_400 {
                let text = String(decoding: try await HTTP.get(sides.server.url + "/metrics").body, as: UTF8.self)
                if text.contains(line) { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("not \(line)")
        }
        try await waiting(1)
        #expect(try mails().isEmpty)
        _ = try scratch.write("", to: "sendmail.ready")
        try await waiting(0)
        #expect(try mails().count == 1)
        #expect(receiver.messages.count == 1)
        // What is overdue goes by mail alone.
        try await sides.advance(days: 6)
        for _ in 0..<2_400 where try !mails().contains(where: { $0.contains("1 overdue") }) {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try mails().contains { $0.contains("Subject: External purchases: 1 overdue\n") })
        #expect(
            try Set(mails().compactMap { $0.firstMatch(of: #/Message-ID: (.*)/#)?.output.1 }).count == mails().count
        )
        #expect(!receiver.messages.contains { ($0.json["text"] as? String)?.contains("overdue") == true })
        #expect(sides.server.terminate() == 0)
    }
}
