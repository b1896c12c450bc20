import AppConfiguration

/// The code signature of one architecture: a blob that contains other blobs, such as the entitlements
/// (`Kernel/kern/cs_blobs.h`; always big-endian).
enum CodeSignature {
    /// The maximum number of blobs.
    ///
    /// Signatures have about eight.
    static let maximumBlobs = 128
    /// The maximum size of the entitlements in bytes.
    static let maximumEntitlements = 512 * 1024

    private static let superBlob: UInt32 = 0xFADE_0CC0

    private enum Slot: UInt32 {
        case xml = 5
        case der = 7

        /// The magic number of the blob in the slot.
        var magic: UInt32 {
            switch self {
            case .xml: 0xFADE_7171
            case .der: 0xFADE_7172
            }
        }
    }

    /// Returns the entitlements, or an empty dictionary when the code is signed without any.
    static func entitlements(in signature: any RandomAccessBytes) throws(ConfigurationReadError) -> PropertyListFile {
        let damaged = signature.fault("its code signature is damaged or cut off")
        guard signature.holds(12, at: 0) else { throw damaged }
        let header = ByteFields(try signature.bytes(at: 0, count: 12), .big)
        let length = header.length(4)
        let count = header.length(8)
        guard header.word(0) == superBlob, length <= signature.count, count <= maximumBlobs else { throw damaged }
        let end = 12 + count * 8
        guard length >= end else { throw damaged }
        let index = try signature.bytes(at: 12, count: count * 8)
        var places: [(slot: Slot, offset: Int)] = []
        for entry in 0..<count {
            let fields = ByteFields(index[entry * 8..<(entry + 1) * 8], .big)
            guard fields.length(4) >= end, fields.length(4) <= length - 8 else { throw damaged }
            guard let slot = Slot(rawValue: fields.word(0)) else { continue }
            guard !places.contains(where: { $0.slot == slot }) else {
                throw signature.fault("its code signature contains entitlements twice")
            }
            places.append((slot, fields.length(4)))
        }
        places.sort { $0.offset < $1.offset }
        var blobs: [Slot: [UInt8]] = [:]
        var free = end
        for place in places {
            let head = ByteFields(try signature.bytes(at: place.offset, count: 8), .big)
            let size = head.length(4)
            guard head.word(0) == place.slot.magic, place.offset >= free, size >= 8, size <= length - place.offset
            else { throw signature.fault("the entitlements in its code signature are damaged or cut off") }
            guard size <= maximumEntitlements else {
                throw signature.fault("the entitlements in its code signature are too large")
            }
            blobs[place.slot] = try signature.bytes(at: place.offset + 8, count: size - 8)
            free = place.offset + size
        }
        return try agreed(xml: blobs[.xml], der: blobs[.der], path: signature.path)
    }

    /// Compares the entitlements of both forms and returns them.
    ///
    /// Since iOS 15 the system reads DER; tools show XML.
    private static func agreed(
        xml: [UInt8]?,
        der: [UInt8]?,
        path: String
    ) throws(ConfigurationReadError) -> PropertyListFile {
        func fault(_ reason: String) -> ConfigurationReadError {
            ConfigurationReadError(cause: .notArtifact, file: path, reason: reason)
        }
        // An empty blob contains no entitlements.
        let fromXML =
            if let xml, !xml.isEmpty {
                try EmbeddedPropertyList.parse(xml, path: path, of: "the XML form of its entitlements")
            } else { nil as PropertyListFile? }
        guard let der else { return fromXML ?? PropertyListFile(path: path, format: .binary, root: .empty) }
        guard let root = EntitlementsDER.read(der) else { throw fault("the DER form of its entitlements is damaged") }
        if let fromXML {
            guard fromXML.root.value.holdsSame(as: root.value) else {
                throw fault("the XML and the DER form of its entitlements disagree")
            }
            return fromXML
        }
        return PropertyListFile(path: path, format: .binary, root: root)
    }
}

extension PropertyListNode {
    fileprivate static var empty: PropertyListNode { PropertyListNode(.dictionary([])) }
}
