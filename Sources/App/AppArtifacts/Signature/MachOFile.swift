package import AppConfiguration

/// What the code signature of an executable grants.
package enum MachOSignature: Hashable, Sendable {
    /// There is no signature.
    case unsigned
    /// It is signed with these entitlements, under the path of the executable; an empty dictionary when signed
    /// without any.
    case signed(entitlements: PropertyListFile)
}

/// A Mach-O executable, of one architecture or several, read for the entitlements in its code signature.
///
/// The signature itself is not verified, nor that it covers the entitlements: `codesign` and App Review do so. Lint
/// compares content. Entitlements of simulator builds, which lie in a section of the executable, are not read.
package struct MachOFile: Hashable, Sendable {
    /// One architecture of the executable.
    package struct Architecture: Hashable, Sendable {
        /// Its name as in Apple's tools, such as `arm64`.
        package let name: String
        /// What its signature grants.
        package let signature: MachOSignature
    }

    /// The largest number of architectures; builds have a handful.
    package static let maximumArchitectures = 16

    /// The architectures in the order of the file; at least one.
    package let architectures: [Architecture]
    /// What the signature of every architecture grants.
    package let signature: MachOSignature

    /// Reads the signatures of an executable.
    ///
    /// - Parameter source: the executable, thin or fat, of 32 or 64 bits, in either order of bytes.
    /// - Returns: its architectures, and the one signature they agree on.
    /// - Throws: an error when it is not a Mach-O file, is damaged, or when its architectures, or the two forms of
    ///   entitlements in one of them, disagree.
    package static func read(_ source: any RandomAccessBytes) throws(ConfigurationReadError) -> MachOFile {
        guard source.count >= 4 else { throw source.fault("it is not a Mach-O executable") }
        let magic = ByteFields(try source.bytes(at: 0, count: 4), .big).word(0)
        var architectures: [Architecture] = []
        if let layout = FatHeader(magic: magic) {
            // In the order of the file, so that a packed executable is unpacked once.
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
