extension String {
    /// The first characters, counted as Unicode scalars, with `…` in place of further ones.
    ///
    /// For texts of a request that its answer repeats.
    func clipped(to length: Int) -> String {
        guard let end = unicodeScalars.index(startIndex, offsetBy: length, limitedBy: endIndex), end < endIndex else {
            return self
        }
        return String(self[..<end]) + "…"
    }
}
