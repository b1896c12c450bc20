extension UInt8 {
    /// True for an ASCII digit; the library's own is visible in its package only.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
