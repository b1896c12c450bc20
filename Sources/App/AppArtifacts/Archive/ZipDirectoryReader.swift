import AppConfiguration

/// Reads the directory of a zip archive.
struct ZipDirectoryReader {
    /// The maximum number of entries.
    ///
    /// Large games have some tens of thousands.
    static let maximumEntries = 250_000
    /// The maximum size of the directory in bytes.
    static let maximumSize = 64 * 1024 * 1024

    let source: any RandomAccessBytes
    let end: ZipEndRecord
    /// The number of each entry by the bytes of its path.
    private(set) var numbers: [[UInt8]: Int] = [:]

    private static let headerSize = 46
    // Deflate produces at most 258 bytes from two bits; zlib's documentation states a ratio of 1032 : 1.
    private static let highestRatio = 1032

    init(source: any RandomAccessBytes, end: ZipEndRecord) {
        self.source = source
        self.end = end
    }

    mutating func entries() throws(ConfigurationReadError) -> [ZipEntry] {
        guard end.entries <= Self.maximumEntries else {
            throw source.fault("it has more than \(Self.maximumEntries) entries")
        }
        guard end.size <= Self.maximumSize else {
            throw source.fault("its directory has more than \(Self.maximumSize / 1_048_576) MiB")
        }
        guard end.entries <= end.size / Self.headerSize else { throw source.fault("its directory is cut off") }
        let directory = try source.bytes(at: end.offset, count: end.size)
        var entries: [ZipEntry] = []
        entries.reserveCapacity(end.entries)
        var next = 0
        for _ in 0..<end.entries {
            let (entry, length) = try entry(directory[next...])
            if let entry {
                guard numbers.updateValue(entries.count, forKey: Array(entry.path.utf8)) == nil else {
                    throw fault("the archive has two entries of this path", entry.path)
                }
                entries.append(entry)
            }
            next += length
        }
        guard next == directory.count else { throw source.fault("its directory has more than its entries") }
        try separate(&entries)
        return entries
    }

    /// Reads one entry and the length of its record.
    ///
    /// The entry is nil for the root folder.
    private func entry(_ rest: ArraySlice<UInt8>) throws(ConfigurationReadError) -> (ZipEntry?, Int) {
        guard rest.count >= Self.headerSize else { throw source.fault("its directory is cut off") }
        let fields = ByteFields(rest.prefix(Self.headerSize), .little)
        guard fields.word(0) == 0x0201_4B50 else { throw source.fault("its directory is damaged") }
        let nameLength = fields.half(28)
        let extraLength = fields.half(30)
        let length = Self.headerSize + nameLength + extraLength + fields.half(32)
        guard length <= rest.count else { throw source.fault("its directory is cut off") }
        let name = rest.dropFirst(Self.headerSize).prefix(nameLength)
        let path: String
        let endsInSlash: Bool
        switch ZipPath.read(name) {
        case .refused(let reason): throw source.fault(reason)
        case .path(let text, let slash): (path, endsInSlash) = (text, slash)
        }
        guard !path.isEmpty else { return (nil, length) }
        guard fields.half(8) & ZipFlag.encrypted == 0 else { throw fault("it is encrypted", path) }
        guard fields.half(34) == 0 || fields.half(34) == 0xFFFF else {
            throw source.fault("it is one part of an archive that was split")
        }
        let extra = Array(rest.dropFirst(Self.headerSize + nameLength).prefix(extraLength))
        guard
            let sizes = ZipLongSizes(
                size: fields.word(24),
                compressedSize: fields.word(20),
                offset: fields.word(42),
                extra: extra
            )
        else { throw fault("its sizes in the directory are damaged", path) }
        let method = ZipMethod(rawValue: fields.half(10))
        try check(sizes, method: method, path: path)
        let mode = unixMode(fields)
        let entry = ZipEntry(
            path: path,
            size: sizes.size,
            compressedSize: sizes.compressedSize,
            method: method,
            isFolder: endsInSlash || mode == 0o040000,
            isSymbolicLink: mode == 0o120000,
            checksum: fields.word(16),
            localHeader: sizes.offset,
            end: end.offset,
            nameOffset: end.offset + name.startIndex,
            nameLength: nameLength
        )
        return (entry, length)
    }

    private func check(
        _ sizes: ZipLongSizes,
        method: ZipMethod,
        path: String
    ) throws(ConfigurationReadError) {
        let room = end.offset - ZipLocalHeader.size
        guard sizes.offset <= room, sizes.compressedSize <= room - sizes.offset else {
            throw fault("it is outside the archive's data", path)
        }
        if method == .stored, sizes.size != sizes.compressedSize {
            throw fault("it is stored unpacked, yet declares two sizes", path)
        }
        if method == .deflate, sizes.size / Self.highestRatio > sizes.compressedSize {
            throw fault("its declared size exceeds what deflate can produce from its bytes", path)
        }
    }

    /// Returns the file type in the Unix mode, which Unix and Apple tools store in the upper half of the attributes.
    private func unixMode(_ fields: ByteFields) -> Int? {
        let host = fields.half(4) >> 8
        return host == 3 || host == 19 ? Int(fields.word(38) >> 16) & 0o170000 : nil
    }

    /// Refuses entries with common bytes, which would let a small archive expand to any size, and records where each
    /// entry must end.
    private func separate(_ entries: inout [ZipEntry]) throws(ConfigurationReadError) {
        let order = entries.indices.sorted { entries[$0].localHeader < entries[$1].localHeader }
        for (number, following) in zip(order, order.dropFirst()) {
            let entry = entries[number]
            let next = entries[following].localHeader
            let header = ZipLocalHeader.size + entry.nameLength
            guard next - entry.localHeader >= header, next - entry.localHeader - header >= entry.compressedSize else {
                throw fault("it overlaps with another entry of the archive", entry.path)
            }
            entries[number].end = next
        }
    }

    private func fault(_ reason: String, _ path: String) -> ConfigurationReadError {
        ConfigurationReadError(cause: .notArtifact, file: "\(source.path)/\(path)", reason: reason)
    }
}
