import ExternalPurchaseCore

/// Fills the placeholders of a text.
///
/// The text is that of a JSON value, so that a case can be played by any program that replaces text.
enum Template {
    /// Replaces every placeholder; one that stands for a number loses the quotes around it.
    static func filled(_ text: String, with values: CaseValues) throws(ConformanceDataError) -> [UInt8] {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "{"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "{"),
                let end = end(of: index + 2, in: bytes)
            else {
                output.append(bytes[index])
                index += 1
                continue
            }
            let placeholder = String(decoding: bytes[index + 2..<end], as: UTF8.self)
            index = end + 2
            if placeholder.hasPrefix("byte."), let byte = UInt8(placeholder.dropFirst(5), radix: 16) {
                output.append(byte)
                continue
            }
            switch values.value(of: placeholder[...]) {
            case .text(let text): output += text.utf8
            case .number(let number):
                let quote = UInt8(ascii: "\"")
                if output.last == quote, index < bytes.count, bytes[index] == quote {
                    output.removeLast()
                    index += 1
                }
                output += String(number).utf8
            case nil: throw ConformanceDataError(message: "\(values.id): {{\(placeholder)}} has no value")
            }
        }
        return output
    }

    /// The position of the `}}` after a placeholder of at most 100 characters without braces.
    ///
    /// Objects end with braces as well: `{"a":{"b":1}}` has no placeholder.
    private static func end(of start: Int, in bytes: [UInt8]) -> Int? {
        var index = start
        while index + 1 < bytes.count, index < start + 100, bytes[index] != UInt8(ascii: "{"),
            bytes[index] != UInt8(ascii: "\"")
        {
            if bytes[index] == UInt8(ascii: "}") { return bytes[index + 1] == UInt8(ascii: "}") ? index : nil }
            index += 1
        }
        return nil
    }

    /// The text of a JSON value; an element `{"repeat": N, "item": …}` of an array becomes N elements, in which
    /// `{{index}}` counts from 0.
    static func text(of value: JSONValue) -> String {
        String(decoding: expanded(value).encoded(), as: UTF8.self)
    }

    private static func expanded(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.flatMap(repeated))
        case .object(let object): .object(JSONObject(object.members.map { .init($0.key, expanded($0.value)) }))
        default: value
        }
    }

    private static func repeated(_ element: JSONValue) -> [JSONValue] {
        guard let object = element.objectValue, let count = object["repeat"]?.int64Value,
            let item = object["item"]?.objectValue
        else { return [expanded(element)] }
        let numbered = Set(item.members.filter { $0.value.stringValue?.contains("{{index}}") ?? false }.map(\.key))
        return (0..<count).map { index in
            .object(
                JSONObject(
                    item.members.map { member in
                        guard numbered.contains(member.key), let text = member.value.stringValue else { return member }
                        return .init(member.key, .string(text.replacing("{{index}}", with: String(index))))
                    }
                )
            )
        }
    }
}
