import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import ExternalPurchaseKit
import ExternalPurchaseKitBridge
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator

struct BridgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Speak the messages of a wrapper's bridge over a simulated StoreKit.",
        discussion: """
            Reads one JSON request a line from standard input and writes answers and events to standard output, one JSON \
            a line: what an app's native part passes between ExternalPurchaseKitBridge and its host. A wrapper in any \
            language is tested so without Swift.

            The session file is that of the test trait; its sheetAnswers answer the sheets. How a link ended, and what \
            the session found, goes to standard error. The end of the input and SIGTERM end the program.

            Example: external-purchase bridge --session session.json
            """
    )

    @Option(help: ArgumentHelp("The session file.", valueName: "file"))
    var session: String

    @Option(help: ArgumentHelp("Keep tokens in this folder (default: a temporary one).", valueName: "folder"))
    var outbox: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let store = try simulatedStore()
        let folder = try outboxFolder()
        defer { if outbox == nil { try? FileManager.default.removeItem(at: folder) } }
        // A host that ends first must not end this process by its signal.
        signal(SIGPIPE, SIG_IGN)
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(redirectConfiguration: .disallow)
        )
        let input = InputLines()
        let interruption = Interruption(deadline: { .seconds(10) }, stop: { input.end() })
        await interruption.begin()
        input.begin(limit: BridgeConversation.keptBytes)

        let outcomes = Task { [quiet = global.quiet] in
            for await outcome in store.session.linkOutcomes where !quiet { StandardStreams.error(outcome.words) }
        }
        await BridgeConversation(
            bridge: ExternalPurchaseBridge(store: store, folder: folder) { server in
                try ServerTokenTransport(server, http: http)
            },
            session: store.session,
            input: input
        )
        .run()
        outcomes.cancel()
        await outcomes.value
        if !global.quiet {
            for diagnostic in store.session.diagnostics { StandardStreams.error(diagnostic.description) }
        }
        interruption.end()
        try? await http.shutdown()
    }

    private func simulatedStore() throws(CommandFailure) -> SimulatedExternalPurchaseStore {
        do {
            return SimulatedExternalPurchaseStore(session: try StoreKitSession(file: session))
        } catch {
            throw .input("\(error)")
        }
    }

    private func outboxFolder() throws(CommandFailure) -> URL {
        guard let outbox else {
            return FileManager.default.temporaryDirectory.appending(path: "external-purchase-bridge-\(UUID())")
        }
        try FileKind.checkName(outbox)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: outbox, isDirectory: &isFolder), !isFolder.boolValue {
            throw .input("--outbox \(outbox): is a file; name a folder, which may be a new one")
        }
        return URL(filePath: outbox, directoryHint: .isDirectory)
    }
}

extension LinkOutcome {
    /// The line of standard error.
    fileprivate var words: String {
        switch self {
        case .continued(let url): "link opened: \(url.absoluteString)"
        case .cancelled: "link cancelled"
        case .failed(let error): "link failed: \(error.localizedDescription)"
        }
    }
}
