import AppConfiguration
import ExternalPurchaseCore

/// The names by which files and entries of external purchases are recognised before the rules read them.
enum KnownNames {
    /// True for a key with the prefix of external purchase keys in any case, and for one that is near a known key, so
    /// that the linter also sees misspelled keys.
    static func isExternalPurchaseKey(_ key: String) -> Bool {
        key.lowercased().hasPrefix("skexternal")
            || KnownEntryName.nearest(to: key, in: .infoPlist)?.name.hasPrefix("SK") == true
    }

    /// True for an entitlement with the prefix of external purchase entitlements in any case, and for one that is near a
    /// known one.
    static func isExternalPurchaseEntitlement(_ key: String) -> Bool {
        key.lowercased().hasPrefix("com.apple.developer.storekit.")
            || KnownEntryName.nearest(to: key, in: .entitlements)?.name.hasPrefix("com.apple.") == true
    }

    /// True when Info.plist or the entitlements of an app contain a key or entitlement of external purchases.
    static func areUsed(in configuration: AppConfiguration) -> Bool {
        let files = [configuration.infoPlist, configuration.entitlements, configuration.signedEntitlements]
        return !configuration.elsewhere.isEmpty
            || files.contains { file in
                file?.members.contains {
                    isExternalPurchaseKey($0.key) || isExternalPurchaseEntitlement($0.key)
                } ?? false
            }
    }

    /// True when the root of a property list contains keys of an Info.plist.
    static func isInfoPlist(_ file: PropertyListFile) -> Bool {
        file.members.contains { $0.key.hasPrefix("CFBundle") || isExternalPurchaseKey($0.key) }
    }

    /// True when the bytes could be an Info.plist and are worth parsing: they are UTF-16, or contain one of the
    /// characteristic words, which binary property lists store literally.
    static func mayBeInfoPlist(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return true }
        return bytes.withUnsafeBufferPointer { buffer in
            var index = 0
            while index + 8 <= buffer.count {
                // C of CFBundle, S or s of SKExternal. All other bytes are skipped.
                let byte = buffer[index]
                if byte == 0x43, matches(buffer, at: index, bundleWord, folding: 0) { return true }
                if byte | 0x20 == 0x73, matches(buffer, at: index, keyWord, folding: 0x20) { return true }
                index += 1
            }
            return false
        }
    }

    private static let bundleWord = Array("CFBundle".utf8)
    private static let keyWord = Array("skexternal".utf8)

    private static func matches(
        _ buffer: UnsafeBufferPointer<UInt8>,
        at start: Int,
        _ word: [UInt8],
        folding mask: UInt8
    ) -> Bool {
        guard start + word.count <= buffer.count else { return false }
        for offset in word.indices where buffer[start + offset] | mask != word[offset] { return false }
        return true
    }
}
