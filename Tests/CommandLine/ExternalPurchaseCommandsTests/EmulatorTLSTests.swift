import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@Suite("emulator over TLS, as it is run", .serialized)
struct EmulatorTLSTests {
    @Test("A client that trusts the certificate is answered, one that does not is not, nor is plain HTTP")
    func answers() async throws {
        let scratch = try ScratchFolder()
        let files = try SelfSigned(scratch)
        let arguments = ["emulator", "--port", "0", "--tls-certificate", files.certificate, "--tls-key", files.key]
        let server = try await RunningServer(arguments)
        #expect(server.url.hasPrefix("https://127.0.0.1:"))
        let address = server.url.replacing("127.0.0.1", with: "localhost") + "/emulator/v1/clock"

        func status(trusting roots: NIOSSLTrustRoots) async throws -> UInt {
            try await TLSClient.get(address, trusting: roots).status
        }
        #expect(try await status(trusting: .file(files.certificate)) == 200)
        await #expect(throws: (any Error).self) { try await status(trusting: .default) }
        let plain = server.url.replacing("https", with: "http") + "/emulator/v1/clock"
        await #expect(throws: (any Error).self) { try await HTTP.get(plain) }
        // Bytes that are no handshake close their connection and nothing else.
        let raw = try RawConnection(server.url)
        raw.send("GET / HTTP/1.1\r\n\r\n")
        #expect(!raw.receive().text.hasPrefix("HTTP"))
        #expect(try await status(trusting: .file(files.certificate)) == 200)
        #expect(server.terminate() == 0)
    }

    @Test("Wrong files are refused with one clear line that names them")
    func wrongFiles() async throws {
        let scratch = try ScratchFolder()
        let files = try SelfSigned(scratch)
        let other = try SelfSigned(scratch, name: "other")
        let garbage = try scratch.write("hello\n", to: "garbage.pem")
        let none = scratch.url.appending(path: "none.pem").path
        let secret = try String(contentsOfFile: files.key, encoding: .utf8)
        let broken = try scratch.write(secret.replacing("M", with: "N"), to: "broken.key")
        let rows: [(arguments: [String], expected: [String])] = [
            (["--tls-certificate", files.certificate], ["--tls-key"]),
            (["--tls-key", files.key], ["--tls-certificate"]),
            (["--tls-certificate", none, "--tls-key", files.key], ["--tls-certificate", none, "PEM"]),
            (["--tls-certificate", garbage, "--tls-key", files.key], ["--tls-certificate", garbage, "PEM"]),
            (["--tls-certificate", files.key, "--tls-key", files.key], ["--tls-certificate", files.key, "PEM"]),
            (["--tls-certificate", files.certificate, "--tls-key", none], ["--tls-key", none, "PEM"]),
            (["--tls-certificate", files.certificate, "--tls-key", garbage], ["--tls-key", garbage, "PEM"]),
            (["--tls-certificate", files.certificate, "--tls-key", broken], ["--tls-key", broken, "PEM"]),
            (
                ["--tls-certificate", files.certificate, "--tls-key", other.key],
                ["--tls-key", other.key, files.certificate, "not the key"]
            ),
            (["--tls-certificate", scratch.url.path, "--tls-key", files.key], ["--tls-certificate", "PEM"]),
        ]
        for row in rows {
            let result = try await BuiltBinary.run(["emulator", "--port", "0"] + row.arguments)
            #expect(result.exitCode == 2, "\(row.arguments): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
            for text in row.expected { #expect(result.error.contains(text), "\(row.arguments): \(result.error)") }
        }
    }
}
