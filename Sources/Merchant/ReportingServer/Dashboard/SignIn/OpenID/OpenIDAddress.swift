import ExternalPurchaseCore
import HTTPSupport

/// The addresses of a provider, and the words that it sends.
package enum OpenIDAddress {
    /// Whether an address keeps tokens secret on the way: HTTPS, or this machine alone.
    package static func isSafe(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#") else { return false }
        for (scheme, isSecret) in [("https://", true), ("http://", false)] where text.hasPrefix(scheme) {
            let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
            let host = LoopbackHost.name(ofAuthority: String(authority))
            return !host.isEmpty && !authority.contains("@") && (isSecret || LoopbackHost.isLoopback(host))
        }
        return false
    }

    /// The host and port of an address, for people.
    static func host(of text: String) -> String {
        String(text.split(separator: "/", maxSplits: 2).dropFirst().first?.prefix { $0 != "/" } ?? "")
    }

    /// A word of the provider as the log has it: letters, digits and some marks, and no more than 64 of them.
    static func word(_ text: String?) -> String {
        let known = (text ?? "").utf8.prefix(64).filter { byte in
            byte.isASCIILetter || byte.isDigit || "_-.:".utf8.contains(byte)
        }
        return known.isEmpty ? "without a word" : String(decoding: known, as: UTF8.self)
    }
}
