import AppConfiguration
import ExternalPurchaseCore
import Testing

@testable import AppArtifacts
@testable import ArtifactWriters

struct ZipArchiveTests {
    private let plist = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.gemshop</string></dict></plist>

        """.utf8
    )

    private func open(_ bytes: [UInt8]) throws(ConfigurationReadError) -> ZipArchive {
        try ZipArchive.open(MemoryBytes(bytes, path: "App.ipa"))
    }

    /// Reads every entry in every possible way.
    private func readAll(_ bytes: [UInt8]) throws(ConfigurationReadError) {
        let archive = try open(bytes)
        for entry in archive.entries {
            _ = try archive.read(entry, limit: 1 << 20)
            let stream = try archive.stream(entry)
            _ = try stream.bytes(at: 0, count: stream.count)
        }
    }

    @Test(
        "Archives of other tools are read with every entry",
        arguments: [
            ("zip.ipa", ["Payload", "Payload/App.app", "Payload/App.app/App", "Payload/App.app/Base.lproj"]),
            ("zip-descriptors.ipa", ["Payload", "Payload/App.app", "Payload/App.app/App"]),
            ("python.ipa", ["Payload/App.app/Info.plist", "Payload/App.app/stored.txt"]),
            ("python-streamed.ipa", ["Payload/App.app/Info.plist"]),
        ]
    )
    func otherTools(name: String, paths: [String]) throws {
        let archive = try ZipArchive.open(Fixture.open(name))
        for path in paths { #expect(archive.entry(path)?.path == path) }
        let entry = try #require(archive.entry("Payload/App.app/Info.plist"))
        #expect(try archive.read(entry, limit: 1000) == plist)
        let stream = try archive.stream(entry)
        #expect(try stream.bytes(at: 0, count: stream.count) == plist)
        if let text = archive.entry("Payload/App.app/stored.txt") {
            #expect(try archive.read(text, limit: 5) == Array("hello".utf8))
        }
    }

    @Test("Folders, symbolic links and names in UTF-8 are recognised as another tool wrote them")
    func kinds() throws {
        let archive = try ZipArchive.open(Fixture.open("zip.ipa"))
        #expect(
            archive.entries.filter(\.isFolder).map(\.path).sorted() == [
                "Payload", "Payload/App.app", "Payload/App.app/Base.lproj",
            ]
        )
        let link = try #require(archive.entries.first { $0.isSymbolicLink })
        #expect(link.path == "Payload/App.app/Link")
        #expect(try archive.read(link, limit: 10) == Array("App".utf8))
        let text = try #require(archive.entry("Payload/App.app/Grüße.txt"))
        #expect(try archive.read(text, limit: 100) == Array("Grüße".utf8))
    }

    @Test(
        "Stored and deflated entries, descriptors, and the fields and records of ZIP64 give the same content",
        arguments: [false, true],
        [false, true]
    )
    func forms(deflates: Bool, isLong: Bool) throws {
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        for usesDescriptor in [false, true] {
            var writer = ZipWriter([
                ZipWriter.Entry("first", "1".utf8),
                ZipWriter.Entry("Payload/App", content, deflates: deflates).with {
                    $0.usesLongSizes = isLong
                    $0.usesDescriptor = usesDescriptor
                },
                ZipWriter.Entry("empty", [], deflates: deflates),
            ])
            writer.usesLongEnd = isLong
            writer.comment = Array("a comment".utf8)
            let archive = try open(writer.bytes())
            #expect(archive.entries.map(\.path) == ["first", "Payload/App", "empty"])
            #expect(archive.entries.map(\.size) == [1, content.count, 0])
            #expect(try archive.read(archive.entries[1], limit: content.count) == content)
            #expect(try archive.read(archive.entries[2], limit: 0) == [])
        }
    }

    @Test("An archive without entries has none")
    func empty() throws {
        #expect(try open(ZipWriter().bytes()).entries == [])
    }

    @Test(
        "Paths are brought into one form",
        arguments: [
            ("Payload/", "Payload", true), ("./Payload//App.app/./Info.plist", "Payload/App.app/Info.plist", false),
            ("..data/x..y", "..data/x..y", false), ("a...", "a...", false),
        ]
    )
    func paths(name: String, path: String, isFolder: Bool) throws {
        let entry = try #require(try open(ZipWriter([ZipWriter.Entry(name, [])]).bytes()).entries.first)
        #expect(entry.path == path)
        #expect(entry.isFolder == isFolder)
    }

    @Test("Names that are not UTF-8 stay different from each other")
    func otherEncodings() throws {
        let names: [[UInt8]] = [[0x81], [0x82]]
        let entries = names.map { name in ZipWriter.Entry("", []).with { $0.name = name } }
        #expect(try open(ZipWriter(entries).bytes()).entries.map(\.path) == ["\u{81}", "\u{82}"])
    }

    @Test("Names that Unicode calls equal but that differ in bytes are two entries")
    func canonicalEquivalence() throws {
        let archive = try open(
            ZipWriter([ZipWriter.Entry("\u{E9}", "1".utf8), ZipWriter.Entry("e\u{301}", "2".utf8)]).bytes()
        )
        let second = try #require(archive.entry("e\u{301}"))
        #expect(try archive.read(second, limit: 1) == Array("2".utf8))
    }

    private static let file = ZipWriter.Entry("Payload/App", [UInt8](repeating: 7, count: 500))

    @Test(
        "An archive that could mislead its reader is refused",
        arguments: [
            (file.with { $0.name = Array("/etc/passwd".utf8) }, "App.ipa", "the path of an entry is absolute"),
            (file.with { $0.name = Array("Payload/../../x".utf8) }, "App.ipa", "leaves the archive with `..`"),
            (file.with { $0.name = Array("..".utf8) }, "App.ipa", "leaves the archive with `..`"),
            (file.with { $0.name = Array("Payload\\App".utf8) }, "App.ipa", "contains a backslash"),
            (file.with { $0.name = Array("Payload\0".utf8) }, "App.ipa", "contains a NUL"),
            (file.with { $0.name = [] }, "App.ipa", "an entry has no name"),
            (file.with { $0.name = [UInt8](repeating: 65, count: 1025) }, "App.ipa", "more than 1024 bytes"),
            (file.with { $0.name = Array("first".utf8) }, "App.ipa/first", "two entries of this path"),
            (file.with { $0.name = Array("./first/".utf8) }, "App.ipa/first", "two entries of this path"),
            (file.with { $0.flags = 1 }, "App.ipa/Payload/App", "it is encrypted"),
            (file.with { $0.flags = 1 << 6 }, "App.ipa/Payload/App", "it is encrypted"),
            (file.with { $0.localHeader = 0 }, "App.ipa/", "overlaps"),
            (file.with { $0.localHeader = 3 }, "App.ipa/", "overlaps"),
            (file.with { $0.localHeader = 0x7FFF_FFFF }, "App.ipa/Payload/App", "is outside the archive's data"),
            (file.with { $0.declaredSize = 1 << 30 }, "App.ipa/Payload/App", "exceeds what deflate can produce"),
            (
                file.with {
                    $0.deflates = false
                    $0.declaredSize = 501
                }, "App.ipa/Payload/App", "declares two sizes"
            ),
        ]
    )
    func refused(entry: ZipWriter.Entry, file: String, reason: String) throws {
        let bytes = ZipWriter([ZipWriter.Entry("first", "1".utf8), entry]).bytes()
        let error = try #require(throws: ConfigurationReadError.self) { try open(bytes) }
        #expect(error.cause == .notArtifact)
        #expect(error.file.hasPrefix(file))
        #expect(error.reason.contains(reason))
    }

    @Test(
        "An entry that contradicts the archive is refused when it is read, and the others are not",
        arguments: [
            (file.with { $0.declaredSize = 499 }, "it unpacks to another size"),
            (file.with { $0.declaredSize = 501 }, "it unpacks to another size"),
            (file.with { $0.checksum = 1 }, "its checksum is wrong"),
            (file.with { $0.localName = Array("Payload/Abb".utf8) }, "its header and the directory"),
            (file.with { $0.method = 12 }, "it is packed by method 12"),
            (
                file.with {
                    $0.deflates = false
                    $0.checksum = 1
                }, "its checksum is wrong"
            ),
            (
                file.with {
                    $0.deflates = false
                    $0.method = 8
                }, "it is damaged"
            ),
        ]
    )
    func refusedContent(entry: ZipWriter.Entry, reason: String) throws {
        let archive = try open(ZipWriter([entry, ZipWriter.Entry("next", "1".utf8)]).bytes())
        let error = try #require(throws: ConfigurationReadError.self) {
            try archive.read(archive.entries[0], limit: 1000)
        }
        #expect(error.cause == .notArtifact)
        #expect(error.file == "App.ipa/Payload/App")
        #expect(error.reason.contains(reason))
        #expect(try archive.read(archive.entries[1], limit: 1) == Array("1".utf8))
        if entry.deflates {
            #expect(throws: ConfigurationReadError.self) {
                let stream = try archive.stream(archive.entries[0])
                _ = try stream.bytes(at: 0, count: stream.count)
            }
        }
    }

    @Test("A local header that reaches into the next entry is refused, though the directory has room for it")
    func localHeaderOverlaps() throws {
        var bytes = ZipWriter([Self.file, ZipWriter.Entry("next", "1".utf8)]).bytes()
        // The length of the local header's extra field.
        bytes = bytes.replacing(at: 28, [4, 0])
        let archive = try open(bytes)
        let error = try #require(throws: ConfigurationReadError.self) {
            try archive.read(archive.entries[0], limit: 1000)
        }
        #expect(error.reason == "it overlaps with what follows it in the archive")
    }

    @Test("Bytes between the end of the packed data and the end of the entry are refused")
    func surplus() throws {
        let packed = ZipWriter.deflated(Self.file.content) + [0]
        let entry = Self.file.with {
            $0.content = packed
            $0.deflates = false
            $0.method = 8
            $0.declaredSize = 500
            $0.checksum = ZipWriter.checksum(Self.file.content)
        }
        let archive = try open(ZipWriter([entry]).bytes())
        let error = try #require(throws: ConfigurationReadError.self) {
            try archive.read(archive.entries[0], limit: 1000)
        }
        #expect(error.reason == "bytes follow the end of its packed data")
    }

    @Test("An entry over the limit is refused before any of it is unpacked, and one that lies about its size at it")
    func bombs() throws {
        let zeros = [UInt8](repeating: 0, count: 2 << 20)
        let honest = try open(ZipWriter([ZipWriter.Entry("zeros", zeros)]).bytes())
        #expect(honest.entries[0].compressedSize < 3000)
        let error = try #require(throws: ConfigurationReadError.self) {
            try honest.read(honest.entries[0], limit: (2 << 20) - 1)
        }
        #expect(error.reason == "it is larger than the limit of 2097151 bytes")
        #expect(throws: ConfigurationReadError.self) { try honest.stream(honest.entries[0], limit: 1000) }
        let lying = ZipWriter.Entry("zeros", zeros).with { $0.declaredSize = 1000 }
        let archive = try open(ZipWriter([lying]).bytes())
        let second = try #require(throws: ConfigurationReadError.self) {
            try archive.read(archive.entries[0], limit: 1000)
        }
        #expect(second.reason == "it unpacks to another size than the archive declares")
    }

    @Test("A stream returns any piece, restarts a few times, and then refuses to restart")
    func streaming() throws {
        var numbers = SplitMix64(seed: 1)
        let content = (0..<1_500_000).map { _ in UInt8.random(in: 0...15, using: &numbers) }
        let archive = try open(ZipWriter([ZipWriter.Entry("App", content)]).bytes())
        let stream = try archive.stream(archive.entries[0])
        #expect(stream.count == content.count)
        for (offset, count) in [
            (0, 4), (4, 100), (70_000, 10), (20, 4), (800_000, 300_000), (1_099_999, 1), (1_499_999, 1),
            (1_500_000, 0), (0, 1_500_000),
        ] {
            #expect(try stream.bytes(at: offset, count: count) == Array(content[offset..<offset + count]))
        }
        for (offset, count) in [(1_500_000, 1), (-1, 1), (0, -1), (1, .max), (.max, .max)] {
            #expect(throws: ConfigurationReadError.self) { try stream.bytes(at: offset, count: count) }
        }
        let error = try #require(throws: ConfigurationReadError.self) {
            let stream = try archive.stream(archive.entries[0])
            for _ in 0..<20 {
                _ = try stream.bytes(at: 1_499_999, count: 1)
                _ = try stream.bytes(at: 0, count: 1)
            }
        }
        #expect(error.reason == "its parts do not follow each other")
    }

    @Test("An archive that is truncated anywhere, or has bytes in front, is refused completely")
    func cutOff() throws {
        for isLong in [false, true] {
            var writer = ZipWriter([Self.file, ZipWriter.Entry("next", "12345".utf8, deflates: false)])
            writer.usesLongEnd = isLong
            let bytes = writer.bytes()
            for count in 0..<bytes.count {
                let error = try #require(throws: ConfigurationReadError.self) { try open(Array(bytes[..<count])) }
                #expect(error.cause == .notArtifact)
            }
            #expect(throws: ConfigurationReadError.self) { try open([0] + bytes) }
        }
    }

    @Test("Every number of the directory and the end records may be wrong without a crash")
    func wrongNumbers() throws {
        for isLong in [false, true] {
            var writer = ZipWriter([Self.file.with { $0.usesLongSizes = isLong }, ZipWriter.Entry("next", "1".utf8)])
            writer.usesLongEnd = isLong
            let bytes = writer.bytes()
            var refused = 0
            for offset in 0..<bytes.count - 4 {
                for number in [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0xFE, 0xFF, 0xFF, 0x7F]] as [[UInt8]] {
                    do throws(ConfigurationReadError) {
                        try readAll(bytes.replacing(at: offset, number))
                    } catch {
                        refused += 1
                        #expect(error.cause == .notArtifact)
                    }
                }
            }
            #expect(refused > bytes.count)
        }
    }

    @Test("An archive of tens of thousands of entries is read, and one of too many is refused")
    func manyEntries() throws {
        let entries = (0..<70_000).map { ZipWriter.Entry("f\($0)", [], deflates: false) }
        var writer = ZipWriter(entries)
        writer.usesLongEnd = true
        let bytes = writer.bytes()
        #expect(try open(bytes).entries.count == 70_000)
        let record = try #require(bytes.lastOffset(of: little(0x0606_4B50, 4)))
        let hostile = bytes.replacing(at: record + 24, little(250_001, 8) + little(250_001, 8))
        let error = try #require(throws: ConfigurationReadError.self) { try open(hostile) }
        #expect(error.reason == "it has more than 250000 entries")
        let untrue = bytes.replacing(at: record + 24, little(250_000, 8) + little(250_000, 8))
        #expect(try #require(throws: ConfigurationReadError.self) { try open(untrue) }.reason.contains("cut off"))
    }

    @Test("Damaged archives are read or refused, never crash", arguments: [1, 2] as [UInt64])
    func damaged(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let seeds = try ["zip.ipa", "python.ipa", "python-streamed.ipa"].map(Fixture.bytes)
        var refused = 0
        for round in 0..<1000 {
            do throws(ConfigurationReadError) {
                try readAll(seeds[round % seeds.count].damaged(by: &numbers))
            } catch {
                refused += 1
                #expect(error.cause == .notArtifact)
            }
        }
        #expect(refused > 400)
    }
}
