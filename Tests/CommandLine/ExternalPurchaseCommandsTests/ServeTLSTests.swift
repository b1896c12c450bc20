import Foundation
import NIOSSL
import Testing

@Suite("serve over TLS, as it is run", .serialized)
struct ServeTLSTests {
    @Test("A client that trusts the root is answered through the chain; one that does not, or is old, or plain, is not")
    func answers() async throws {
        let setup = try await ServerUnderTest()
        let files = try CertificateChain(setup.scratch)
        let server = try await RunningServer(
            setup.arguments + ["--tls-certificate", files.chain, "--tls-key", files.key]
        )
        #expect(server.url.hasPrefix("https://127.0.0.1:"))
        let address = server.url.replacing("127.0.0.1", with: "localhost") + "/v1/tokens"
        let answer = try await TLSClient.get(address, trusting: .file(files.root))
        #expect(answer.status == 200)
        #expect(answer.body.contains("\"tokens\""), "\(answer.body)")
        #expect(try await TLSClient.get(address, trusting: .file(files.root), newest: .tlsv12).status == 200)
        await #expect(throws: (any Error).self) {
            try await TLSClient.get(address, trusting: .file(files.root), newest: .tlsv11)
        }
        await #expect(throws: (any Error).self) { try await TLSClient.get(address, trusting: .default) }
        let plain = server.url.replacing("https", with: "http") + "/health/live"
        await #expect(throws: (any Error).self) { try await HTTP.get(plain) }
        #expect(server.terminate() == 0)
        // Without its intermediate the certificate leads to no root: the client before was shown the chain.
        let short = try await RunningServer(
            setup.arguments + ["--tls-certificate", files.leaf, "--tls-key", files.key]
        )
        let other = short.url.replacing("127.0.0.1", with: "localhost") + "/health/live"
        await #expect(throws: (any Error).self) { try await TLSClient.get(other, trusting: .file(files.root)) }
        #expect(short.terminate() == 0)
    }

    @Test("Wrong files are refused with one clear line that names them, and no ledger is made")
    func wrongFiles() async throws {
        let setup = try await ServerUnderTest()
        let scratch = setup.scratch
        let files = try SelfSigned(scratch)
        let other = try SelfSigned(scratch, name: "other")
        let garbage = try scratch.write("hello\n", to: "garbage.pem")
        let none = scratch.url.appending(path: "none.pem").path
        let rows: [(arguments: [String], expected: [String])] = [
            (["--tls-certificate", files.certificate], ["--tls-key"]),
            (["--tls-key", files.key], ["--tls-certificate"]),
            (["--tls-certificate", none, "--tls-key", files.key], ["--tls-certificate", none, "PEM"]),
            (["--tls-certificate", garbage, "--tls-key", files.key], ["--tls-certificate", garbage, "PEM"]),
            (["--tls-certificate", files.certificate, "--tls-key", none], ["--tls-key", none, "PEM"]),
            (["--tls-certificate", files.certificate, "--tls-key", garbage], ["--tls-key", garbage, "PEM"]),
            (
                ["--tls-certificate", files.certificate, "--tls-key", other.key],
                ["--tls-key", other.key, files.certificate, "not the key"]
            ),
        ]
        for row in rows {
            let result = try await BuiltBinary.run(setup.arguments + row.arguments)
            #expect(result.exitCode == 2, "\(row.arguments): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
            for text in row.expected { #expect(result.error.contains(text), "\(row.arguments): \(result.error)") }
        }
        #expect(!FileManager.default.fileExists(atPath: setup.database))
    }
}
