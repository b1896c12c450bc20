import AppConfiguration
import ExternalPurchaseCore
import Testing

@testable import AppArtifacts
@testable import ArtifactWriters

struct MachOFileTests {
    private static let link = "com.apple.developer.storekit.external-purchase-link"
    private static let regions = "com.apple.developer.storekit.custom-purchase-link.allowed-regions"

    private static let xml = MachOWriter.Blob.xml(
        "<key>\(regions)</key><array><string>jp</string><string>br</string></array><key>\(link)</key><true/>"
    )
    // The order of DER differs from that of the XML.
    private static let der = MachOWriter.Blob.der([
        (link, ASN1Writer.boolean(true)),
        (regions, ASN1Writer.sequence(ASN1Writer.string("jp"), ASN1Writer.string("br"))),
    ])
    private static let directory = MachOWriter.Blob.other(0, count: 64)

    private func read(_ bytes: [UInt8]) throws(ConfigurationReadError) -> MachOFile {
        try MachOFile.read(MemoryBytes(bytes, path: "App.app/App"))
    }

    private func entitlements(_ bytes: [UInt8]) throws -> PropertyListFile {
        let file = try read(bytes)
        guard case .signed(let entitlements) = file.signature else {
            Issue.record("it is unsigned")
            throw ConfigurationReadError(cause: .notArtifact, file: "", reason: "")
        }
        return entitlements
    }

    private func expectLinkAndRegions(_ entitlements: PropertyListFile) {
        #expect(entitlements.path == "App.app/App")
        #expect(entitlements.format == .binary)
        #expect(entitlements.members.count == 2)
        #expect(entitlements.value(Self.link) == .bool(true))
        #expect(
            entitlements.value(Self.regions)
                == .array([PropertyListNode(.string("jp")), PropertyListNode(.string("br"))])
        )
    }

    @Test(
        "The entitlements of an executable by another linker are read, even if there are none",
        arguments: [("GemShop", 2), ("Unentitled", 0), ("Unsigned.o", nil)] as [(String, Int?)]
    )
    func otherLinker(name: String, count: Int?) throws {
        let archive = try ZipArchive.open(Fixture.open("zig.ipa"))
        let entry = try #require(archive.entry("Payload/GemShop.app/\(name)"))
        let file = try MachOFile.read(archive.stream(entry))
        #expect(file.architectures.map(\.name) == ["arm64"])
        guard let count else {
            #expect(file.signature == .unsigned)
            return
        }
        guard case .signed(let entitlements) = file.signature else {
            Issue.record("it is unsigned")
            return
        }
        #expect(entitlements.path == archive.path(of: entry))
        #expect(entitlements.members.count == count)
        if count > 0 {
            #expect(entitlements.value(Self.link) == .bool(true))
            #expect(entitlements.value("application-identifier") == .string("A1B2C3D4E5.com.example.gemshop"))
        }
    }

    @Test("Entitlements in DER that another tool encoded are read, nested ones too")
    func otherEncoder() throws {
        let blob = MachOWriter.Blob(
            slot: 7,
            magic: 0xFADE_7172,
            content: try Fixture.bytes("openssl-entitlements.der")
        )
        let entitlements = try entitlements(MachOWriter([Self.directory, blob]).bytes())
        #expect(entitlements.value("application-identifier") == .string("A1B2C3D4E5.com.example.gemshop"))
        #expect(entitlements.value(Self.link) == .bool(true))
        #expect(
            entitlements.value(Self.regions)
                == .array([PropertyListNode(.string("jp")), PropertyListNode(.string("br"))])
        )
        let limit = PropertyListMember(key: "limit", node: PropertyListNode(.integer(300)))
        #expect(entitlements.value("nested") == .dictionary([limit]))
    }

    @Test(
        "Entitlements are read of 32 and 64 bits in both orders of bytes",
        arguments: [false, true],
        [false, true]
    )
    func widths(is64: Bool, isBigEndian: Bool) throws {
        let writer = MachOWriter([Self.directory, Self.xml, Self.der]).with {
            $0.is64 = is64
            $0.isBigEndian = isBigEndian
            $0.commands = [little(0x19, 4) + little(16, 4) + little(0, 8)].map { command in
                isBigEndian ? big(0x19, 4) + big(16, 4) + big(0, 8) : command
            }
        }
        expectLinkAndRegions(try entitlements(writer.bytes()))
    }

    @Test("Either form of entitlements is enough, in any order of blobs")
    func forms() throws {
        for blobs in [
            [Self.xml], [Self.der], [Self.der, Self.xml], [Self.directory, Self.xml, Self.der],
            [Self.xml, .other(0x1000, count: 9), .other(0x10000, count: 3000)],
        ] {
            expectLinkAndRegions(try entitlements(MachOWriter(blobs).bytes()))
        }
    }

    @Test("The older form of DER, a plain set of pairs, is read")
    func oldForm() throws {
        let pair = ASN1Writer.sequence(ASN1Writer.string(Self.link), ASN1Writer.boolean(true))
        let blob = MachOWriter.Blob(slot: 7, magic: 0xFADE_7172, content: ASN1Writer.value(0x31, pair))
        #expect(try entitlements(MachOWriter([blob]).bytes()).value(Self.link) == .bool(true))
    }

    @Test("Signed without entitlements, or with an empty file, is an empty dictionary, not unsigned")
    func noEntitlements() throws {
        for blobs in [
            [], [Self.directory], [.xml("")], [MachOWriter.Blob(slot: 5, magic: 0xFADE_7171)],
            [.xml(""), .der([])],
        ] as [[MachOWriter.Blob]] {
            #expect(try entitlements(MachOWriter(blobs).bytes()).members == [])
        }
        #expect(try read(MachOWriter(nil).bytes()).signature == .unsigned)
    }

    private static let phone = MachOWriter([directory, xml, der])
    private static let desktop = phone.with { $0.processor = 0x0100_0007 }

    @Test("The architectures of a fat executable agree", arguments: [false, true], [false, true])
    func fat(isLong: Bool, isLittle: Bool) throws {
        let bytes = MachOWriter.fat([Self.phone, Self.desktop], isLong: isLong, isLittle: isLittle)
        let file = try read(bytes)
        #expect(file.architectures.map(\.name) == ["arm64", "x86_64"])
        #expect(file.architectures.map(\.signature) == [file.signature, file.signature])
        expectLinkAndRegions(try entitlements(bytes))
        #expect(
            try read(MachOWriter.fat([MachOWriter(nil), MachOWriter(nil).with { $0.subtype = 2 }])).signature
                == .unsigned
        )
    }

    @Test("A fat executable in an archive is read in one pass, whatever the order in its header")
    func fatInArchive() throws {
        let bytes = MachOWriter.fat([
            Self.phone.with { $0.code = [UInt8](repeating: 1, count: 900_000) },
            Self.desktop.with { $0.code = [UInt8](repeating: 2, count: 900_000) },
        ])
        let swapped = bytes.replacing(at: 8, Array(bytes[28..<48] + bytes[8..<28]))
        let archive = try ZipArchive.open(MemoryBytes(ZipWriter([ZipWriter.Entry("App", swapped)]).bytes(), path: "a"))
        let source = CountedBytes(try archive.stream(archive.entries[0]))
        #expect(try MachOFile.read(source).architectures.map(\.name) == ["arm64", "x86_64"])
        #expect(source.offsets == source.offsets.sorted())
        #expect(source.total < 4096)
    }

    @Test(
        "Architectures that are signed differently are refused",
        arguments: [
            MachOWriter(nil), MachOWriter([]), MachOWriter([directory, .xml("<key>\(link)</key><true/>")]),
            MachOWriter([
                .xml(
                    "<key>\(regions)</key><array><string>br</string><string>jp</string></array><key>\(link)</key><true/>"
                )
            ]),
        ]
    )
    func disagreeing(other: MachOWriter) throws {
        let bytes = MachOWriter.fat([Self.phone, other.with { $0.processor = 0x0100_0007 }])
        let error = try #require(throws: ConfigurationReadError.self) { try read(bytes) }
        #expect(error.reason == "its architectures arm64 and x86_64 are signed differently")
    }

    private static let start = 12 + 2 * 8

    @Test(
        "A signature whose blobs contradict its index is refused",
        arguments: [
            ([xml, der.with { $0.content[4] ^= 1 }], "the DER form of its entitlements is damaged"),
            ([xml, .der([(link, ASN1Writer.boolean(true))])], "the XML and the DER form of its entitlements disagree"),
            ([xml, .der([])], "the XML and the DER form of its entitlements disagree"),
            ([.der([(link, [0x0A, 1, 1])])], "the DER form of its entitlements is damaged"),
            ([xml, xml], "its code signature contains entitlements twice"),
            ([xml.with { $0.magic = 0xFADE_7172 }], "the entitlements in its code signature are damaged or cut off"),
            ([xml.with { $0.length = 0xFFFF_FFFF }], "the entitlements in its code signature are damaged or cut off"),
            ([xml.with { $0.length = 7 }], "the entitlements in its code signature are damaged or cut off"),
            ([xml.with { $0.length = 0 }], "the entitlements in its code signature are damaged or cut off"),
            ([xml, der.with { $0.offset = start }], "the entitlements in its code signature are damaged or cut off"),
            (
                [xml.with { $0.length = $0.content.count + 9 }, der],
                "the entitlements in its code signature are damaged or cut off"
            ),
            ([xml.with { $0.offset = 0 }], "its code signature is damaged or cut off"),
            ([xml.with { $0.offset = 19 }], "its code signature is damaged or cut off"),
            ([xml.with { $0.offset = 0xFFFF_FFFF }], "its code signature is damaged or cut off"),
            ([directory.with { $0.offset = 0xFFFF_FFF8 }, xml], "its code signature is damaged or cut off"),
            (
                [xml.with { $0.content = Array("<plist>".utf8) }],
                "the XML form of its entitlements is not a readable property list: <plist> is not closed"
            ),
            (
                [xml.with { $0.content = Array("<plist><true/></plist>".utf8) }],
                "the XML form of its entitlements has a"
            ),
        ] as [([MachOWriter.Blob], String)]
    )
    func refusedBlobs(blobs: [MachOWriter.Blob], reason: String) throws {
        let error = try #require(throws: ConfigurationReadError.self) { try read(MachOWriter(blobs).bytes()) }
        #expect(error.cause == .notArtifact)
        #expect(error.file == "App.app/App")
        #expect(error.position == nil)
        #expect(error.reason.hasPrefix(reason))
    }

    @Test("Entitlements too large for any signature are refused by their length alone")
    func largeEntitlements() throws {
        let blob = MachOWriter.Blob(slot: 5, magic: 0xFADE_7171, content: [UInt8](repeating: 0x20, count: 2 << 20))
        let error = try #require(throws: ConfigurationReadError.self) { try read(MachOWriter([blob]).bytes()) }
        #expect(error.reason == "the entitlements in its code signature are too large")
    }

    @Test(
        "A file that is not an executable, or has a damaged header, is refused",
        arguments: [
            ([], "it is not a Mach-O executable"),
            (Array("#!/bin/sh\nexec true # and so on and so on".utf8), "it is not a Mach-O executable"),
            ([0x7F, 0x45, 0x4C, 0x46] + [UInt8](repeating: 0, count: 60), "it is not a Mach-O executable"),
            (big(0xCAFE_BABE, 4) + big(52, 4), "it is not a Mach-O executable, or has too many"),
            (big(0xCAFE_BABE, 4) + big(-1, 4), "it is not a Mach-O executable, or has too many"),
            (big(0xCAFE_BABE, 4) + big(0, 4), "it has no architecture"),
            (big(0xCAFE_BABE, 4) + big(1, 4), "its header is cut off"),
            (big(0xCAFE_BABE, 4), "its header is cut off"),
            (MachOWriter.fat([phone, phone]), "it has the architecture arm64 twice"),
            (
                MachOWriter.fat([phone, desktop]).replacing(at: 20, big(1500, 4)),
                "its architectures arm64 and x86_64 overlap"
            ),
            (MachOWriter.fat([phone]).replacing(at: 16, big(8, 4)), "its architecture arm64 is outside the file"),
            (MachOWriter.fat([phone]).replacing(at: 16, big(-1, 4)), "its architecture arm64 is outside the file"),
            (MachOWriter.fat([phone]).replacing(at: 20, big(-1, 4)), "its architecture arm64 is outside the file"),
            (MachOWriter.fat([phone]).replacing(at: 20, big(3, 4)), "it is not a Mach-O executable"),
            (MachOWriter.fat([phone]).replacing(at: 20, big(27, 4)), "its header is cut off"),
            (
                MachOWriter.fat([phone], isLong: true).replacing(at: 16, big(-1, 8)),
                "its architecture arm64 is outside the file"
            ),
            (MachOWriter.fat([phone]).replacing(at: 12, big(2, 4)), "its architecture arm64 is listed as another"),
            (MachOWriter.fat([phone]).replacing(at: 28, big(0xCAFE_BABE, 4)), "it is not a Mach-O executable"),
            (phone.bytes().replacing(at: 16, little(-1, 4)), "its load commands are damaged or cut off"),
            (phone.bytes().replacing(at: 16, little(2, 4)), "its load commands are damaged or cut off"),
            (phone.bytes().replacing(at: 20, little(-1, 4)), "its load commands are damaged or cut off"),
            (phone.bytes().replacing(at: 36, little(0, 4)), "its load commands are damaged or cut off"),
            (phone.bytes().replacing(at: 36, little(8, 4)), "its load commands are damaged or cut off"),
            (phone.bytes().replacing(at: 36, little(18, 4)), "its load commands are damaged or cut off"),
            (phone.bytes().replacing(at: 40, little(-1, 4)), "its code signature is outside the file"),
            (phone.bytes().replacing(at: 40, little(0, 4)), "its code signature is outside the file"),
            (phone.bytes().replacing(at: 44, little(-1, 4)), "its code signature is outside the file"),
            (phone.bytes().replacing(at: 44, little(11, 4)), "its code signature is damaged or cut off"),
            (
                phone.with { $0.commands = [little(0x1D, 4) + little(16, 4) + little(0, 8)] }.bytes(),
                "it has two code signatures"
            ),
        ] as [([UInt8], String)]
    )
    func refused(bytes: [UInt8], reason: String) throws {
        let error = try #require(throws: ConfigurationReadError.self) { try read(bytes) }
        #expect(error.cause == .notArtifact)
        #expect(error.reason.hasPrefix(reason))
    }

    @Test("An executable cut off anywhere is refused")
    func cutOff() throws {
        for bytes in [Self.phone.bytes(), MachOWriter.fat([Self.phone, Self.desktop])] {
            for count in 0..<bytes.count {
                let error = try #require(throws: ConfigurationReadError.self) { try read(Array(bytes[..<count])) }
                #expect(error.cause == .notArtifact)
            }
        }
    }

    @Test("Every number may be wrong without a crash")
    func wrongNumbers() throws {
        let bytes = MachOWriter.fat([Self.phone, Self.desktop])
        var refused = 0
        for offset in 0..<bytes.count - 4 {
            for number in [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF] {
                do throws(ConfigurationReadError) {
                    _ = try read(bytes.replacing(at: offset, big(number, 4)))
                } catch {
                    refused += 1
                    #expect(error.cause == .notArtifact)
                }
            }
        }
        #expect(refused > bytes.count)
    }

    @Test("Damaged executables are read or refused, never crash", arguments: [1, 2] as [UInt64])
    func damaged(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let bytes = MachOWriter.fat([Self.phone, Self.desktop])
        for _ in 0..<2000 {
            do throws(ConfigurationReadError) {
                _ = try read(bytes.damaged(by: &numbers))
            } catch {
                #expect(error.cause == .notArtifact)
            }
        }
    }
}

extension MachOWriter.Blob {
    /// A modified copy, for cases in a table.
    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Bytes that record which of them were read.
private final class CountedBytes: RandomAccessBytes {
    private let source: any RandomAccessBytes
    private(set) var offsets: [Int] = []
    private(set) var total = 0

    init(_ source: any RandomAccessBytes) {
        self.source = source
    }

    var path: String { source.path }
    var count: Int { source.count }

    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        offsets.append(offset)
        total += count
        return try source.bytes(at: offset, count: count)
    }
}
