/// The names of keys and entitlements of external purchases, by which others are recognised as misspelled.
package enum KnownEntryName {
    /// The file in which a name stands.
    package enum File: Hashable, Sendable {
        case infoPlist
        case entitlements
    }

    /// A known name that was probably meant.
    package struct Match: Hashable, Sendable {
        /// The known name.
        package let name: String
        /// False for a key without SK, which may be one of the app's own.
        package let isCertain: Bool
    }

    /// The known name that was probably meant (CF-10).
    ///
    /// - Parameters:
    ///   - name: the name as written.
    ///   - file: where it stands. Without its beginning, a name means a key in one and an entitlement in the other.
    ///   - legacy: further names that are known.
    /// - Returns: nil for a name that is near none.
    package static func nearest(to name: String, in file: File, or legacy: [String] = []) -> Match? {
        if let certain = certain(name, in: file, or: legacy) { return Match(name: certain, isCertain: true) }
        guard file == .infoPlist, name.utf8.count <= longest else { return nil }
        let letters = "sk" + Form(name).letters
        let key = knownForms.first { !$0.1.isApples && $0.1.letters == letters }
        return key.map { Match(name: $0.0, isCertain: false) }
    }

    private static func certain(_ name: String, in file: File, or legacy: [String]) -> String? {
        guard name.utf8.count <= longest else { return nil }
        let name = String(name.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        let all = known + legacy
        if let near = all.nearest(to: name), beginsAlike(name, near) { return near }
        let form = Form(name)
        let forms = legacy.isEmpty ? knownForms : all.map { ($0, Form($0)) }
        if let same = forms.first(where: { $0.1 == form }) { return same.0 }
        if form.isApples || file == .entitlements {
            let ends = forms.filter { $0.1.isApples }
            if let near = ends.map({ $0.1.letters }).nearest(to: form.letters) {
                return ends.first { $0.1.letters == near }?.0
            }
        }
        return all.filter { other in
            let (short, long) = other.utf8.count < name.utf8.count ? (other, name) : (name, other)
            return long.utf8.starts(with: short.utf8) && long.utf8.count - short.utf8.count <= 4
        }.max { $0.utf8.count < $1.utf8.count }
    }

    /// True unless the first letters differ and something else differs too.
    ///
    /// Keys of other vendors may be named like Apple's behind their own prefix.
    private static func beginsAlike(_ name: String, _ known: String) -> Bool {
        let name = Array(name.lowercased().utf8)
        let known = Array(known.lowercased().utf8)
        guard name.first != known.first else { return true }
        return name.dropFirst().elementsEqual(known.dropFirst()) || name.elementsEqual(known.dropFirst())
            || name.dropFirst().elementsEqual(known)
            || name.count == known.count && name[0] == known[1] && name[1] == known[0]
                && name.dropFirst(2).elementsEqual(known.dropFirst(2))
    }

    /// A name without case and separators, and for an entitlement without Apple's domain, of which parts are often left
    /// out.
    private struct Form: Hashable, Sendable {
        /// True when the name begins with Apple's domain.
        var isApples = false
        var letters: String

        init(_ name: String) {
            letters = String(name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
            for part in ["com", "apple", "developer", "storekit"] where letters.hasPrefix(part) {
                letters.removeFirst(part.count)
                if part != "com" { isApples = true }
            }
        }
    }

    private static let known = PlistKey.all.map(\.rawValue) + Entitlement.all.map(\.rawValue)
    private static let knownForms = known.map { ($0, Form($0)) }
    private static let longest = (known.map(\.utf8.count).max() ?? 0) + 16
}
