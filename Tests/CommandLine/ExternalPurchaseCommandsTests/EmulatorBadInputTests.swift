import AppStoreEmulator
import ExternalPurchaseCore
import Foundation
import Logging
import Testing

/// Bodies that no path takes.
struct BadBody: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var testDescription: String { name }

    private init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    private init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    private static func deep(_ open: String, _ count: Int) -> String { String(repeating: open, count: count) }

    static let all: [BadBody] = [
        BadBody("empty", ""),
        BadBody("no JSON", "<xml/>"),
        BadBody("invalid UTF-8", [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]),
        BadBody("overlong UTF-8", [0x7B, 0x22, 0xC0, 0x80, 0x22, 0x3A, 0x31, 0x7D]),
        BadBody("NUL bytes", [UInt8](repeating: 0, count: 1_000)),
        BadBody("byte order mark", [0xEF, 0xBB, 0xBF, 0x7B]),
        BadBody("lone surrogate", #"{"status":"\ud800","now":"\udfff","bundleId":"\ud800"}"#),
        BadBody("duplicate keys", #"{"status":7,"status":8,"now":1,"now":2,"bundleId":1,"bundleId":2}"#),
        BadBody("NaN", #"{"lineItems":[{"quantity":NaN}],"seconds":NaN,"account":NaN}"#),
        BadBody("infinity", #"{"lineItems":[{"quantity":Infinity}],"seconds":-Infinity}"#),
        BadBody("1e400", #"{"lineItems":[{"quantity":1e400}],"seconds":1e400,"account":1e400,"startDate":1e400}"#),
        BadBody("1e-400", #"{"lineItems":[{"quantity":1e-400}],"seconds":1e-400,"account":1e-400}"#),
        BadBody("1e999999999", #"{"lineItems":[{"quantity":1e999999999}],"seconds":1e999999999}"#),
        BadBody("a number of 100,000 digits", #"{"seconds":"# + deep("9", 100_000) + "}"),
        BadBody("a key of 1 MB", #"{""# + deep("a", 1_000_000) + #"":1}"#),
        BadBody("deep arrays", deep("[", 500_000)),
        BadBody("deep objects", deep(#"{"a":"#, 150_000)),
        BadBody("deep and closed", #"{"status":"# + deep("[", 400_000) + deep("]", 400_000) + "}"),
        BadBody("many members", "{" + (0..<50_000).map { #""\#($0)":0"# }.joined(separator: ",") + #","status":7}"#),
        BadBody("1 MiB of text", deep("a", 1_048_576)),
        BadBody("1 MiB and a byte", #"{"a":""# + deep("a", 1_048_576) + #""}"#),
        BadBody("4 MiB", deep(" ", 4 * 1_048_576)),
        BadBody("text after the value", "{} {}"),
    ]
}

@Suite("Bad input on every path of the emulator, as it is run", .serialized)
struct EmulatorBadInputTests {
    private static func start(_ settings: [String] = []) async throws -> RunningServer {
        try await RunningServer(
            ["emulator", "--port", "0", "--app", "com.example.shop=1234567890", "--no-auth"]
                + settings.flatMap { ["--set", $0] }
        )
    }

    private static func isServed(_ server: RunningServer) async throws -> Bool {
        try await HTTP.get(server.url + "/emulator/v1/health").status == 200
    }

    private static func post(_ body: [UInt8], _ method: String, _ path: String, _ url: String) throws -> String {
        let connection = try RawConnection(url)
        let head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        connection.send(head + "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body)
        return connection.receive(silence: 60_000).text
    }

    @Test("A body that no path takes is 400 and empty on Apple's path, and the next request is served (SA-50)")
    func reports() async throws {
        let server = try await Self.start()
        for body in BadBody.all {
            let answer = try Self.post(body.bytes, "PUT", "/externalPurchase/v1/reports", server.url)
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(body.name): \(answer.prefix(100))")
            // What is well formed but says nothing lacks its fields; all else has no body.
            let isEmpty = answer.hasSuffix("\r\n\r\n")
            #expect(isEmpty || answer.contains("{\"errorCode\":4,"), "\(body.name): \(answer.suffix(200))")
            #expect(answer.utf8.count < 2_000, "\(body.name): the answer repeats the input")
            #expect(try await Self.isServed(server), "\(body.name)")
        }
        #expect(server.terminate() == 0)
    }

    @Test("Neither does history take it, and says so as Apple does (NT-82)")
    func history() async throws {
        let server = try await Self.start()
        for body in BadBody.all {
            let answer = try Self.post(body.bytes, "POST", "/inApps/v1/notifications/history", server.url)
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(body.name): \(answer.prefix(100))")
            #expect(answer.contains(#"{"errorCode":40000"#), "\(body.name): \(answer.suffix(200))")
            #expect(try await Self.isServed(server), "\(body.name)")
        }
        #expect(server.terminate() == 0)
    }

    @Test(
        "Control paths answer 4xx and one clear reason",
        arguments: [
            ("PUT", "/clock"), ("POST", "/clock/advance"), ("PUT", "/apps/com.example.a"), ("POST", "/tokens"),
            ("PUT", "/settings"), ("POST", "/faults"), ("POST", "/accounts"), ("POST", "/devices"),
            ("POST", "/devices/1/events"), ("POST", "/devices/1/calls"), ("POST", "/notifications"),
            ("PUT", "/snapshot"),
        ]
    )
    func control(method: String, path: String) async throws {
        let server = try await Self.start()
        for body in BadBody.all {
            let answer = try Self.post(body.bytes, method, "/emulator/v1" + path, server.url)
            #expect(answer.hasPrefix("HTTP/1.1 4"), "\(body.name): \(answer.prefix(100))")
            #expect(answer.contains(#"{"error":""#) && answer.contains(#""message":""#), "\(body.name)")
            #expect(answer.utf8.count < 20_000, "\(body.name): the answer repeats the input")
            #expect(try await Self.isServed(server), "\(body.name)")
        }
        #expect(server.terminate() == 0)
    }

    struct BadRequest: Sendable {
        let name: String
        let text: String

        private init(_ name: String, _ text: String) {
            self.name = name
            self.text = text
        }

        private static let host = "Host: 127.0.0.1\r\n"
        private static let get = "GET / HTTP/1.1\r\n" + host
        private static let put = "PUT /externalPurchase/v1/reports HTTP/1.1\r\n" + host
        private static let clock = "GET /emulator/v1/clock HTTP/1.1\r\n"
        private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

        static let all: [BadRequest] = [
            BadRequest("nothing like HTTP", "hello\r\n\r\n"),
            BadRequest("bytes", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n"),
            BadRequest("method of its own", "BREW /externalPurchase/v1/reports HTTP/1.1\r\n\(host)\r\n"),
            BadRequest("long method", "\(many("A", 10_000)) / HTTP/1.1\r\n\(host)\r\n"),
            BadRequest("method with spaces", "GE T / HTTP/1.1\r\n\(host)\r\n"),
            BadRequest("method in a control path", "BREW /emulator/v1/clock HTTP/1.1\r\n\(host)\r\n"),
            BadRequest("CONNECT", "CONNECT 127.0.0.1:80 HTTP/1.1\r\n\(host)\r\n"),
            BadRequest("asterisk", "OPTIONS * HTTP/1.1\r\n\(host)\r\n"),
            BadRequest(
                "absolute form",
                "GET http://evil.example/emulator/v1/clock HTTP/1.1\r\nHost: evil.example\r\n\r\n"
            ),
            BadRequest("no path", "GET  HTTP/1.1\r\n\(host)\r\n"),
            BadRequest("path of 1 MB", "GET /\(many("a", 1_000_000)) HTTP/1.1\r\n\(host)\r\n"),
            BadRequest(
                "wrong percent signs",
                "GET /externalPurchase/v1/reports/%%%zz%f%ff%00 HTTP/1.1\r\n\(host)\r\n"
            ),
            BadRequest("dots", "GET /externalPurchase/v1/reports/../../../etc/passwd HTTP/1.1\r\n\(host)\r\n"),
            BadRequest(
                "query without end",
                "GET /emulator/v1/tokens?\(many("a=b&", 10_000)) HTTP/1.1\r\n\(host)\r\n"
            ),
            BadRequest("no Host", "\(clock)\r\n"),
            BadRequest("two Hosts", "\(clock)\(host)Host: evil.example\r\n\r\n"),
            BadRequest("header of 1 MB", "\(get)A: \(many("a", 1_000_000))\r\n\r\n"),
            BadRequest("10,000 headers", "\(get)\(many("A: b\r\n", 10_000))\r\n"),
            BadRequest("header without colon", "\(get)hello\r\n\r\n"),
            BadRequest("header with NUL", "\(get)A: \u{0}\r\n\r\n"),
            BadRequest("folded header", "\(get)A: b\r\n c\r\n\r\n"),
            BadRequest("negative length", "\(put)Content-Length: -1\r\n\r\n"),
            BadRequest("length past 64 bits", "\(put)Content-Length: 99999999999999999999\r\n\r\n"),
            BadRequest("two lengths", "\(put)Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"),
            BadRequest("length and chunks", "\(put)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            BadRequest("chunk past 64 bits", "\(put)Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n"),
            BadRequest("chunk that is none", "\(put)Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
            BadRequest("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            BadRequest("HTTP/9.9", "GET / HTTP/9.9\r\n\(host)\r\n"),
            BadRequest("HTTP/0.9", "GET /\r\n\r\n"),
            BadRequest(
                "upgrade",
                "\(clock)\(host)Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA\r\n\r\n"
            ),
            BadRequest("half a body", "\(put)Content-Length: 100\r\n\r\n{"),
            BadRequest("pipeline", many("\(put)Content-Length: 1\r\n\r\n{", 200)),
        ]
    }

    @Test("A request that is no good HTTP is refused or dropped, never taken, and the next request is served")
    func requests() async throws {
        let server = try await Self.start()
        for request in BadRequest.all {
            let connection = try RawConnection(server.url)
            connection.send(request.text)
            let wanted = ["no Host": "host-missing", "two Hosts": "host-repeated"][request.name]
            let answer = connection.receive(silence: wanted == nil ? 200 : 60_000) { text in
                wanted.map(text.contains) ?? false
            }
            .text
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1."), "\(request.name): \(answer.prefix(100))")
            if let kind = wanted {
                #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(kind), "\(answer.prefix(400))")
            }
            let harmless = ["upgrade", "query without end"]
            if !harmless.contains(request.name) {
                #expect(!answer.contains("HTTP/1.1 2"), "\(request.name): \(answer.prefix(200))")
            }
            #expect(!answer.contains("HTTP/1.1 5"), "\(request.name): \(answer.prefix(200))")
            #expect(try await Self.isServed(server), "\(request.name)")
        }
        let clock = try await HTTP.get(server.url + "/emulator/v1/clock").json
        #expect(clock["mode"] as? String == "real")
        #expect(server.terminate() == 0)
    }

    @Test("At the last moment of the clock tokens, notifications and calls are answered")
    func endOfTime() async throws {
        let server = try await Self.start()
        let control = server.url + "/emulator/v1"
        let app: [String: Any] = ["notificationURL": "http://127.0.0.1:1/"]
        #expect(try await HTTP.send("PUT", control + "/apps/com.example.shop", app).status == 200)
        for moment in ["1970-01-01T00:00:00.001Z", "9999-12-31T23:59:59.999Z"] {
            #expect(try await HTTP.send("PUT", control + "/clock", ["now": moment]).status == 200, "\(moment)")
            _ = try await HTTP.send("POST", control + "/accounts", [:])
            _ = try await HTTP.send("POST", control + "/devices", ["account": 1])
            for type in ["SERVICES", "ACQUISITION", "IN_APP"] {
                let body = ["tokenType": type]
                let call = try await HTTP.send("POST", control + "/devices/1/calls", body)
                #expect(call.status == 200, "\(moment): \(call.json)")
            }
            let minted = try await HTTP.send(
                "POST",
                control + "/tokens",
                ["bundleId": "com.example.shop", "creationDate": 1_790_812_800_000]
            )
            let id = (minted.json["decoded"] as? [String: Any])?["externalPurchaseId"] as? String ?? "?"
            let order = ["externalPurchaseId": id, "subtype": "UNREPORTED"]
            #expect(try await HTTP.send("POST", control + "/notifications", order).status == 201, "\(moment)")
            #expect(try await HTTP.get(control + "/notifications").status == 200)
        }
        #expect(try await HTTP.send("POST", control + "/clock/advance", ["seconds": 1]).status == 422)
        #expect(server.terminate() == 0)
    }

    // MARK: Connections

    @Test("Ten thousand connections that say nothing: memory stays bounded, and the next request is served")
    func idleConnections() async throws {
        // About a thousand are open at once, and the next ones wait until these are cut off.
        let server = try await Self.start(["http.headTimeout=2s", "http.bodyTimeout=2s"])
        let before = server.residentKilobytes
        let port = try #require(URL(string: server.url)?.port)
        let connections = try HeldConnections(port: port, count: 10_000)
        // Some systems allow a process a thousand.
        #expect(connections.count > 500)
        #expect(try await Self.isServed(server))
        if let before, let after = server.residentKilobytes {
            // AddressSanitizer keeps freed memory for a while.
            let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil
            let grown = after - before
            #expect(grown < (isSanitized ? 800_000 : 400_000), "\(grown) KB for \(connections.count) connections")
        }
        connections.close()
        #expect(try await Self.isServed(server))
        #expect(server.terminate() == 0)
    }

    @Test("With no file descriptor left the emulator lives, and serves when there are some again")
    func noDescriptors() async throws {
        let server = try await RunningServer(
            ["-c", "ulimit -n 128 && exec \"$0\" emulator --port 0", BuiltBinary.url.path],
            executable: URL(filePath: "/bin/sh")
        )
        var connections: [RawConnection] = []
        for _ in 0..<300 { if let connection = try? RawConnection(server.url) { connections.append(connection) } }
        #expect(connections.count > 100)
        try await Task.sleep(for: .milliseconds(300))
        connections = []
        var isServed = false
        for _ in 0..<1_500 where !isServed {
            isServed = (try? await Self.isServed(server)) ?? false
            if !isServed { try await Task.sleep(for: .milliseconds(200)) }
        }
        #expect(isServed)
        #expect(server.terminate() == 0)
    }

    @Test("A head that trickles in is cut off, and so is a connection that says nothing more")
    func slowLoris() async throws {
        let (addresses, continuation) = AsyncStream<AppStoreEmulator.Address>.makeStream()
        var settings = EmulatorSettings()
        try settings.set("http.headTimeout=4s")
        try settings.set("http.idleTimeout=4s")
        let emulator = try AppStoreEmulator(
            EmulatorConfiguration(port: 0, settings: settings),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { continuation.yield($0) }
        let run = Task { try await emulator.run() }
        var iterator = addresses.makeAsyncIterator()
        let address = try #require(await iterator.next())
        let used = try RawConnection(address.baseURL)
        used.send("GET /emulator/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(used.receive(silence: 60_000) { $0.hasPrefix("HTTP/1.1 200") }.text.hasPrefix("HTTP/1.1 200"))
        let trickle = try RawConnection(address.baseURL)
        let silent = try RawConnection(address.baseURL)
        trickle.send("GET /emulator/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nA: ")
        var isCut = false
        for _ in 0..<1_000 where !isCut {
            trickle.send("a")
            isCut = trickle.receive(silence: 50).isClosed
        }
        #expect(isCut)
        #expect(silent.receive(silence: 60_000).isClosed)
        #expect(used.receive(silence: 60_000).isClosed)
        #expect(try await HTTP.get(address.baseURL + "/emulator/v1/health").status == 200)
        run.cancel()
        _ = await run.result
    }
}

/// Connections of a process of its own: Foundation's `Process` must not start programs in one that has more files open
/// than a buffer of `readdir` holds (about 1,365), because it reads behind the buffer; `Tests/Sanitizers/process.swift`
/// shows it.
private final class HeldConnections {
    /// How many were opened; fewer than asked where the system allows fewer open files.
    let count: Int
    private let process = Process()
    private let input = Pipe()

    /// Opens connections; a third of them stays silent, a third begins a head, and a third a body.
    init(port: Int, count: Int) throws {
        let script = """
            trap '' PIPE
            ulimit -Sn "$(ulimit -Hn)"
            for ((number = 0; number < $2; number++)); do
                exec {file}<>/dev/tcp/127.0.0.1/$1 || break
                case $((number % 3)) in
                1) printf 'GET /emulator/v1/health HTTP/1.1\\r\\nHost: 127.' >&$file ;;
                2) printf 'PUT /externalPurchase/v1/reports HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 9' >&$file
                   printf '\\r\\n\\r\\n{' >&$file ;;
                esac
            done 2>/dev/null
            echo $number
            read -r
            """
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script, "bash", "\(port)", "\(count)"]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        self.count = try #require(Int(line.trimmingCharacters(in: .newlines)))
    }

    /// Closes them all.
    func close() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
