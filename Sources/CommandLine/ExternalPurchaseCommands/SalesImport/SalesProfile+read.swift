import CommandSupport
import ExternalPurchaseCore
import Foundation
import Yams

extension SalesProfile {
    /// The names of the shipped profiles.
    static var shipped: [String] { SalesProfileFiles.all.map(\.name) }

    /// Reads a profile: a shipped one by its name, or a file in YAML or JSON.
    ///
    /// - Throws: ``CommandSupport/CommandFailure`` with file, line and column of the first fault.
    static func read(_ name: String) throws(CommandFailure) -> SalesProfile {
        if let shipped = SalesProfileFiles.all.first(where: { $0.name == name }) {
            return try read(text: shipped.json, name: name)
        }
        guard name.contains("/") || name.contains(".") || FileManager.default.fileExists(atPath: name) else {
            throw .input(
                "--profile \(name.shown()): there is no profile and no file of this name; profiles are "
                    + shipped.joined(separator: ", ")
            )
        }
        let bytes = try InputFile.read(name, name: "--profile \(name)")
        guard bytes.count <= 1 << 20 else { throw .input("--profile \(name): more than 1 MiB is no profile") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .input("--profile \(name): is not UTF-8")
        }
        try InputFile.checkYAML(text, name: name)
        return try read(text: text, name: name)
    }

    private static func read(text: String, name: String) throws(CommandFailure) -> SalesProfile {
        let reader = SalesProfileReader(nodes: ServeConfigurationReader(file: name))
        var node = try reader.node(text)
        if let base = node.mapping?["base"] {
            let known = try reader.nodes.scalar(base, "base")
            guard let shipped = SalesProfileFiles.all.first(where: { $0.name == known }) else {
                let names = shipped.joined(separator: ", ")
                throw reader.nodes.fail(base, "base \(known.shown()) is no shipped profile; they are \(names)")
            }
            node = merged(try reader.node(shipped.json), node)
        }
        return try reader.profile(node, name: name)
    }

    /// Merges a profile into its base: maps member by member, a member that is null goes, anything else is replaced.
    private static func merged(_ base: Node, _ own: Node) -> Node {
        guard let old = base.mapping, let new = own.mapping else { return own }
        var pairs: [(Node, Node)] = []
        for (key, value) in old {
            guard let changed = new[key] else {
                pairs.append((key, value))
                continue
            }
            if changed.null == nil { pairs.append((key, merged(value, changed))) }
        }
        for (key, value) in new where old[key] == nil && value.null == nil { pairs.append((key, value)) }
        return .mapping(Node.Mapping(pairs, new.tag, new.style, new.mark))
    }
}

/// Reads the nodes of a profile.
struct SalesProfileReader {
    let nodes: ServeConfigurationReader

    func node(_ text: String) throws(CommandFailure) -> Node {
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw .input(error.message(in: nodes.file))
        } catch {
            throw .input("\(nodes.file): is not YAML")
        }
        guard let node else { throw .input("\(nodes.file): is empty; it needs 'type' and 'fields'") }
        return node
    }

    func profile(_ node: Node, name: String) throws(CommandFailure) -> SalesProfile {
        let root = try nodes.mapping(
            node,
            "the profile",
            keys: [
                "$schema", "description", "base", "file", "numbers", "times", "rows", "type", "values", "fields",
                "money", "ofType", "refund", "lines", "ignored",
            ],
            required: ["type", "fields"]
        )
        var profile = SalesProfile(name: name)
        if let node = root["file"] { try file(node, &profile) }
        if let node = root["numbers"] { profile.numbers = try numbers(node) }
        if let node = root["times"] { profile.times = try times(node) }
        if let node = root["rows"] {
            for (index, node) in try nodes.sequence(node, "rows").enumerated() {
                profile.filters.append(try words(node, "rows[\(index)]", isFilter: true))
            }
        }
        if let node = root["type"] {
            if node.mapping == nil {
                profile.type = .constant(try type(node, "type"))
            } else {
                profile.type = .words(try words(node, "type", isFilter: false))
            }
        }
        if let node = root["values"] {
            for (field, node) in try members(node, "values") {
                profile.values[field] = try nodes.scalar(node, "values.\(field)")
            }
        }
        if let node = root["fields"] {
            for (field, node) in try members(node, "fields") {
                profile.fields[field] = try rule(node, "fields.\(field)", of: field)
            }
        }
        if let node = root["money"] {
            for (index, node) in try nodes.sequence(node, "money").enumerated() {
                profile.money.append(try pair(node, "money[\(index)]", profile))
            }
        }
        if let node = root["ofType"] {
            guard let types = node.mapping else { throw nodes.fail(node, "ofType must be a map of types to fields") }
            for (key, node) in types {
                let type = try type(key, "a key of ofType")
                for (field, node) in try members(node, "ofType.\(type)") {
                    profile.fieldsOfType[type, default: [:]][field] = try rule(
                        node,
                        "ofType.\(type).\(field)",
                        of: field
                    )
                }
            }
        }
        if let node = root["refund"] {
            let parts = try nodes.mapping(node, "refund", keys: ["total", "fields"], required: ["fields"])
            var refund = SalesProfile.RefundRule(total: nil, fields: [:])
            if let node = parts["total"] { refund.total = try rule(node, "refund.total", of: "refundedTotal") }
            for (field, node) in try members(parts["fields"] ?? node, "refund.fields") {
                refund.fields[field] = try rule(node, "refund.fields.\(field)", of: field)
            }
            profile.refund = refund
        }
        if let node = root["lines"] {
            let parts = try nodes.mapping(node, "lines", keys: ["sameOrder"], required: ["sameOrder"])
            profile.orderColumn = try columns(parts["sameOrder"] ?? node, "lines.sameOrder")
        }
        if let node = root["ignored"] { profile.ignored = try columns(node, "ignored") }
        try check(profile, root)
        return profile
    }

    /// Reads the amounts that stand beside one currency.
    private func pair(
        _ node: Node,
        _ path: String,
        _ profile: SalesProfile
    ) throws(CommandFailure) -> [String: SalesProfile.FieldRule] {
        var pair: [String: SalesProfile.FieldRule] = [:]
        for (field, node) in try members(node, path) {
            guard SalesProfile.moneyFields.contains(field) else {
                throw nodes.fail(node, "\(path): \(field) is neither an amount nor a currency; it belongs to fields")
            }
            pair[field] = try rule(node, "\(path).\(field)", of: field)
        }
        guard pair["inclusive"] != nil || pair["inclusiveMinor"] != nil else {
            throw nodes.fail(node, "\(path) needs inclusive or inclusiveMinor")
        }
        guard (pair["currency"] == nil) == (profile.values["currency"] != nil) else {
            let remedy =
                pair["currency"] == nil
                ? "needs the currency of its amounts, here or under values" : "and values both give the currency"
            throw nodes.fail(node, "\(path) \(remedy)")
        }
        return pair
    }

    /// Refuses what is wrong between the members of a profile, above all an amount beside the currency of another one.
    private func check(_ profile: SalesProfile, _ root: [String: Node]) throws(CommandFailure) {
        func fail(_ key: String, _ message: String) -> CommandFailure {
            guard let node = root[key] else { return .input("\(nodes.file): \(message)") }
            return nodes.fail(node, message)
        }
        let remedy = "list each amount with its own currency under money"
        let all =
            [("fields", profile.fields)] + profile.money.map { ("money", $0) }
            + profile.fieldsOfType.sorted { $0.key < $1.key }.map { ("ofType", $0.value) }
            + [("refund", (profile.refund?.total).map { ["refundedTotal": $0] } ?? [:])]
        for (key, rules) in all {
            for (field, rule) in rules.sorted(by: { $0.key < $1.key }) where SalesProfile.moneyFields.contains(field) {
                let isChoice =
                    switch rule.source {
                    case .columns(let list): list.count > 1
                    case .creditAndDebit(let credit, let debit): credit.count > 1 || debit.count > 1
                    case .text, .dateAndTime: false
                    }
                if isChoice { throw fail(key, "\(key): \(field) is one of several columns; \(remedy)") }
            }
        }
        if profile.values["currency"] != nil, profile.fields["currency"] != nil {
            throw fail("values", "values and fields both give the currency; an amount counts with one of them")
        }
        if !profile.money.isEmpty {
            if let field = profile.fields.keys.filter(SalesProfile.moneyFields.contains).min() {
                throw fail("fields", "fields.\(field) and money both give amounts; \(remedy)")
            }
            if profile.refund?.total != nil {
                throw fail(
                    "refund",
                    "refund.total has no currency beside it; name its column as refundedTotal in money"
                )
            }
            for (type, rules) in profile.fieldsOfType.sorted(by: { $0.key < $1.key }) {
                guard let field = rules.keys.filter(SalesProfile.amounts.contains).min() else { continue }
                guard rules["currency"] != nil || profile.values["currency"] != nil else {
                    throw fail("ofType", "ofType.\(type) gives \(field) and no currency beside it")
                }
            }
        } else if profile.refund != nil, profile.refund?.total == nil {
            throw fail("refund", "refund needs total, or refundedTotal in money")
        }
        if profile.refund != nil, !profile.money.isEmpty, profile.money.contains(where: { $0["refundedTotal"] == nil })
        {
            throw fail("money", "money needs refundedTotal beside each amount, because there is 'refund'")
        }
        guard profile.fields["saleId"]?.further != nil else { return }
        for key in ["lines", "refund"] where root[key] != nil {
            throw fail(key, "fields.saleId.further and \(key) contradict each other: the rows of an order are payments")
        }
    }

    private func file(_ node: Node, _ profile: inout SalesProfile) throws(CommandFailure) {
        let parts = try nodes.mapping(node, "file", keys: ["delimiter", "encoding", "skip"])
        if let node = parts["delimiter"] {
            let text = try nodes.scalar(node, "file.delimiter")
            let known = ["comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"]
            guard let separator = (known[text] ?? text).utf8.first, (known[text] ?? text).utf8.count == 1,
                known.values.contains(known[text] ?? text)
            else { throw nodes.fail(node, "file.delimiter \(text.shown()) is none of comma, semicolon, tab, pipe") }
            profile.separator = separator
        }
        if let node = parts["encoding"] {
            let text = try nodes.scalar(node, "file.encoding")
            guard let encoding = FileEncoding(rawValue: text.lowercased()) else {
                let known = FileEncoding.allCases.map(\.rawValue).joined(separator: ", ")
                throw nodes.fail(node, "file.encoding \(text.shown()) is none of \(known)")
            }
            profile.encoding = encoding
        }
        if let node = parts["skip"] {
            let text = try nodes.scalar(node, "file.skip")
            guard let count = Int(text), (0...1_000).contains(count) else {
                throw nodes.fail(node, "file.skip \(text.shown()) is no number of lines from 0 to 1000")
            }
            profile.skippedLines = count
        }
    }

    private func numbers(_ node: Node) throws(CommandFailure) -> NumberForm {
        let parts = try nodes.mapping(node, "numbers", keys: ["decimal", "thousands", "symbols"])
        var form = NumberForm()
        if let node = parts["decimal"] {
            let text = try nodes.scalar(node, "numbers.decimal")
            guard text == "." || text == "," else {
                throw nodes.fail(node, "numbers.decimal \(text.shown()) is neither \".\" nor \",\"")
            }
            form.decimal = text == "," ? UInt8(ascii: ",") : UInt8(ascii: ".")
        }
        if let node = parts["thousands"] {
            let text = try nodes.scalar(node, "numbers.thousands")
            guard [".", ",", " ", "'"].contains(text), text.utf8.first != form.decimal else {
                throw nodes.fail(
                    node,
                    "numbers.thousands \(text.shown()) is none of \",\", \".\", \" \" and \"'\", or is the decimal mark"
                )
            }
            form.thousands = text
        }
        if let node = parts["symbols"] { form.symbols = try columns(node, "numbers.symbols") }
        return form
    }

    private func times(_ node: Node) throws(CommandFailure) -> TimeForm {
        let parts = try nodes.mapping(node, "times", keys: ["formats", "zone", "zones", "ambiguousHour"])
        var form = TimeForm()
        if let node = parts["formats"] {
            form.patterns = []
            for (index, node) in try nodes.sequence(node, "times.formats").enumerated() {
                let text = try nodes.scalar(node, "times.formats[\(index)]")
                guard let pattern = TimePattern(text) else {
                    throw nodes.fail(
                        node,
                        "times.formats[\(index)] \(text.shown()) is no pattern such as \"dd.MM.yyyy HH:mm:ss\"; it has yyyy, "
                            + "MM, dd, HH or hh, mm, ss, S, a, X for an offset, z for a zone, text in ' and optional parts in []"
                    )
                }
                form.patterns.append(pattern)
            }
            if form.patterns.isEmpty {
                throw nodes.fail(node, "times.formats is empty; leave it out for the usual ones")
            }
        }
        if let node = parts["zone"] { form.zone = try zone(node, "times.zone") }
        if let node = parts["zones"] {
            guard let zones = node.mapping else {
                throw nodes.fail(node, "times.zones must be a map such as CST: \"-06:00\"")
            }
            for (key, node) in zones {
                let name = try nodes.keyText(key, "times.zones")
                let place = "times.zones.\(name.shown(in: ""))"
                guard form.zones.updateValue(try zone(node, place), forKey: name.uppercased()) == nil else {
                    throw nodes.fail(key, "\(place) stands twice; capitals make no difference")
                }
            }
        }
        if let node = parts["ambiguousHour"] {
            let text = try nodes.scalar(node, "times.ambiguousHour")
            guard let choice = TimeForm.AmbiguousHour(rawValue: text) else {
                throw nodes.fail(node, "times.ambiguousHour \(text.shown()) is neither earlier nor later")
            }
            form.ambiguousHour = choice
        }
        return form
    }

    private func zone(_ node: Node, _ path: String) throws(CommandFailure) -> TimeZoneRule {
        let text = try nodes.scalar(node, path)
        guard let zone = TimeZoneRule(text) else {
            throw nodes.fail(
                node,
                "\(path) \(text.shown()) is no time zone known here: UTC, an offset such as +09:00, or a name such as Asia/Seoul"
            )
        }
        return zone
    }

    private func type(_ node: Node, _ path: String) throws(CommandFailure) -> String {
        let text = try nodes.scalar(node, path)
        guard SalesProfile.types.contains(text) else {
            throw nodes.fail(node, "\(path): \(text.shown()) is none of \(SalesProfile.types.joined(separator: ", "))")
        }
        return text
    }

    private func words(_ node: Node, _ path: String, isFilter: Bool) throws(CommandFailure) -> SalesProfile.Words {
        let parts = try nodes.mapping(
            node,
            path,
            keys: ["column", "words", "optional"],
            required: ["column", "words"]
        )
        var words = SalesProfile.Words(
            columns: try columns(parts["column"] ?? node, "\(path).column"),
            meanings: [:],
            known: []
        )
        if let node = parts["optional"] { words.isOptional = try flag(node, "\(path).optional") }
        guard let list = parts["words"]?.mapping else {
            throw nodes.fail(parts["words"] ?? node, "\(path).words must be a map of the provider's words")
        }
        for (key, value) in list {
            let word = try nodes.keyText(key, "\(path).words")
            let place = "\(path).words.\(word.shown(in: ""))"
            let meaning = try meaning(value, place, isFilter: isFilter)
            guard words.meanings.updateValue(meaning, forKey: word.lowercased()) == nil else {
                throw nodes.fail(key, "\(place) stands twice; capitals make no difference")
            }
            if word != "*" { words.known.append(word) }
        }
        if words.meanings.isEmpty { throw nodes.fail(node, "\(path).words is empty") }
        return words
    }

    private func meaning(_ node: Node, _ path: String, isFilter: Bool) throws(CommandFailure) -> SalesProfile.Meaning {
        if node.mapping != nil {
            let parts = try nodes.mapping(node, path, keys: ["refuse", "plus", "minus"])
            if let node = parts["refuse"] { return .refuse(try nodes.scalar(node, "\(path).refuse")) }
            guard let plus = parts["plus"], let minus = parts["minus"] else {
                throw nodes.fail(node, "\(path) needs plus and minus, or refuse")
            }
            return .bySign(
                plus: try meaning(plus, "\(path).plus", isFilter: isFilter),
                minus: try meaning(minus, "\(path).minus", isFilter: isFilter)
            )
        }
        let text = try nodes.scalar(node, path)
        switch text {
        case "leave-out": return .leaveOut
        case "refuse": return .refuse(nil)
        case "take" where isFilter: return .take
        case _ where !isFilter && SalesProfile.types.contains(text): return .type(text)
        default:
            let own = isFilter ? "take" : SalesProfile.types.joined(separator: ", ")
            throw nodes.fail(node, "\(path): \(text.shown()) is none of \(own), leave-out, refuse")
        }
    }

    /// The members of a map of fields.
    private func members(_ node: Node, _ path: String) throws(CommandFailure) -> [(field: String, node: Node)] {
        guard let mapping = node.mapping else { throw nodes.fail(node, "\(path) must be a map of fields") }
        var members: [(String, Node)] = []
        let known = SalesColumns.fields.map(\.name).filter { $0 != "type" }
        for (key, value) in mapping {
            let name = try nodes.keyText(key, "a key of \(path)")
            guard known.contains(name) else {
                throw nodes.fail(
                    key,
                    "\(path): \(name.shown()) is no field; fields are \(known.joined(separator: ", "))"
                )
            }
            members.append((name, value))
        }
        return members
    }

    private func rule(_ node: Node, _ path: String, of field: String) throws(CommandFailure) -> SalesProfile.FieldRule {
        guard node.mapping != nil else { return SalesProfile.FieldRule(source: .columns(try columns(node, path))) }
        let parts = try nodes.mapping(
            node,
            path,
            keys: ["column", "text", "date", "time", "zone", "credit", "debit", "words", "optional", "further"]
        )
        func part(_ key: String) throws(CommandFailure) -> [String]? {
            try parts[key].map { node throws(CommandFailure) in try columns(node, "\(path).\(key)") }
        }
        let source: SalesProfile.FieldRule.Source
        let kinds = [["column"], ["text"], ["date", "time"], ["credit", "debit"]].filter {
            $0.contains { parts[$0] != nil }
        }
        guard kinds.count == 1, kinds[0].allSatisfy({ parts[$0] != nil }) else {
            throw nodes.fail(node, "\(path) needs one of column, text, date with time, credit with debit")
        }
        if let column = try part("column") {
            source = .columns(column)
        } else if let node = parts["text"] {
            source = .text(try pieces(node, "\(path).text"))
        } else if let date = try part("date"), let time = try part("time") {
            source = .dateAndTime(date: date, time: time)
        } else if let credit = try part("credit"), let debit = try part("debit") {
            source = .creditAndDebit(credit: credit, debit: debit)
        } else {
            throw nodes.fail(node, "\(path) names no column")
        }
        let isTime = SalesProfile.times.contains(field)
        for key in ["date", "time", "zone"] where parts[key] != nil && !isTime {
            throw nodes.fail(parts[key] ?? node, "\(path).\(key) belongs to a time, and \(field) is none")
        }
        if parts["credit"] != nil, !SalesProfile.amounts.contains(field) {
            throw nodes.fail(node, "\(path).credit belongs to an amount, and \(field) is none")
        }
        var rule = SalesProfile.FieldRule(source: source)
        rule.zone = try part("zone")
        if let node = parts["further"] {
            guard path == "fields.saleId" else {
                throw nodes.fail(node, "\(path).further belongs to fields.saleId, which names an order")
            }
            rule.further = node.bool == true ? .ordinal : .columns(try columns(node, "\(path).further"))
        }
        if let node = parts["words"] {
            guard let list = node.mapping else {
                throw nodes.fail(node, "\(path).words must be a map of words to values")
            }
            var words: [String: String] = [:]
            for (key, value) in list {
                let word = try nodes.keyText(key, "\(path).words")
                let text = try nodes.scalar(value, "\(path).words")
                guard words.updateValue(text, forKey: word.lowercased()) == nil else {
                    throw nodes.fail(
                        key,
                        "\(path).words.\(word.shown(in: "")) stands twice; capitals make no difference"
                    )
                }
            }
            rule.words = words
        }
        if let node = parts["optional"] { rule.isOptional = try flag(node, "\(path).optional") }
        return rule
    }

    /// Reads a text with columns in braces.
    private func pieces(_ node: Node, _ path: String) throws(CommandFailure) -> [SalesProfile.FieldRule.Piece] {
        var rest = Substring(try nodes.scalar(node, path))
        var pieces: [SalesProfile.FieldRule.Piece] = []
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw nodes.fail(node, "\(path): a brace is not closed; {COLUMN} stands for the text of a column")
            }
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            pieces.append(.column(String(rest[rest.index(after: open)..<close]).trimmingBlanks))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    /// Reads a name, or a list of names.
    private func columns(_ node: Node, _ path: String) throws(CommandFailure) -> [String] {
        if node.sequence == nil { return [try nodes.scalar(node, path).trimmingBlanks] }
        var names: [String] = []
        for (index, node) in try nodes.sequence(node, path).enumerated() {
            names.append(try nodes.scalar(node, "\(path)[\(index)]").trimmingBlanks)
        }
        if names.isEmpty { throw nodes.fail(node, "\(path) is empty") }
        return names
    }

    private func flag(_ node: Node, _ path: String) throws(CommandFailure) -> Bool {
        guard let value = node.bool else { throw nodes.fail(node, "\(path) must be true or false") }
        return value
    }
}
