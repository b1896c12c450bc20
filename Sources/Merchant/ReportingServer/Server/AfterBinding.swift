import ServiceLifecycle

/// Runs a service once the server is bound to its port, so that a server that cannot start sends nothing.
struct AfterBinding: Service {
    private let service: any Service
    private let isBound: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ service: any Service) {
        self.service = service
        (isBound, continuation) = AsyncStream.makeStream()
    }

    func bound() { continuation.yield() }

    func run() async throws {
        var isBound = false
        for await _ in self.isBound.cancelOnGracefulShutdown() {
            isBound = true
            break
        }
        if isBound { try await service.run() }
    }
}
