extension TokenDecodingError {
    /// Why a text that holds a token is no Base64URL: how it was copied or sent, and what to do instead.
    ///
    /// - Parameter text: the bytes of the text without blanks.
    static func cause(of text: [UInt8]) -> String? {
        func begins(_ prefix: String) -> Bool { text.starts(with: prefix.utf8) }
        func holds(_ bytes: String) -> Bool { bytes.utf8.contains { text.contains($0) } }
        if begins("Optional(") {
            return "it is the description of an optional in Swift, Optional(\"…\"); unwrap it, and send the text in it"
        }
        if holds("%") {
            return "it is percent-encoded, such as %3D for =; decode the query parameter once"
        }
        if holds("\\") {
            return "it has backslashes, as in the source of a JSON text; decode that first"
        }
        if holds("\"'`") || ["“", "”", "‘", "’", "«", "»"].contains(where: { begins($0) }) {
            return "it has quotation marks around it; send the text between them"
        }
        if begins("externalPurchaseToken=") || begins("https://") || begins("http://") {
            return "it is an address or its query; send the value of the parameter externalPurchaseToken"
        }
        if begins("{") {
            return "it is an object of JSON; send the token as Apple gave it, which is Base64URL of such an object"
        }
        return nil
    }
}
