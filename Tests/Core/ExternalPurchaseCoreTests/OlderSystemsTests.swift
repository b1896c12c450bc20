import ExternalPurchaseCore
import Testing

@Suite("What replaces newer parts of the standard library")
struct OlderSystemsTests {
    @Test("A lock lets one thread at a time at its value")
    func lock() async {
        let lock = Lock((count: 0, isInside: false))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<5_000).allSatisfy { _ in
                        lock.withLock { value in
                            guard !value.isInside else { return false }
                            value.isInside = true
                            value.count += 1
                            value.isInside = false
                            return true
                        }
                    }
                }
            }
            for await wasAlone in group { #expect(wasAlone) }
        }
        #expect(lock.withLock(\.count) == 40_000)
    }

    @Test("A lock is free after an error")
    func lockAfterError() {
        struct Failure: Error {}
        let lock = Lock(1)
        #expect(throws: Failure.self) {
            try lock.withLock { value throws(Failure) in
                value = 2
                throw Failure()
            }
        }
        #expect(lock.withLock(\.self) == 2)
    }

    static let utf8: [[UInt8]] = [
        [], Array("plain".utf8), Array("ä€😀\u{0}\u{FFFD}".utf8), [0x80], [0xC3], [0xC0, 0x80], [0xE2, 0x82],
        [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0x61, 0xFF, 0x62], [0xEF, 0xBF, 0xBD],
        Array("😀".utf8) + [0xF0, 0x9F], [0xEF, 0xBB, 0xBF, 0x61],
    ]

    @Test("UTF-8 is well-formed where the standard library says so, and the text is the same", arguments: utf8)
    func wellFormedUTF8(_ bytes: [UInt8]) {
        let expected = String(validating: bytes, as: UTF8.self)
        #expect(String(wellFormed: bytes).map { Array($0.utf8) } == expected.map { Array($0.utf8) })
        #expect(String(wellFormed: ([0x7B] + bytes)[1...]).map { Array($0.utf8) } == expected.map { Array($0.utf8) })
        #expect((String(wellFormed: bytes.lazy.map(\.self)) == nil) == (expected == nil))
    }

    static let utf16: [[UInt16]] = [
        [], Array("plain".utf16), Array("ä€😀\u{FFFD}".utf16), [0xD83D], [0xDE00], [0xDE00, 0xD83D], [0x61, 0xD83D],
        [0xD83D, 0xD83D, 0xDE00],
    ]

    @Test("UTF-16 is well-formed where the standard library says so, and the text is the same", arguments: utf16)
    func wellFormedUTF16(_ units: [UInt16]) {
        let expected = String(validating: units, as: UTF16.self)
        #expect(String(wellFormed: units).map { Array($0.utf16) } == expected.map { Array($0.utf16) })
    }
}
