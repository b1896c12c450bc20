import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import CommandSupport
@testable import ExternalPurchaseCommands

@Suite("The demo plays the whole story, and can fail")
struct DemoTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var text: String { lines.withLock { $0.joined(separator: "\n") } }
    }

    private func play(_ change: (inout Demo) -> Void) async throws -> (isAccepted: Bool, text: String) {
        let lines = Lines()
        var demo = Demo()
        demo.style = TerminalStyle(isTerminal: false, environment: [:])
        demo.print = { lines.add($0) }
        demo.logger.logLevel = .critical
        change(&demo)
        return (try await demo.run(), lines.text)
    }

    @Test("Every step is accepted, and the refund's net is what is left of the buy (RR-20, RR-44, RR-46)")
    func wholeStory() async throws {
        let (isAccepted, text) = try await play { _ in }
        #expect(isAccepted, "\(text)")
        Self.checkStory(text)
        // 9.99 with 21 %: tax 1.734; the refund's tax is 1.734 × 3.00 ÷ 9.99 = 0.521.
        #expect(text.contains("EUR 8.256 + tax 1.734 = 9.99; net left 8.256"), "\(text)")
        #expect(text.contains("EUR 2.479 + tax 0.521 = 3.00; net left 5.777"), "\(text)")
        #expect(!text.contains("\u{1B}"))
        for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    /// The steps after the refund, with figures computed by hand from the prices (RR-31, RR-44, RR-46, RR-84).
    private static func checkStory(_ text: String) {
        #expect(text.components(separatedBy: "✓ accepted").count - 1 == 27, "\(text)")
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for part in [
            // 8.99 with 21 %: tax 1.560; of the net of 7.430 the refund took 2.479.
            "amountTaxInclusive 9.99 → 8.99", "netAmountTaxExclusive 8.256 → 4.951",
            "EUR 7.43 + tax 1.56 = 8.99; net left 4.951",
            // Stripe states 0.87 of tax in 4.99, as whole cents.
            "checkout.session.completed: waiting", "checkout.session.completed: applied", "invoice.paid: applied",
            "SUBSCRIPTION_START, 0 paid days", "RENEWAL, 30 paid days", "EUR 4.12 + tax 0.87 = 4.99; net left 4.12",
            "the second delivery changed nothing", "refund.created: waiting", "refund.created: applied",
            "invoice_payment.paid: applied",
            // The tax of 2.00 is 0.87 × 2.00 ÷ 4.99 = 0.349; the net that is left is 4.120 − 1.651.
            "EUR 1.651 + tax 0.349 = 2.00; net left 2.469",
        ] { #expect(words.contains(part), "\(part) is missing:\n\(text)") }
    }

    @Test(
        "In every storefront of GemShop the story is the same, with the tax of the country",
        arguments: ["FIN", "ISL"]
    )
    func storefronts(_ code: String) async throws {
        let (isAccepted, text) = try await play { $0.storefront = StorefrontCode(code) ?? .netherlands }
        #expect(isAccepted, "\(text)")
        // 4.99 with 25.5 %: 1.01 in whole cents; with 24 %: 0.97.
        let figures = ["FIN": "EUR 3.98 + tax 1.01 = 4.99", "ISL": "EUR 4.02 + tax 0.97 = 4.99"]
        #expect(text.contains(try #require(figures[code])), "\(text)")
    }

    @Test("Without the entitlement it ends at the question, with the failed condition")
    func withoutEntitlement() async throws {
        let (isAccepted, text) = try await play { demo in
            demo.entitlements = demo.entitlements.replacing("external-purchase-link", with: "something-else")
        }
        #expect(!isAccepted)
        #expect(text.contains("✗ failed"))
        #expect(text.contains("eligibleURLs"))
        #expect(text.contains("C3"), "\(text)")
    }

    @Test("An injected 400 of Apple's side ends it at the report, with the answer")
    func refusedReport() async throws {
        let (isAccepted, text) = try await play { demo in
            demo.afterStart = { addresses in
                let fault: [String: Any] = [
                    "match": ["method": "PUT", "path": "/externalPurchase/v1/reports"],
                    "behaviour": ["status": 400], "times": 100,
                ]
                let answer = try await HTTP.send("POST", addresses.emulator + "/emulator/v1/faults", fault)
                #expect(answer.status < 300, "\(answer.json)")
            }
        }
        #expect(!isAccepted)
        #expect(text.contains("✗ failed    Apple's side accepts the report of the purchase"), "\(text)")
        #expect(text.contains("400"), "\(text)")
    }

    @Test("In another storefront it ends at the question with the reason")
    func otherStorefront() async throws {
        let (isAccepted, text) = try await play { $0.storefront = StorefrontCode("USA") ?? .netherlands }
        #expect(!isAccepted)
        #expect(text.contains("C5"), "\(text)")
    }

    @Test("The built binary ends with 0 after the story, with 1 when a step fails")
    func exitCodes() async throws {
        let story = try await BuiltBinary.run(["demo", "--headless", "--exit"])
        #expect(story.exitCode == 0, "\(story.output) \(story.error)")
        Self.checkStory(story.output)
        let failed = try await BuiltBinary.run(["demo", "--headless", "--exit", "--storefront", "USA"])
        #expect(failed.exitCode == 1, "\(failed.output)")
        #expect(failed.output.contains("✗ failed"))
    }

    @Test("The printed link signs in to the dashboard once; a second use and a made-up token are refused")
    func signInLink() async throws {
        let demo = try await RunningDemo()
        let link = try #require(demo.text.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+\/sign-in\/link\?token=\S+/))
        let server = try #require(link.output.split(separator: "/sign-in").first.map(String.init))
        let token = try #require(link.output.split(separator: "token=").last.map(String.init))
        #expect(try await Self.get("\(server)/").status == 303, "the dashboard needs a sign-in")

        // A program that only fetches the link uses nothing up.
        #expect(try await Self.get(String(link.output)).status == 200)
        let page = try await Self.get(String(link.output))
        let answer = try await Self.press(page, token, server)
        #expect(answer.status == 303, "\(answer.text)")
        let session = try #require(answer.cookies.first { $0.hasPrefix("external-purchase=") })
        #expect(session.contains("HttpOnly"))
        let cookie = String(session.prefix { $0 != ";" })
        let home = try await Self.get("\(server)/", cookie: cookie)
        #expect(home.status == 200 && home.text.contains("demo"), "\(home.text)")
        for path in ["/sales", "/corrections", "/reports"] {
            #expect(try await Self.get(server + path, cookie: cookie).status == 200, "\(path)")
        }

        let second = try await Self.press(page, token, server)
        #expect(second.status == 403 && !second.text.contains("Sign out"), "\(second.text)")
        #expect(!second.cookies.contains { $0.hasPrefix("external-purchase=") })
        #expect(try await Self.get(String(link.output)).status == 403)
        let madeUp = try await Self.get("\(server)/sign-in/link?token=\(String(repeating: "A", count: 43))")
        #expect(madeUp.status == 403)

        let device = try #require(demo.text.firstMatch(of: /device page +(http:\S+)/))
        #expect(try await Self.get(String(device.1)).status == 200)
        let error = try demo.end()
        // The log of --verbose has the requests, and no token.
        #expect(error.contains("/sign-in/link"), "\(error)")
        #expect(!error.contains(token))
    }

    private typealias Answer = (status: Int, text: String, cookies: [String])

    private static func get(_ url: String, cookie: String? = nil) async throws -> Answer {
        try await send(url, cookie: cookie, form: nil)
    }

    /// Presses the button of the link's page.
    private static func press(_ page: Answer, _ token: String, _ server: String) async throws -> Answer {
        let csrf = try #require(page.text.firstMatch(of: /name="csrf" value="([^"]+)"/)).1
        let cookie = try #require(page.cookies.first { $0.hasPrefix("external-purchase-form=") })
        return try await send(
            "\(server)/sign-in/link",
            cookie: String(cookie.prefix { $0 != ";" }),
            form: "csrf=\(csrf)&token=\(token)"
        )
    }

    /// Sends a request without following redirects or storing cookies.
    private static func send(_ url: String, cookie: String?, form: String?) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        if let cookie { request.headers.add(name: "Cookie", value: cookie) }
        if let form {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: form))
        }
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(redirectConfiguration: .disallow)
        )
        let result: Result<Answer, any Error>
        do {
            let response = try await http.execute(request, timeout: .seconds(300))
            let body = try await response.body.collect(upTo: 1 << 22)
            result = .success((Int(response.status.code), String(buffer: body), response.headers["Set-Cookie"]))
        } catch {
            result = .failure(error)
        }
        try await http.shutdown()
        return try result.get()
    }

    /// The built binary's demo, which goes on running after the story.
    private final class RunningDemo {
        private let process: Process
        private let log: URL
        private let scratch: ScratchFolder
        /// What it printed up to the addresses.
        let text: String

        init() async throws {
            let scratch = try ScratchFolder()
            let log = URL(filePath: try scratch.write("", to: "log"))
            let (process, output) = (Process(), Pipe())
            process.executableURL = BuiltBinary.url
            process.arguments = ["demo", "--headless", "--verbose"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = try FileHandle(forWritingTo: log)
            try process.run()
            text = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
                Thread.detachNewThread {
                    var data = Data()
                    while !String(decoding: data, as: UTF8.self).contains("turned by hand: POST") {
                        let part = output.fileHandleForReading.availableData
                        if part.isEmpty { break }
                        data += part
                    }
                    continuation.resume(returning: String(decoding: data, as: UTF8.self))
                }
            }
            (self.scratch, self.log, self.process) = (scratch, log, process)
        }

        /// Interrupts it.
        ///
        /// - Returns: its log.
        func end() throws -> String {
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return try String(contentsOf: log, encoding: .utf8)
        }

        deinit {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
    }
}
