import AppConfiguration
import ExternalPurchaseCore

@testable import AppArtifacts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Files made by tools that share no code with the readers; `Fixtures/make` describes how.
enum Fixture {
    static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)").path
    }

    static func open(_ name: String) throws -> FileBytes {
        try FileBytes(path: path(name))
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        let file = try open(name)
        return try file.bytes(at: 0, count: file.count)
    }
}

extension [UInt8] {
    /// The bytes with a few of them replaced.
    func damaged(by numbers: inout SplitMix64) -> [UInt8] {
        var copy = self
        for _ in 0..<Int.random(in: 1...4, using: &numbers) where !copy.isEmpty {
            let extremes: [UInt8] = [0, 0xFF, 0x7F, 0x80, UInt8.random(in: 0...255, using: &numbers)]
            copy[Int.random(in: 0..<copy.count, using: &numbers)] = extremes.randomElement(using: &numbers) ?? 0
        }
        return copy
    }

    /// The bytes with those from an offset replaced.
    func replacing(at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
        var copy = self
        copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return copy
    }

    /// The offset of the last occurrence of a sequence of bytes.
    func lastOffset(of mark: [UInt8]) -> Int? {
        stride(from: count - mark.count, through: 0, by: -1).first { self[$0..<$0 + mark.count].elementsEqual(mark) }
    }
}

extension PropertyListFile {
    /// The value of a member of the root dictionary.
    func value(_ key: String) -> PropertyListValue? { member(key)?.node.value }
}
