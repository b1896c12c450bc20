import Ledger
import Testing

@testable import Reporting

@Suite("Figures that take long to compute are reused")
struct ReusedFiguresTests {
    /// Computes 1, 2, 3 and so on; while it is closed a computation does not end.
    private actor Source {
        private var count = 0
        private var isClosed = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func next() async -> Int {
            count += 1
            let number = count
            if isClosed { await withCheckedContinuation { waiting.append($0) } }
            return number
        }

        func close() { isClosed = true }

        func open() {
            isClosed = false
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    private static func figures(_ source: Source, lifetime: Duration) -> ReusedFigures<Int> {
        ReusedFigures(lifetime: { _, _ in lifetime }) { () throws(LedgerError) in await source.next() }
    }

    @Test("Within their time they are not computed again")
    func young() async throws {
        let figures = Self.figures(Source(), lifetime: .seconds(3_600))
        #expect(try await figures.computed().value == 1)
        #expect(try await figures.computed().value == 1)
    }

    @Test("After it the former ones are returned while new ones are computed, unless they are of no use")
    func old() async throws {
        let source = Source()
        let figures = Self.figures(source, lifetime: .seconds(-1))
        #expect(try await figures.computed().value == 1)
        await source.close()
        #expect(try await figures.computed(patience: .zero).value == 1)
        async let new = figures.computed(patience: .zero) { $0 > 1 }.value
        await source.open()
        #expect(try await new == 2)
    }
}
