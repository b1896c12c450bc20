import Foundation
import GRDB
import Synchronization
import Testing

/// An emulator of the built binary that keeps its state in a file.
private struct StatefulEmulator {
    static let now = "2026-11-20T12:00:00Z"
    let scratch: ScratchFolder
    let file: String

    init() throws {
        scratch = try ScratchFolder()
        file = scratch.url.appending(path: "state.sqlite").path
    }

    var arguments: [String] {
        [
            "emulator", "--port", "0", "--state", file, "--app", "com.example.shop=1234567890", "--no-auth", "--now",
            Self.now,
        ]
    }

    static func token(_ number: Int) -> String { "4d3f0000-0000-4000-8000-\(String(100_000_000_000 + number))" }

    static func report(_ number: Int) -> [String: Any] {
        [
            "requestIdentifier": "00000000-0000-4000-8000-\(String(100_000_000_000 + number))",
            "externalPurchaseId": token(number % 8), "status": "LINE_ITEM",
            "lineItems": [
                [
                    "lineItemId": "sale-\(number)", "creationDate": 1_794_906_000_000, "eventType": "BUY",
                    "productType": "ONE_TIME_BUY", "productIdentifier": "a", "quantity": 1,
                    "amountTaxExclusive": 1_000, "taxAmount": 0, "amountTaxInclusive": 1_000,
                    "netAmountTaxExclusive": 1_000, "pricingCurrency": "EUR", "reportingCurrency": "EUR",
                    "taxCountry": "ESP",
                ] as [String: Any]
            ],
        ]
    }

    static func put(_ number: Int, to url: String) async throws -> Int {
        try await HTTP.send("PUT", url + "/externalPurchase/v1/reports", report(number)).status
    }

    static func get(_ number: Int, from url: String) async throws -> Int {
        let id = report(number)["requestIdentifier"] as? String ?? ""
        return try await HTTP.get(url + "/externalPurchase/v1/reports/\(id)").status
    }

    static func mint(_ number: Int, at url: String) async throws -> Int {
        let order: [String: Any] = [
            "bundleId": "com.example.shop", "externalPurchaseId": token(number), "creationDate": 1_790_812_800_000,
        ]
        return try await HTTP.send("POST", url + "/emulator/v1/tokens", order).status
    }
}

/// The reports that were answered 200, noted by many clients at once.
private final class Accepted: Sendable {
    private let noted = Mutex<[Int]>([])

    var numbers: [Int] { noted.withLock { $0 } }

    func append(_ number: Int) { noted.withLock { $0.append(number) } }
}

@Suite("emulator --state, as it is run", .serialized)
struct EmulatorStateTests {
    @Test("Killed under load ten times: every report that was answered 200 is there after the restart (SA-65)")
    func killedUnderLoad() async throws {
        let setup = try StatefulEmulator()
        var acknowledged: [Int] = []
        for round in 0..<10 {
            let emulator = try await RunningServer(setup.arguments)
            for token in 0..<8 {
                #expect(try await StatefulEmulator.mint(token, at: emulator.url) == (round == 0 ? 201 : 200))
            }
            for number in acknowledged {
                #expect(try await StatefulEmulator.get(number, from: emulator.url) == 200, "\(number) is lost")
            }
            let accepted = Accepted()
            await withTaskGroup(of: Void.self) { group in
                for client in 0..<8 {
                    group.addTask {
                        for place in 0..<1_000 {
                            let number = round * 10_000 + place * 8 + client
                            guard let status = try? await StatefulEmulator.put(number, to: emulator.url) else { return }
                            if status == 200 { accepted.append(number) }
                        }
                    }
                }
                // Somewhere in the middle, at another place each time.
                while accepted.numbers.count < 5 + 3 * round { try? await Task.sleep(for: .milliseconds(2)) }
                emulator.kill()
                await group.waitForAll()
            }
            acknowledged += accepted.numbers
        }
        #expect(acknowledged.count > 100)
        let emulator = try await RunningServer(setup.arguments)
        for number in acknowledged {
            #expect(try await StatefulEmulator.get(number, from: emulator.url) == 200, "\(number) is lost")
        }
        #expect(emulator.terminate() == 0)
    }

    @Test("A restart keeps clock, apps, root and what falls due; what the command line names comes before the file")
    func restart() async throws {
        let setup = try StatefulEmulator()
        let first = try await RunningServer(setup.arguments)
        #expect(try await StatefulEmulator.mint(1, at: first.url) == 201)
        let order: [String: Any] = ["bundleId": "com.example.shop", "environment": "production"]
        #expect(try await HTTP.send("POST", first.url + "/emulator/v1/tokens", order).status == 201)
        let settings = ["rules.clockSkew": "77s"]
        #expect(try await HTTP.send("PUT", first.url + "/emulator/v1/settings", settings).status == 200)
        let ahead = try await HTTP.send("POST", first.url + "/emulator/v1/clock/advance", ["seconds": 3_600])
        #expect(ahead.json["now"] as? String == "2026-11-20T13:00:00Z")
        let root = try await HTTP.get(first.url + "/emulator/v1/root.cer").body
        let apps = try await HTTP.get(first.url + "/emulator/v1/apps").body
        first.kill()

        // The same command line, though its --now is past.
        let second = try await RunningServer(setup.arguments + ["--set", "simultaneous.hold=3ms"])
        #expect(try await HTTP.get(second.url + "/emulator/v1/clock").json["now"] as? String == "2026-11-20T13:00:00Z")
        #expect(try await HTTP.get(second.url + "/emulator/v1/root.cer").body == root)
        #expect(try await HTTP.get(second.url + "/emulator/v1/apps").body == apps)
        let kept = try await HTTP.get(second.url + "/emulator/v1/settings").json
        #expect(kept["rules.clockSkew"] as? String == "77s")
        #expect(kept["simultaneous.hold"] as? String == "3ms")
        #expect(kept["auth.off"] as? String == "on")
        let day11 = try await HTTP.send("POST", second.url + "/emulator/v1/clock/advance", ["seconds": 950_400])
        #expect(day11.status == 200)
        let made = try await HTTP.get(second.url + "/emulator/v1/notifications").list
        #expect(made.map { $0["subtype"] as? String } == ["UNREPORTED"])
        #expect(second.terminate() == 0)
    }

    /// The permissions of every file of a folder.
    private static func modes(_ folder: URL) throws -> [String: Int] {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: folder.path).reduce(into: [:]) { modes, name in
            let attributes = try manager.attributesOfItem(atPath: folder.appending(path: name).path)
            modes[name] = attributes[.posixPermissions] as? Int
        }
    }

    @Test("The state with its private keys is readable by its owner only, from an older run with other modes on, too")
    func permissions() async throws {
        let setup = try StatefulEmulator()
        let first = try await RunningServer(setup.arguments)
        #expect(try await StatefulEmulator.mint(1, at: first.url) == 201)
        let made = try Self.modes(setup.scratch.url)
        #expect(made.keys.contains("state.sqlite") && made.keys.contains("state.sqlite-wal"))
        #expect(made.values.allSatisfy { $0 == 0o600 }, "\(made)")
        first.kill()
        for name in made.keys {
            let path = setup.scratch.url.appending(path: name).path
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        }
        let second = try await RunningServer(setup.arguments)
        #expect(try await StatefulEmulator.mint(2, at: second.url) == 201)
        let again = try Self.modes(setup.scratch.url)
        #expect(again.keys.contains("state.sqlite-wal"))
        #expect(again.values.allSatisfy { $0 == 0o600 }, "\(again)")
        #expect(second.terminate() == 0)
    }

    @Test("A second emulator on the same file is refused, and the first goes on")
    func secondEmulator() async throws {
        let setup = try StatefulEmulator()
        let first = try await RunningServer(setup.arguments)
        let second = try await BuiltBinary.run(setup.arguments)
        #expect(second.exitCode == 2, "\(second.error)")
        #expect(second.error.contains(setup.file) && second.error.contains("open"), "\(second.error)")
        #expect(second.error.split(separator: "\n").count == 1)
        #expect(try await StatefulEmulator.mint(1, at: first.url) == 201)
        #expect(first.terminate() == 0)
    }

    @Test("A database of another program is refused with one line and left as it was")
    func foreignDatabase() async throws {
        let setup = try StatefulEmulator()
        let queue = try DatabaseQueue(path: setup.file)
        try await queue.write {
            try $0.execute(sql: "CREATE TABLE customer (name TEXT); INSERT INTO customer VALUES ('a')")
        }
        try queue.close()
        try await refused(setup, "another program")
    }

    @Test(
        "A file that is no database is refused with one line and left as it was",
        arguments: ["garbage, and more of it", String(repeating: "SQLite format 3\0garbage", count: 500), "{}"]
    )
    func garbage(text: String) async throws {
        let setup = try StatefulEmulator()
        _ = try setup.scratch.write(text, to: "state.sqlite")
        try await refused(setup, "state.sqlite")
    }

    private func refused(_ setup: StatefulEmulator, _ expected: String) async throws {
        let before = try Data(contentsOf: URL(filePath: setup.file))
        let result = try await BuiltBinary.run(setup.arguments)
        #expect(result.exitCode == 2, "\(result.error)")
        #expect(result.error.contains(setup.file) && result.error.contains(expected), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        #expect(try Data(contentsOf: URL(filePath: setup.file)) == before)
    }

    @Test("A state file whose changes cannot be read is refused with one line")
    func damaged() async throws {
        let setup = try StatefulEmulator()
        #expect(try await RunningServer(setup.arguments).terminate() == 0)
        let queue = try DatabaseQueue(path: setup.file)
        try await queue.write { try $0.execute(sql: "UPDATE change SET body = CAST('{}' AS BLOB)") }
        try queue.close()
        let result = try await BuiltBinary.run(setup.arguments)
        #expect(result.exitCode == 2, "\(result.error)")
        #expect(result.error.contains(setup.file), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
    }

    @Test("A state file in a folder that is not there, and a folder as the file, are refused")
    func noFolder() async throws {
        let setup = try StatefulEmulator()
        for path in [setup.scratch.url.appending(path: "none/state.sqlite").path, setup.scratch.url.path] {
            let result = try await BuiltBinary.run(["emulator", "--port", "0", "--state", path])
            #expect(result.exitCode == 2)
            #expect(result.error.contains(path), "\(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        }
    }

    @Test("--seed: two runs make the same ids and keys, and a restart on a state file makes new ones")
    func seed() async throws {
        func ids(_ extra: [String]) async throws -> [String] {
            let arguments = ["emulator", "--port", "0", "--seed", "7", "--app", "com.example.shop=1"] + extra
            let emulator = try await RunningServer(arguments)
            var ids: [String] = []
            for _ in 0..<3 {
                let body = ["bundleId": "com.example.shop"]
                let answer = try await HTTP.send("POST", emulator.url + "/emulator/v1/tokens", body)
                #expect(answer.status == 201)
                ids.append((answer.json["decoded"] as? [String: Any])?["externalPurchaseId"] as? String ?? "?")
            }
            let app = try await HTTP.get(emulator.url + "/emulator/v1/apps").list.first ?? [:]
            emulator.terminate()
            return ids + [app["keyId"] as? String ?? "?", app["issuerId"] as? String ?? "?"]
        }
        let first = try await ids([])
        #expect(try await ids([]) == first)
        let setup = try StatefulEmulator()
        let state = ["--state", setup.file]
        let begun = try await ids(state)
        let continued = try await ids(state)
        #expect(begun.suffix(2) == continued.suffix(2))
        #expect(Set(begun.prefix(3)).isDisjoint(with: continued.prefix(3)))
    }
}
