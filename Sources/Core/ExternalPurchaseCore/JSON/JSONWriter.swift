extension JSONValue {
    /// Encodes the value as compact JSON in UTF-8: no blanks, members in their order, `/` not escaped.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, indent: nil, level: 0)
        return output
    }

    /// Formats the value as JSON for people, with two blanks per level.
    public func formatted() -> String {
        var output: [UInt8] = []
        write(to: &output, indent: 2, level: 0)
        return String(decoding: output, as: UTF8.self)
    }

    private func write(to output: inout [UInt8], indent: Int?, level: Int) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .number(let number): output += number.text.utf8
        case .string(let text): Self.write(text, to: &output)
        case .array(let elements):
            Self.writeList(elements, open: "[", close: "]", to: &output, indent: indent, level: level) {
                element,
                output in
                element.write(to: &output, indent: indent, level: level + 1)
            }
        case .object(let object):
            Self.writeList(object.members, open: "{", close: "}", to: &output, indent: indent, level: level) {
                member,
                output in
                Self.write(member.key, to: &output)
                output += (indent == nil ? ":" : ": ").utf8
                member.value.write(to: &output, indent: indent, level: level + 1)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element],
        open: String,
        close: String,
        to output: inout [UInt8],
        indent: Int?,
        level: Int,
        each: (Element, inout [UInt8]) -> Void
    ) {
        output += open.utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            breakLine(indent, level + 1, &output)
            each(element, &output)
        }
        if !elements.isEmpty { breakLine(indent, level, &output) }
        output += close.utf8
    }

    private static func breakLine(_ indent: Int?, _ level: Int, _ output: inout [UInt8]) {
        guard let indent else { return }
        output.append(UInt8(ascii: "\n"))
        output += Array(repeating: UInt8(ascii: " "), count: indent * level)
    }

    private static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            output += text.utf8
            output.append(UInt8(ascii: "\""))
            return
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): output += #"\""#.utf8
            case UInt8(ascii: "\\"): output += #"\\"#.utf8
            case UInt8(ascii: "\n"): output += #"\n"#.utf8
            case UInt8(ascii: "\r"): output += #"\r"#.utf8
            case UInt8(ascii: "\t"): output += #"\t"#.utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                output += (#"\u00"# + (digits.count == 1 ? "0" : "") + digits).utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
