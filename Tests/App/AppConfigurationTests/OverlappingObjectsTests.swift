import AppConfiguration
import Testing

/// Binary property lists whose objects share bytes, so that a small file would fill the memory.
struct OverlappingObjectsTests {
    /// A file of objects and their offsets, the first object at the root.
    private func file(_ objects: [UInt8], offsets: [Int], referenceSize: UInt8) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let head = Array("bplist00".utf8) + objects
        return head + offsets.flatMap { number($0 + 8, 4) } + [0, 0, 0, 0, 0, 0, 4, referenceSize]
            + number(offsets.count, 8) + number(0, 8) + number(head.count, 8)
    }

    @Test("Nested arrays that all refer to the complete file are refused at once")
    func arrays() throws {
        // 200 arrays, each with the marker 0xA and a count of four bytes. The references are the following bytes, all
        // of which are object numbers.
        let filling = 4_000_000
        var objects: [UInt8] = []
        var offsets: [Int] = []
        for _ in 0..<200 {
            offsets.append(objects.count)
            objects += [0xAF, 0x12, 0x00, 0x3D, 0x00, 0x00, UInt8(offsets.count)]
        }
        // The one-byte reference after each count refers to the next array.
        objects += [UInt8](repeating: 0, count: filling)
        let bytes = file(objects, offsets: offsets, referenceSize: 1)
        let error = try #require(throws: ConfigurationReadError.self) {
            try PropertyListFile.parse(bytes, path: "Info.plist")
        }
        #expect(error.cause == .tooLarge)
        #expect(error.reason == "it has more than 50000 values")
    }

    @Test("Data that overlaps is refused, and data that does not is read", arguments: [false, true])
    func data(overlaps: Bool) throws {
        let count = 100
        // An array of the objects 1 to 100, then 100 pieces of data of 1,000 bytes each.
        var objects: [UInt8] = [0xAF, 0x10, UInt8(count)] + (1...count).map { UInt8($0) }
        var offsets = [0]
        for _ in 0..<count {
            offsets.append(objects.count)
            objects += [0x4F, 0x11, 0x03, 0xE8]
            if !overlaps { objects += [UInt8](repeating: 7, count: 1000) }
        }
        objects += [UInt8](repeating: 7, count: 1000)
        let bytes = file(objects, offsets: offsets, referenceSize: 1)
        guard overlaps else {
            let root = try PropertyListFile.parse(bytes, path: "Info.plist").root
            let piece = PropertyListNode(.data([UInt8](repeating: 7, count: 1000)))
            #expect(root.value == .array([PropertyListNode](repeating: piece, count: count)))
            return
        }
        let error = try #require(throws: ConfigurationReadError.self) {
            try PropertyListFile.parse(bytes, path: "Info.plist")
        }
        #expect(error.cause == .notPropertyList)
        #expect(error.reason == "its objects overlap")
    }
}
