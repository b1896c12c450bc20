/// Characters that a reader takes for one of ASCII.
enum LookAlikeLetters {
    /// The character that a reader sees: the Latin letter for one of other alphabets, of full width or of mathematics, the
    /// space for other white space, otherwise the character itself.
    static func seen(_ letter: Unicode.Scalar) -> Unicode.Scalar {
        switch letter.value {
        case ..<0x80: letter
        // Both blocks have the characters in the order of ASCII; the second repeats the letters in thirteen styles.
        case 0xFF01...0xFF5E: Unicode.Scalar(letter.value - 0xFF01 + 0x21) ?? letter
        case 0x1D400...0x1D6A3: latin[Int(letter.value - 0x1D400) % latin.count]
        default: letters[letter] ?? (letter.properties.isWhitespace ? " " : letter)
        }
    }

    private static let latin = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".unicodeScalars)

    private static let letters = rows.reduce(into: [Unicode.Scalar: Unicode.Scalar]()) { letters, row in
        for letter in row.value.unicodeScalars { letters[letter] = row.key }
    }

    /// By their Latin letter, those of Greek, Cyrillic, Armenian, Coptic, Cherokee, Lisu and extended Latin that Unicode's
    /// table of confusable characters (UTS #39) maps to it, also in capitals, and then those with an accent.
    private static let rows: [Unicode.Scalar: String] = [
        "a": "ɑΑαАаᎪꓮ",
        "b": "ƄΒВЬᏏᏴꓐꞴ",
        "c": "ϲϹСсᏟᴄⲤⲥꓚꮯ",
        "d": "ԁᎠᏧꓒꓓ",
        "e": "ΕЕеҽᎬꓰꬲ",
        "f": "ϜքẝꓝꞘꞙꬵ",
        "g": "ƍɡԌցᏀᏳᶃꓖ",
        "h": "ΗНһհᎻᏂⲎꓧ",
        "i": "ıɩɪͺΙιІіӀӏᎥιⲒꓲꙇꭵ",
        "j": "ͿϳЈјᎫꓙꞲ",
        "k": "ΚКᏦⲔꓗ",
        "l": "ƖǀᏞⳐꓡ",
        "m": "ΜϺМᎷⲘꓟ",
        "n": "ΝոռⲚꓠ",
        "o": "ΟοσОоՕօᴏᴑⲞⲟꓳꬽ",
        "p": "ΡρϱРрᏢⲢⲣꓑ",
        "q": "ԛգզ",
        "r": "ƦгᎡᏒᴦⲅꓣꭇꭈꮁ",
        "s": "ƽЅѕՏᏕᏚꓢꜱꮪ",
        "t": "ΤТᎢⲦꓔ",
        "u": "ʋυՍսᴜꓴꞟꭎꭒ",
        "v": "νѴѵᏙᴠꓦꮩ",
        "w": "ɯѡԜԝաᎳᏔᴡꓪꮃ",
        "x": "ΧХхⲬꓫꞳ",
        "y": "ɣʏΥγϒУуҮүᎩᎽᶌỿⲨꓬꭚ",
        "z": "ΖᏃᴢꓜꮓ",
        "á": "Άά",
        "ä": "Ӓӓ",
        "è": "Ѐѐ",
        "é": "Έ",
        "ë": "Ёё",
        "í": "Ίί",
        "ï": "ΪϊЇї",
        "ó": "Όό",
        "ö": "Ӧӧ",
        "ú": "ύ",
        "ü": "ϋ",
        "ý": "Ύϓ",
        "ÿ": "ΫϔӰӱ",
        "ă": "Ӑӑ",
        "ĕ": "Ӗӗ",
        "ŕ": "ѓ",
        "ȳ": "Ӯӯ",
        "ḱ": "Ќ",
    ]
}
