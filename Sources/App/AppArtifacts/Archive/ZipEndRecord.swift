import AppConfiguration

/// The record at the end of a zip archive, which locates its directory.
struct ZipEndRecord {
    /// The number of entries in the directory.
    let entries: Int
    /// The offset of the directory.
    let offset: Int
    /// The size of the directory in bytes.
    let size: Int

    private static let shortSize = 22
    private static let locatorSize = 20
    private static let longSize = 56
    private static let maximumComment = 0xFFFF

    /// Finds the record whose comment ends exactly at the end of the file.
    static func find(in source: any RandomAccessBytes) throws(ConfigurationReadError) -> ZipEndRecord {
        guard source.count >= shortSize else { throw source.fault("it is not a zip archive, or cut off") }
        let tailOffset = max(0, source.count - shortSize - maximumComment)
        let tail = try source.bytes(at: tailOffset, count: source.count - tailOffset)
        for start in stride(from: tail.count - shortSize, through: 0, by: -1) where tail[start] == 0x50 {
            let fields = ByteFields(tail[start..<start + shortSize], .little)
            guard fields.word(0) == 0x0605_4B50, fields.half(20) == tail.count - start - shortSize else { continue }
            return try read(fields, at: tailOffset + start, in: source)
        }
        throw source.fault("it is not a zip archive, or cut off")
    }

    private static func read(
        _ fields: ByteFields,
        at position: Int,
        in source: any RandomAccessBytes
    ) throws(ConfigurationReadError) -> ZipEndRecord {
        if position >= locatorSize {
            let locator = ByteFields(
                try source.bytes(at: position - locatorSize, count: locatorSize),
                .little
            )
            if locator.word(0) == 0x0706_4B50 {
                return try long(locator, short: fields, before: position - locatorSize, in: source)
            }
        }
        guard fields.half(4) == 0, fields.half(6) == 0, fields.half(8) == fields.half(10) else {
            throw source.fault("it is one part of an archive that was split")
        }
        return try checked(
            ZipEndRecord(entries: fields.half(10), offset: fields.length(16), size: fields.length(12)),
            before: position,
            in: source
        )
    }

    /// Reads the ZIP64 record of an archive with more than 4 GiB or 65,535 entries.
    private static func long(
        _ locator: ByteFields,
        short: ByteFields,
        before end: Int,
        in source: any RandomAccessBytes
    ) throws(ConfigurationReadError) -> ZipEndRecord {
        guard locator.word(4) == 0, locator.word(16) <= 1 else {
            throw source.fault("it is one part of an archive that was split")
        }
        let damaged = source.fault("its end record is damaged")
        guard let position = locator.long(8), position <= end, end - position >= longSize else { throw damaged }
        let fields = ByteFields(try source.bytes(at: position, count: longSize), .little)
        // The length in the record does not include its first twelve bytes.
        guard fields.word(0) == 0x0606_4B50, fields.long(4) == end - position - 12,
            fields.word(16) == 0, fields.word(20) == 0,
            let here = fields.long(24), let entries = fields.long(32), here == entries,
            let size = fields.long(40), let offset = fields.long(48)
        else { throw damaged }
        guard short.half(10) == 0xFFFF || short.half(10) == entries,
            short.word(12) == .max || short.length(12) == size,
            short.word(16) == .max || short.length(16) == offset
        else { throw source.fault("its two end records disagree") }
        return try checked(
            ZipEndRecord(entries: entries, offset: offset, size: size),
            before: position,
            in: source
        )
    }

    private static func checked(
        _ record: ZipEndRecord,
        before end: Int,
        in source: any RandomAccessBytes
    ) throws(ConfigurationReadError) -> ZipEndRecord {
        guard record.offset <= end, record.size == end - record.offset else {
            throw source.fault("its directory is not where its end record says")
        }
        return record
    }
}
