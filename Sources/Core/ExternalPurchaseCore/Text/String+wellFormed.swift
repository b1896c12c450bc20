extension String {
    /// Creates a text from UTF-8; nil if the bytes are not well-formed.
    ///
    /// `String(validating:as:)` does the same from iOS 18 on. Repairing changes exactly what is not well-formed.
    ///
    /// - Parameter utf8: the bytes.
    package init?(wellFormed utf8: some Collection<UInt8>) {
        self.init(decoding: utf8, as: UTF8.self)
        let text = self
        let isSame =
            utf8.withContiguousStorageIfAvailable { bytes in
                text.utf8.withContiguousStorageIfAvailable { $0.count == bytes.count && $0.elementsEqual(bytes) }
                    ?? false
            } ?? text.utf8.elementsEqual(utf8)
        guard isSame else { return nil }
    }

    /// Creates a text from UTF-16; nil if a surrogate stands alone.
    ///
    /// - Parameter utf16: the code units.
    package init?(wellFormed utf16: some Collection<UInt16>) {
        self.init(decoding: utf16, as: UTF16.self)
        guard self.utf16.elementsEqual(utf16) else { return nil }
    }
}
