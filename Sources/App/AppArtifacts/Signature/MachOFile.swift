import AppConfiguration

/// The entitlements in the code signature of an executable.
enum MachOSignature: Hashable, Sendable {
    /// There is no signature.
    case unsigned
    /// The executable is signed with these entitlements, whose path is that of the executable.
    ///
    /// The dictionary is empty if it is signed without any.
    case signed(entitlements: PropertyListFile)
}

/// A Mach-O executable with one or more architectures, read for the entitlements in its code signature.
///
/// Neither the signature nor its coverage of the entitlements is verified; `codesign` and App Review do that. The
/// linter compares content. Entitlements of simulator builds, which are in a section of the executable, are not read.
struct MachOFile: Hashable, Sendable {
    /// One architecture of the executable.
    struct Architecture: Hashable, Sendable {
        /// The name in Apple's tools, such as `arm64`.
        let name: String
        /// The signature of the architecture.
        let signature: MachOSignature
    }

    /// The maximum number of architectures.
    ///
    /// Builds have a few.
    static let maximumArchitectures = 16

    /// The architectures in the order of the file; at least one.
    let architectures: [Architecture]
    /// The signature that all architectures agree on.
    let signature: MachOSignature

    /// Reads the signatures of an executable.
    ///
    /// - Parameter source: the executable, thin or fat, of 32 or 64 bits, in either byte order.
    /// - Returns: the architectures, and the signature that they agree on.
    /// - Throws: an error when the source is not a Mach-O file, is damaged, or when its architectures, or the two forms
    ///   of entitlements in one of them, disagree.
    static func read(_ source: any RandomAccessBytes) throws(ConfigurationReadError) -> MachOFile {
        guard source.count >= 4 else { throw source.fault("it is not a Mach-O executable") }
        let magic = ByteFields(try source.bytes(at: 0, count: 4), .big).word(0)
        var architectures: [Architecture] = []
        if let layout = FatHeader(magic: magic) {
            // In the order of the file, so that a compressed executable is decompressed only once.
            for slice in try layout.slices(of: source) {
                let part = try ByteSection(of: source, at: slice.offset, count: slice.size, path: source.path)
                architectures.append(try MachOSlice.read(part, expecting: slice.processor))
            }
        } else {
            architectures.append(try MachOSlice.read(source, expecting: nil))
        }
        guard let first = architectures.first else { throw source.fault("it has no architecture") }
        for other in architectures.dropFirst() where !other.signature.grantsSame(as: first.signature) {
            throw source.fault("its architectures \(first.name) and \(other.name) are signed differently")
        }
        return MachOFile(architectures: architectures, signature: first.signature)
    }
}

extension MachOSignature {
    fileprivate func grantsSame(as other: MachOSignature) -> Bool {
        switch (self, other) {
        case (.unsigned, .unsigned): true
        case (.signed(let left), .signed(let right)): left.root.value.holdsSame(as: right.root.value)
        default: false
        }
    }
}
