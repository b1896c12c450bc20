import AppConfiguration

/// Changes single elements of an XML property list and preserves every other byte (CF-73).
struct PropertyListEditor: Sendable {
    /// The result of a round of edits.
    struct Edition: Hashable, Sendable {
        /// The new content of the file.
        var bytes: [UInt8]
        /// The indices of the applied groups.
        var applied: [Int]
        /// The indices of the groups that edit an element which another group of this round edits.
        var deferred: [Int]
    }

    private let file: PropertyListFile
    private let bytes: [UInt8]
    private let mark: Int
    private let isASCII: Bool

    /// Prepares a file for edits.
    ///
    /// - Parameters:
    ///   - bytes: the current content of the file.
    ///   - linted: the file that was linted.
    /// - Throws: ``FixRefusal`` if the file is binary, no property list, UTF-16, or not the linted one.
    init(_ bytes: [UInt8], linted: PropertyListFile) throws(FixRefusal) {
        let path = linted.path
        guard linted.format == .xml || linted.format == .binary else {
            throw FixRefusal(.notPropertyList, file: path, "it is no property list")
        }
        guard !bytes.starts(with: "bplist".utf8) else {
            throw FixRefusal(.binary, file: path, "it is a binary property list")
        }
        guard !bytes.starts(with: [0xFE, 0xFF]), !bytes.starts(with: [0xFF, 0xFE]) else {
            throw FixRefusal(.notUTF8, file: path, "it is UTF-16")
        }
        guard let now = try? PropertyListFile.parse(bytes, path: path), now.root.isIdentical(to: linted.root) else {
            throw FixRefusal(.changed, file: path, "it has changed since it was linted")
        }
        file = now
        self.bytes = bytes
        mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        isASCII = bytes.dropFirst(mark).allSatisfy { $0 < 0x80 }
    }

    /// Applies edits, each group completely or not at all.
    ///
    /// An edit that occurs twice is applied once. Text is escaped, and comments within a text are preserved. If a
    /// removed element is alone on its line, the line is removed with it.
    ///
    /// - Parameter groups: the edits of one finding each.
    /// - Returns: the new content and the applied groups.
    /// - Throws: the first edit without position or that does not fit its element. Nothing is changed then.
    func applying(_ groups: [[FindingEdit]]) throws(FixRefusal) -> Edition {
        let locations = locations(of: groups.joined().compactMap(\.position))
        var edition = Edition(bytes: bytes, applied: [], deferred: [])
        var accepted = AcceptedEdits()
        for (index, group) in groups.enumerated() where !group.isEmpty {
            var edits: [ElementEdit] = []
            for edit in group { edits.append(try elementEdit(edit, locations)) }
            if accepted.accept(edits) {
                edition.applied.append(index)
            } else {
                edition.deferred.append(index)
            }
        }
        edition.bytes = accepted.applied(to: bytes)
        guard (try? PropertyListFile.parse(edition.bytes, path: file.path)) != nil else {
            throw FixRefusal(.brokenResult, file: file.path, "the change would break it")
        }
        return edition
    }

    // MARK: Places

    private enum Role {
        case root, key, value
        case element
    }

    private struct ElementLocation {
        var role: Role
        var offset: Int
    }

    private func locations(of positions: [SourcePosition]) -> [SourcePosition: ElementLocation] {
        var roles: [SourcePosition: Role] = [:]
        let wanted = Set(positions)
        guard !wanted.isEmpty else { return [:] }
        Self.collect(file.root, as: .root, wanted, into: &roles)
        var locations: [SourcePosition: ElementLocation] = [:]
        // Lines and columns are counted as in the reader: by characters, with CR LF as one line end.
        var line = 1
        var column = 1
        for offset in mark..<bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "<") {
                let position = SourcePosition(line: line, column: column)
                if let role = roles[position] { locations[position] = ElementLocation(role: role, offset: offset) }
            }
            if byte == 0x0A || byte == 0x0D && (offset + 1 == bytes.count || bytes[offset + 1] != 0x0A) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80, byte != 0x0D {
                column += 1
            }
        }
        return locations
    }

    private static func collect(
        _ node: PropertyListNode,
        as role: Role,
        _ wanted: Set<SourcePosition>,
        into roles: inout [SourcePosition: Role]
    ) {
        if let position = node.position, wanted.contains(position) { roles[position] = role }
        switch node.value {
        case .array(let elements):
            for element in elements { collect(element, as: .element, wanted, into: &roles) }
        case .dictionary(let members):
            for member in members {
                if let position = member.keyPosition, wanted.contains(position) { roles[position] = .key }
                collect(member.node, as: .value, wanted, into: &roles)
            }
        default: break
        }
    }

    // MARK: Changes

    private func elementEdit(
        _ edit: FindingEdit,
        _ locations: [SourcePosition: ElementLocation]
    ) throws(FixRefusal) -> ElementEdit {
        guard let position = edit.position else {
            throw FixRefusal(.noElement, file: file.path, "the place of a change is not known")
        }
        guard let location = locations[position], let element = ElementScan(in: bytes, at: location.offset) else {
            throw FixRefusal(.noElement, file: file.path, at: position, "no element begins there")
        }
        switch edit.extent {
        case .text:
            guard element.name == "key" || element.name == "string" else {
                throw FixRefusal(
                    .unfitEdit,
                    file: file.path,
                    at: position,
                    "<\(element.name)> contains no text to change"
                )
            }
            let text = escaped(edit.replacement)
            guard let content = element.content else {
                // `<string/>` cannot contain text.
                let tag = Array("<\(element.name)>".utf8) + text + Array("</\(element.name)>".utf8)
                return ElementEdit(element: element.whole, range: element.whole, replacement: tag)
            }
            let comments = content.comments(in: bytes)
            let filled = comments.before + text + comments.after
            return ElementEdit(element: element.whole, range: content, replacement: filled)
        case .element where edit.replacement.isEmpty:
            guard location.role == .element else {
                throw FixRefusal(
                    .unfitEdit,
                    file: file.path,
                    at: position,
                    "only elements of arrays can be removed alone, not <\(element.name)> of a dictionary"
                )
            }
            return ElementEdit(element: element.whole, range: element.whole.withOwnLine(in: bytes), replacement: [])
        case .element:
            guard location.role != .key else {
                throw FixRefusal(.unfitEdit, file: file.path, at: position, "a <key> can only be renamed")
            }
            let comments = (element.content ?? 0..<0).comments(in: bytes)
            let replacement = encoded(edit.replacement) + comments.before + comments.after
            return ElementEdit(element: element.whole, range: element.whole, replacement: replacement)
        }
    }

    private func escaped(_ text: String) -> [UInt8] {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return encoded(escaped)
    }

    /// Encodes text as XML, with character references for what the file cannot contain literally.
    private func encoded(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            // A carriage return would be read as a line feed. A file of ASCII characters only may declare any encoding.
            if scalar == "\r" || isASCII && !scalar.isASCII {
                result += "&#x\(String(scalar.value, radix: 16, uppercase: true));".utf8
            } else {
                result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return result
    }
}

/// A replacement of a range in a file.
private struct ElementEdit: Hashable {
    /// The element that contains the edited bytes.
    ///
    /// No second edit may affect it.
    let element: Range<Int>
    let range: Range<Int>
    let replacement: [UInt8]
}

/// Edits of different elements, in the order of the file.
private struct AcceptedEdits {
    private var edits: [ElementEdit] = []

    /// Adds all edits of a group, or none if one of them overlaps an edit that was added before.
    ///
    /// - Returns: true if the edits were added.
    mutating func accept(_ group: [ElementEdit]) -> Bool {
        var inserted: [ElementEdit] = []
        for edit in group {
            let index = edits.firstIndexNotBelow(edit.element.lowerBound)
            if index < edits.count, edits[index] == edit { continue }
            // Only neighbours can overlap, because no two of the earlier edits overlap.
            let overlapsNext = index < edits.count && edits[index].element.lowerBound < edit.element.upperBound
            let overlapsLast = index > 0 && edits[index - 1].element.upperBound > edit.element.lowerBound
            guard !overlapsNext, !overlapsLast else {
                for edit in inserted { edits.remove(at: edits.firstIndexNotBelow(edit.element.lowerBound)) }
                return false
            }
            edits.insert(edit, at: index)
            inserted.append(edit)
        }
        return true
    }

    func applied(to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var copied = 0
        for edit in edits {
            result += bytes[copied..<edit.range.lowerBound]
            result += edit.replacement
            copied = edit.range.upperBound
        }
        return result + bytes[copied...]
    }
}

extension [ElementEdit] {
    fileprivate func firstIndexNotBelow(_ offset: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].element.lowerBound < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Range<Int> {
    /// The element together with its indentation and line end if it is alone on its lines.
    fileprivate func withOwnLine(in bytes: [UInt8]) -> Range<Int> {
        var start = lowerBound
        while start > 0, bytes[start - 1].isXMLBlank, !bytes[start - 1].isLineEnd { start -= 1 }
        var end = upperBound
        while end < bytes.count, bytes[end].isXMLBlank, !bytes[end].isLineEnd { end += 1 }
        guard start > 0, bytes[start - 1].isLineEnd, end < bytes.count, bytes[end].isLineEnd else { return self }
        let isPair = bytes[end] == 0x0D && end + 1 < bytes.count && bytes[end + 1] == 0x0A
        return start..<(end + (isPair ? 2 : 1))
    }

    /// The comments and processing instructions in the content of an element: those before its text, and the others.
    fileprivate func comments(in bytes: [UInt8]) -> (before: [UInt8], after: [UInt8]) {
        var before: [UInt8] = []
        var after: [UInt8] = []
        var hasSeenText = false
        var index = lowerBound
        while index < upperBound {
            let isMarkup = bytes[index] == UInt8(ascii: "<")
            let end = isMarkup ? ElementScan.endOfMarkup(in: bytes, at: index) ?? index + 1 : index + 1
            if end > index + 1, !bytes[index...].starts(with: "<![CDATA[".utf8) {
                if hasSeenText { after += bytes[index..<end] } else { before += bytes[index..<end] }
            } else if isMarkup || !bytes[index].isXMLBlank {
                hasSeenText = true
            }
            index = end
        }
        return (before, after)
    }
}

extension PropertyListNode {
    /// True when values and positions of all nodes are the same.
    ///
    /// Unlike `==`, this holds for NaN as well.
    fileprivate func isIdentical(to other: PropertyListNode) -> Bool {
        guard position == other.position else { return false }
        switch (value, other.value) {
        case (.real(let left), .real(let right)): return left.bitPattern == right.bitPattern
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
        case (.dictionary(let left), .dictionary(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { left, right in
                    left.key.utf8.elementsEqual(right.key.utf8) && left.keyPosition == right.keyPosition
                        && left.node.isIdentical(to: right.node)
                }
        case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8)
        default: return value == other.value
        }
    }
}
