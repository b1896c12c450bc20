import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import ReportConformance

/// A run against an endpoint over HTTP, with its files.
struct ConformanceSession {
    let suite: ConformanceSuite
    let inputs: ConformanceInputs
    let options: ConformancePlan.Options
    let pause: Duration
    let reportFile: String?
    let recordFile: String?
    let progress: TerminalProgress
    let isVerbose: Bool

    /// Plays the cases; a stop is part of the result, because what came before it is reported as well.
    func play(
        _ start: ConformanceReport,
        credentials: APICredentials
    ) async throws -> (report: ConformanceReport, stop: ConformanceStop?) {
        let recorder = try recordFile.map { file throws(CommandFailure) in
            try DialogueFile(file, head: RecordedDialogue.head(of: start))
        }
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        var run = ConformanceRun(
            start,
            suite: suite,
            tokens: inputs.tokens,
            options: options,
            transport: HTTPConformanceTransport(
                http: http,
                signer: UncheckedTokenSigner(credentials: credentials),
                baseURL: inputs.baseURL
            ),
            now: { Timestamp(Date()) },
            wait: { [pause] () async throws(ConformanceStop) in
                do {
                    try await Task.sleep(for: pause)
                } catch {
                    throw .otherSide("the run was interrupted")
                }
            },
            observer: observer(recorder)
        )
        var stop: ConformanceStop?
        do throws(ConformanceStop) {
            try await run.play()
        } catch {
            stop = error
        }
        progress.end()
        try? await http.shutdown()
        return (run.report, stop)
    }

    private func observer(_ recorder: DialogueFile?) -> ConformanceRun.Observer {
        ConformanceRun.Observer(
            store: { [reportFile, suite] report throws(ConformanceStop) in
                guard let reportFile else { return }
                do throws(ConformanceDataError) {
                    let json = try ConformanceEvaluation(report, suite: suite).json(program: Program.version)
                    try Self.write(Array((json.formatted() + "\n").utf8), to: reportFile)
                } catch {
                    throw .notStored("--report \(reportFile): \(error.message)")
                }
            },
            record: { exchange throws(ConformanceStop) in try recorder?.append(exchange.line) },
            progress: { [progress, isVerbose] id, rest in
                if isVerbose { StandardStreams.error("sending \(id)") }
                progress.show("\(id), then \(rest) more")
            }
        )
    }

    private static func write(_ bytes: [UInt8], to file: String) throws(ConformanceDataError) {
        do throws(CommandFailure) {
            try PrivateFile.write(bytes, to: file)
        } catch {
            throw ConformanceDataError(message: error.message ?? "cannot be written")
        }
    }
}

/// The file of a recorded dialogue, to which a continued run appends.
final class DialogueFile {
    private let path: String
    private let handle: FileHandle

    /// Opens the file; a new one begins with the head.
    init(_ path: String, head: [UInt8]) throws(CommandFailure) {
        self.path = path
        let isNew = !FileManager.default.fileExists(atPath: path)
        if isNew { try PrivateFile.write(head + [UInt8(ascii: "\n")], to: path) }
        let first = try InputFile.read(path)
        guard first.split(separator: UInt8(ascii: "\n")).first.map(Array.init) == head else {
            throw .input("--record \(path): is the dialogue of another run; name another file")
        }
        guard let handle = FileHandle(forUpdatingAtPath: path) else {
            throw .input("--record \(path): cannot be written")
        }
        do {
            // A killed run leaves a line that is cut off.
            let end = first.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            try handle.truncate(atOffset: UInt64(end))
            try handle.seekToEnd()
        } catch {
            throw .input("--record \(path): cannot be written")
        }
        self.handle = handle
    }

    func append(_ line: [UInt8]) throws(ConformanceStop) {
        do {
            try handle.write(contentsOf: Data(line + [UInt8(ascii: "\n")]))
        } catch {
            throw .notStored("--record \(path): cannot be written")
        }
    }
}
