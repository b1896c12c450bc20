private typealias T = ReferenceTables

/// A second, deliberately simple implementation of the complete linter, written only from section 8 of the
/// specification.
struct ReferenceLinter {
    let input: ReferenceCase
    private(set) var findings: [ReferenceFinding] = []

    /// The findings of a configuration, sorted.
    static func findings(_ input: ReferenceCase) -> [ReferenceFinding] {
        var linter = ReferenceLinter(input: input)
        linter.lint()
        return linter.findings.sorted()
    }

    private init(input: ReferenceCase) {
        self.input = input
    }

    // Every other rule is an error.
    private static let notes: Set<String> = [
        "allowed-regions-contested", "link-url-placeholder-host", "link-single-only", "custom-link-beside-link",
        "minimum-os-unknown", "minimum-os-below-use", "other-file-missing",
    ]
    private static let warnings: Set<String> = [
        "bundle-id-missing", "key-unknown", "key-not-in-pack", "unresolved-variable", "country-duplicate",
        "country-withdrawn", "link-url-fragment", "link-url-userinfo", "link-url-private-host", "link-url-changed",
        "multi-link-duplicate", "multi-link-needs-streaming", "entitlement-without-key",
        "multi-link-without-fallback", "entitlement-false", "entitlement-dropped", "entitlement-not-in-source",
        "minimum-os-below-tokens", "key-unavailable-on-platform",
    ]

    /// At most two edits (one when the first letters differ), up to four letters more or less at the end, or the same
    /// letters; of an entitlement Apple's domain may be missing in part, or outside of Info.plist as a whole.
    private static func isNear(_ name: String, _ known: String, _ role: String) -> Bool {
        var name = name[...]
        while let first = name.first, first.isWhitespace { name.removeFirst() }
        while let last = name.last, last.isWhitespace { name.removeLast() }
        let distance = edits(Array(name.lowercased()), Array(known.lowercased()))
        if distance <= (name.lowercased().first == known.lowercased().first ? 2 : 1) { return true }
        let (left, right) = (ending(String(name)), ending(known))
        if left == right { return true }
        if left.isApples || role != "I", right.isApples, edits(Array(left.letters), Array(right.letters)) <= 2 {
            return true
        }
        let isLonger = name.hasPrefix(known) && name.count - known.count <= 4
        return isLonger || known.hasPrefix(name) && known.count - name.count <= 4
    }

    /// The letters and digits of a name, behind the words of Apple's domain at its beginning.
    private static func ending(_ name: String) -> (letters: String, isApples: Bool) {
        let letters = String(name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
        let beginning = letters.prefixMatch(of: /(?:com)?(?:apple)?(?:developer)?(?:storekit)?/)?.output ?? ""
        return (String(letters.dropFirst(beginning.count)), !["", "com"].contains(beginning))
    }

    /// The number of insertions, removals, replacements and swaps of neighbours between two texts.
    private static func edits(_ left: [Character], _ right: [Character]) -> Int {
        var table = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
        for i in 0...left.count { table[i][0] = i }
        for j in 0...right.count { table[0][j] = j }
        for i in left.indices {
            for j in right.indices {
                let replaced = table[i][j] + (left[i] == right[j] ? 0 : 1)
                var least = min(replaced, table[i][j + 1] + 1, table[i + 1][j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, table[i - 1][j - 1] + 1)
                }
                table[i + 1][j + 1] = least
            }
        }
        return table[left.count][right.count]
    }

    private mutating func add(_ rule: String, _ role: String, _ subject: String, severity given: String? = nil) {
        var severity = "error"
        if Self.notes.contains(rule) { severity = "note" }
        if Self.warnings.contains(rule) { severity = "warning" }
        if rule == "unresolved-variable", input.built { severity = "error" }
        findings.append(ReferenceFinding(rule: rule, role: role, subject: subject, severity: given ?? severity))
    }

    private mutating func lint() {
        for (role, file) in [("I", input.info), ("E", input.source), ("B", input.signed)] {
            guard let file else { continue }
            rootKeys(file, role)
            for member in file { content(member, role) }
            accountDefault(file, role)
        }
        bundleId()
        changedLinks()
        counts()
        pairing()
        korea()
        oneFile()
        signing()
        versions()
    }

    // MARK: 8.1 Files and keys

    private mutating func rootKeys(_ file: [ReferenceMember], _ role: String) {
        let known = T.keys + T.entitlements
        let legacy = T.dropped(in: input.pack)
        for name in known + legacy where file.count(where: { $0.key == name }) > 1 {
            add("plist-duplicate-key", role, name)
        }
        for member in file {
            let name = member.key
            if legacy.contains(name) {
                if role == "I" { add("key-in-wrong-file", role, name) }
            } else if T.dropped.contains(name) {
                add("entitlement-dropped", role, name)
            } else if known.contains(name) {
                if T.keys.contains(name) != (role == "I") {
                    add("key-in-wrong-file", role, name)
                } else if !T.exists(name, pack: input.pack) {
                    add("key-not-in-pack", role, name)
                }
            } else if known.contains(where: { $0.lowercased() == name.lowercased() }) {
                add("key-case", role, name)
            } else if (known + legacy).contains(where: { Self.isNear(name, $0, role) }) {
                add("key-unknown", role, name, severity: "error")
            } else if role == "I",
                known.contains(where: { "sk" + Self.ending(name).letters == Self.ending($0).letters })
            {
                add("key-unknown", role, name)
            } else if name.hasPrefix("SKExternal") || name.hasPrefix(T.prefix + "external-")
                || name.hasPrefix(T.prefix + "custom-")
            {
                add("key-unknown", role, name)
            }
        }
    }

    /// True for a key or entitlement in the file where it is read, if the pack contains it.
    private func isRead(_ name: String, _ role: String) -> Bool {
        (role == "I" ? T.keys : T.entitlements + T.dropped).contains(name) && T.exists(name, pack: input.pack)
    }

    /// True when a file contains a key or entitlement that is read from it.
    private var isUsed: Bool {
        let files = [("I", input.info), ("E", input.source), ("B", input.signed)]
        return files.contains { role, file in
            (file ?? []).contains { (role == "I" ? T.keys : T.entitlements).contains($0.key) }
        }
    }

    private mutating func bundleId() {
        guard let info = input.info else { return }
        let id = info.last { $0.key == "CFBundleIdentifier" }?.value.text ?? ""
        if isUsed, id.isEmpty { add("bundle-id-missing", "I", "") }
        if isUsed, input.built, ReferenceURL.hasVariable(id) {
            add("unresolved-variable", "I", "CFBundleIdentifier")
        }
    }

    // MARK: 8.1 to 8.3 and 8.6: one key with what it holds

    private mutating func content(_ member: ReferenceMember, _ role: String) {
        let key = member.key
        guard isRead(key, role) else { return }
        if T.booleans.contains(key) {
            guard case .bool(let flag) = member.value else { return add("entitlement-wrong-type", role, key) }
            if !flag { add("entitlement-false", role, key) }
            return
        }
        if [T.purchase, T.custom, T.streaming].contains(key) || T.isList(key) {
            guard let elements = member.value.elements else {
                return add(T.isList(key) ? "entitlement-wrong-type" : "key-wrong-type", role, key)
            }
            if elements.isEmpty { add("collection-empty", role, key) }
            for (index, element) in elements.enumerated() {
                if let rule = Self.countryRule(element, key, pack: input.pack) { add(rule, role, "\(key)/\(index)") }
                if key == T.allowed, input.pack >= "2026-10", let code = element.text, ["is", "no"].contains(code) {
                    add("allowed-regions-contested", role, "\(key)/\(index)")
                }
            }
            return duplicateCodes(elements.compactMap(\.text), role, key)
        }
        guard let members = member.value.members else { return add("key-wrong-type", role, key) }
        if members.isEmpty { add("collection-empty", role, key) }
        duplicates(members, role, key)
        for (place, entry) in members.enumerated() {
            let isLast = value(key) != nil && members.lastIndex { $0.key == entry.key } == place
            let path = "\(key)/\(entry.key)"
            if let rule = Self.countryRule(.string(entry.key), key, pack: input.pack) { add(rule, role, path) }
            if key == T.multi {
                guard let urls = entry.value.elements else {
                    add("element-wrong-type", role, path)
                    continue
                }
                if urls.isEmpty { add("collection-empty", role, path) }
                for (index, url) in urls.enumerated() { link(url, role, "\(path)/\(index)") }
                for url in Set(urls.compactMap(\.text)) where isLast && urls.count(where: { $0.text == url }) > 1 {
                    add("multi-link-duplicate", role, path)
                }
            } else if key == T.single {
                link(entry.value, role, path)
            } else {
                accountLink(entry.value, role, path)
            }
        }
        duplicateCodes(members.map(\.key), role, key)
    }

    private mutating func accountDefault(_ file: [ReferenceMember], _ role: String) {
        guard role == "I", let members = file.last(where: { $0.key == T.account })?.value.members else { return }
        if !members.isEmpty, !members.contains(where: { $0.key == "*" }) {
            add("link-account-no-default", role, T.account)
        }
    }

    /// The repeated codes of a dictionary.
    ///
    /// The content of a value of the wrong type is ignored.
    private mutating func duplicates(_ members: [ReferenceMember], _ role: String, _ path: String) {
        for key in Set(members.map(\.key)) where members.count(where: { $0.key == key }) > 1 {
            add("plist-duplicate-key", role, "\(path)/\(key)")
        }
    }

    private mutating func duplicateCodes(_ codes: [String], _ role: String, _ key: String) {
        let lower = codes.map { $0.lowercased() }
        for code in Set(lower) where lower.count(where: { $0 == code }) > 1 { add("country-duplicate", role, key) }
    }

    private mutating func link(_ value: ReferenceValue, _ role: String, _ path: String) {
        guard let url = value.text else { return add("element-wrong-type", role, path) }
        for rule in ReferenceURL.rules(url) { add(rule, role, path) }
    }

    private mutating func accountLink(_ value: ReferenceValue, _ role: String, _ path: String) {
        guard let url = value.text else { return add("element-wrong-type", role, path) }
        if ReferenceURL.hasVariable(url) {
            add("unresolved-variable", role, path)
        } else if !ReferenceURL.isAccountLink(url) {
            add("link-account-url", role, path)
        }
    }

    /// The first country rule that a code violates, in the order of CF-72.
    static func countryRule(_ element: ReferenceValue, _ key: String, pack: String) -> String? {
        guard let code = element.text else { return "element-wrong-type" }
        if ReferenceURL.hasVariable(code) { return "unresolved-variable" }
        if let first = code.unicodeScalars.first, let last = code.unicodeScalars.last,
            first.properties.isWhitespace || last.properties.isWhitespace
        {
            return "country-whitespace"
        }
        let lower = code.lowercased()
        let supported = key == T.account ? T.twoLetters : T.codes(key, pack: pack) ?? []
        if lower != code, supported.contains(lower) { return "country-not-lowercase" }
        if T.threeLetters.contains(lower) { return "country-alpha-3" }
        if code == "*", key == T.account { return nil }
        if T.countries[lower] == nil { return "country-unknown" }
        if key != T.account, !T.isList(key), let allowed = T.codes(T.allowed, pack: pack), allowed.contains(lower),
            !T.keys.contains(where: { T.codes($0, pack: pack)?.contains(lower) == true })
        {
            return "country-needs-entitlement"
        }
        if key == T.single || key == T.multi, lower == "us", pack != "2024-04" { return "country-withdrawn" }
        return supported.contains(lower) ? nil : "country-not-supported"
    }

    // MARK: What several rules ask

    /// The value of a key that is read.
    ///
    /// A repeated key has none, because readers use different copies.
    private func value(_ key: String) -> ReferenceValue? {
        Self.sole(key, in: input.info).flatMap { isRead(key, "I") ? $0 : nil }
    }

    private static func sole(_ key: String, in file: [ReferenceMember]?) -> ReferenceValue? {
        let found = (file ?? []).filter { $0.key == key }
        return found.count == 1 ? found[0].value : nil
    }

    private func isUsable(_ code: String, _ key: String) -> Bool {
        let rule = Self.countryRule(.string(code), key, pack: input.pack)
        return rule == nil || rule == "country-withdrawn" || rule == "unresolved-variable" && !input.built
    }

    /// The codes of a list or dictionary that have no error and, in a dictionary, a value of the right type.
    private func usableCodes(_ value: ReferenceValue?, _ key: String) -> Set<String> {
        var codes = value?.elements?.compactMap(\.text) ?? []
        if key == T.single || key == T.multi {
            let all = value?.members?.map(\.key) ?? []
            codes =
                value?.members?.filter {
                    key == T.multi ? $0.value.elements?.isEmpty == false : $0.value.text != nil
                }.map(\.key) ?? []
            codes.removeAll { code in all.count { $0 == code } > 1 }
        }
        return Set(codes.filter { isUsable($0, key) })
    }

    private func isPresent(_ key: String) -> Bool {
        isRead(key, "I") && (input.info ?? []).contains { $0.key == key }
    }

    /// The strings of each code in a link key.
    ///
    /// A repeated code has none.
    private func links(_ key: String) -> [String: [String]] {
        Self.links(value(key), key)
    }

    private static func links(_ value: ReferenceValue?, _ key: String) -> [String: [String]] {
        let members = value?.members ?? []
        var links: [String: [String]] = [:]
        for member in members where members.count(where: { $0.key == member.key }) == 1 {
            let values = key == T.multi ? member.value.elements ?? [] : [member.value]
            links[member.key] = values.compactMap(\.text)
        }
        return links
    }

    /// The strings of a value, whatever its type.
    private static func texts(_ value: ReferenceValue) -> Set<String> {
        value.text.map { [$0] } ?? (value.elements ?? []).reduce(into: []) { $0.formUnion(texts($1)) }
    }

    static func entitlement(_ name: String, in file: [ReferenceMember]?) -> ReferenceValue? {
        file?.last { $0.key == name }?.value
    }

    private var effective: [ReferenceMember]? { input.signed ?? input.source }

    // MARK: 8.3 link-url-changed

    private mutating func changedLinks() {
        guard let info = input.info, let reviewed = input.reviewed else { return }
        func sets(_ file: [ReferenceMember]) -> [String: Set<String>] {
            var sets: [String: Set<String>] = [:]
            for key in [T.single, T.multi] {
                var last: [String: Set<String>] = [:]
                for member in file.last(where: { $0.key == key })?.value.members ?? [] {
                    last[member.key] = Self.texts(member.value)
                }
                sets.merge(last) { $0.union($1) }
            }
            return sets.filter { !$0.value.isEmpty }
        }
        let now = sets(info)
        let then = sets(reviewed)
        for code in Set(now.keys).union(then.keys) where now[code] != then[code] {
            let urls = now[code, default: []].union(then[code, default: []])
            if !urls.contains(where: ReferenceURL.hasVariable) { add("link-url-changed", "I", code) }
        }
    }

    // MARK: 8.4 Counts

    /// The evidence of CF-43.
    static func hasStreamingEvidence(_ input: ReferenceCase) -> Bool {
        let regions = (input.info ?? []).filter { $0.key == T.streaming }
        let file = input.signed ?? input.source
        let legacy = T.dropped(in: input.pack).filter { T.standsFor[$0] == T.streamingEntitlement }
        if legacy.contains(where: { entitlement($0, in: file)?.elements?.isEmpty == false }) { return true }
        return entitlement(T.streamingEntitlement, in: file) == .bool(true)
            || regions.contains { $0.value.elements?.isEmpty == false }
    }

    private mutating func counts() {
        let multi = links(T.multi)
        let single = links(T.single)
        let evidence = Self.hasStreamingEvidence(input)
        // A withdrawn code has its own limit only under `no`.
        let listed = T.codes(T.multi, pack: input.pack) ?? []
        for code in Set(multi.keys).union(single.keys) where isUsable(code, T.multi) {
            guard listed.contains(code) || input.streaming == .no else { continue }
            let limit = T.five.contains(code) && input.streaming != .no ? 5 : 1
            let own = Set(multi[code] ?? [])
            let all = own.union(single[code] ?? [])
            if own.count > limit {
                add(limit == 5 ? "multi-link-over-five" : "multi-link-over-one", "I", "\(T.multi)/\(code)")
            } else if all.count > limit {
                add("link-union-over-limit", "I", code)
            }
            if input.streaming == .auto, !evidence, T.five.contains(code), (2...5).contains(all.count) {
                add("multi-link-needs-streaming", "I", code)
            }
        }
    }

    // MARK: 8.5 Pairing

    /// True when a file has a list of autumn 2025 that replaces the entitlement of a key (CF-24).
    private func hasLegacy(_ key: String, in file: [ReferenceMember]) -> Bool {
        T.dropped(in: input.pack).contains { name in
            T.replaced[name]?.contains(key) == true && Self.entitlement(name, in: file) != nil
        }
    }

    // MARK: 8.2 korea-needs-own-app, 8.1 other-file-missing

    private mutating func korea() {
        var listed: [(role: String, path: String, code: String)] = []
        for key in T.keys where key != T.account {
            let usable = usableCodes(value(key), key)
            if let elements = value(key)?.elements {
                for (index, element) in elements.enumerated() {
                    if let code = element.text, usable.contains(code) { listed.append(("I", "\(key)/\(index)", code)) }
                }
            }
            for member in value(key)?.members ?? [] where usable.contains(member.key) {
                listed.append(("I", "\(key)/\(member.key)", member.key))
            }
        }
        let role = input.signed != nil ? "B" : "E"
        for name in [T.allowed] + T.dropped where isRead(name, role) {
            let list = Self.sole(name, in: effective)
            let usable = usableCodes(list, name)
            for (index, element) in (list?.elements ?? []).enumerated() {
                if let code = element.text, usable.contains(code) { listed.append((role, "\(name)/\(index)", code)) }
            }
        }
        let others = listed.filter { $0.code != "kr" && !ReferenceURL.hasVariable($0.code) }
        guard let korea = listed.first(where: { $0.code == "kr" }), !others.isEmpty else { return }
        add("korea-needs-own-app", korea.role, korea.path)
    }

    private mutating func oneFile() {
        guard isUsed, (input.info == nil) != (effective == nil) else { return }
        add("other-file-missing", input.info != nil ? "I" : input.signed != nil ? "B" : "E", "")
    }

    private mutating func pairing() {
        guard let info = input.info else { return }
        if let file = input.source ?? input.signed {
            for key in T.keys where isPresent(key) && key != T.streaming {
                var pairs = [T.linkEntitlement]
                if key == T.purchase { pairs = [T.purchaseEntitlement] }
                if key == T.account { pairs = [T.accountEntitlement] }
                if key == T.single, input.pack >= "2026-06" { pairs.append(T.allowed) }
                let isMissing = pairs.allSatisfy { name in
                    let value = Self.entitlement(name, in: file)
                    return value == nil || value == .bool(false) && name != T.allowed
                }
                // Only countries that left the key.
                let codes = (value(key)?.members ?? []).map { $0.key.lowercased() }
                let isLeft =
                    [T.single, T.multi].contains(key) && input.pack != "2024-04" && !codes.isEmpty
                    && codes.allSatisfy { $0 == "us" }
                // The allowed regions open the API by themselves.
                let role = input.signed != nil ? "B" : "E"
                let allowed =
                    isRead(T.allowed, role) ? usableCodes(Self.sole(T.allowed, in: effective), T.allowed) : []
                let listed = usableCodes(value(key), key)
                let isOpened =
                    key == T.purchase && input.pack >= "2026-06" || key == T.custom && input.pack >= "2026-02"
                let isServed = isOpened && !listed.isEmpty && listed.isSubset(of: allowed)
                if isMissing, !isLeft, !hasLegacy(key, in: file) {
                    add("entitlement-missing", "I", key, severity: isServed ? "warning" : nil)
                }
            }
            let value = Self.entitlement(T.streamingEntitlement, in: file)
            if isPresent(T.streaming), value == nil || value == .bool(false),
                !hasLegacy(T.streaming, in: file)
            {
                add("streaming-entitlement-missing", "I", T.streaming)
            }
        }
        for name in T.booleans + T.dropped where isRead(name, "E") {
            let role = input.source != nil ? "E" : "B"
            guard let value = Self.entitlement(name, in: input.source ?? input.signed), Self.counts(value, name),
                let needed = T.pairs[name], !needed.contains(where: { key in info.contains { $0.key == key } })
            else { continue }
            add("entitlement-without-key", role, name)
        }
        if let minimum, let since = T.availability(T.multi, platform: platform) {
            if isPresent(T.single), !isPresent(T.multi), !isBelow(minimum, since) {
                add("link-single-only", "I", T.single)
            }
            if isBelow(minimum, since) {
                let single = Set((value(T.single)?.members ?? []).map(\.key))
                let several = usableCodes(value(T.multi), T.multi).filter { !ReferenceURL.hasVariable($0) }
                for code in several.subtracting(single) {
                    add("multi-link-without-fallback", "I", "\(T.multi)/\(code)")
                }
            }
        }
        let fixed = usableCodes(value(T.single), T.single).union(usableCodes(value(T.multi), T.multi))
        var listed = usableCodes(value(T.custom), T.custom).union(usableCodes(value(T.streaming), T.streaming))
        // The list of streaming regions is a custom-link route of its own (CF-24).
        for name in [T.allowed, T.dropped[2]] where isRead(name, "E") {
            listed.formUnion(usableCodes(Self.sole(name, in: effective), name))
        }
        for code in fixed.intersection(listed) where !ReferenceURL.hasVariable(code) {
            add("custom-link-beside-link", "I", code)
        }
    }

    // MARK: 8.6 Signing

    private mutating func signing() {
        for name in T.entitlements + T.dropped where T.exists(name, pack: input.pack) {
            let source = Self.entitlement(name, in: input.source)
            let signed = Self.entitlement(name, in: input.signed)
            if input.source != nil, input.signed != nil {
                if Self.counts(source, name), signed == nil { add("entitlement-not-signed", "E", name) }
                if source == nil, Self.counts(signed, name) { add("entitlement-not-in-source", "B", name) }
                if let source, let signed, Self.differs(source, signed, name) {
                    add("entitlement-value-differs", "E", name)
                }
            }
            let role = input.signed != nil ? "B" : "E"
            let value = role == "B" ? signed : source
            if let file = input.profile, Self.counts(value, name) {
                let granted = file.last { $0.key == name }?.value
                if T.isList(name), granted?.text == "*" { continue }
                if !Self.counts(granted, name) {
                    add("entitlement-not-in-profile", role, name)
                } else if T.isList(name), let codes = value?.elements, let granted = granted?.elements,
                    !granted.contains(.string("*")),
                    !Set(codes.compactMap(\.text)).isSubset(of: granted.compactMap(\.text))
                {
                    add("entitlement-value-differs", role, name)
                }
            }
        }
    }

    /// False for values that count as absent: `false` and other types (CF-21).
    private static func counts(_ value: ReferenceValue?, _ name: String) -> Bool {
        T.isList(name) ? value?.elements != nil : value == .bool(true)
    }

    private static func differs(_ left: ReferenceValue, _ right: ReferenceValue, _ name: String) -> Bool {
        let texts = [left, right].flatMap { value in (value.elements ?? [value]).compactMap(\.text) }
        if texts.contains(where: ReferenceURL.hasVariable) { return false }
        if T.isList(name), let left = left.elements, let right = right.elements {
            return Set(left.compactMap(\.text)) != Set(right.compactMap(\.text))
        }
        return left != right
    }

    // MARK: 8.7 Versions and platforms

    private var platform: String {
        if let platform = input.platform { return platform }
        let names = [
            "iPhoneOS": "iOS", "iPhoneSimulator": "iOS", "MacOSX": "macOS", "AppleTVOS": "tvOS",
            "AppleTVSimulator": "tvOS", "WatchOS": "watchOS", "WatchSimulator": "watchOS", "XROS": "visionOS",
            "XRSimulator": "visionOS",
        ]
        let listed = infoValue("CFBundleSupportedPlatforms")?.elements ?? []
        if let known = listed.compactMap(\.text).compactMap({ names[$0] }).first { return known }
        let isMac = infoValue("LSMinimumSystemVersion") != nil && infoValue("MinimumOSVersion") == nil
        return isMac ? "macOS" : "iOS"
    }

    private func infoValue(_ key: String) -> ReferenceValue? { input.info?.last { $0.key == key }?.value }

    /// The minimum OS.
    ///
    /// On Catalyst, a macOS version is converted to its iOS equivalent (SK-12).
    private var minimum: [Int]? {
        if platform == "macOS" { return Self.version(infoValue("LSMinimumSystemVersion")) }
        guard platform == "macCatalyst", let mac = infoValue("LSMinimumSystemVersion") else {
            return Self.version(infoValue("MinimumOSVersion"))
        }
        guard var version = Self.version(mac) else { return nil }
        switch version[0] {
        case ...15: version[0] += 3
        case ..<26: return nil
        default: break
        }
        return version
    }

    private static func version(_ value: ReferenceValue?) -> [Int]? {
        guard let parts = value?.text?.split(separator: ".", omittingEmptySubsequences: false),
            (1...3).contains(parts.count)
        else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard !part.isEmpty, part.allSatisfy("0123456789".contains) else { return nil }
            guard let number = Int(part) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    private func isBelow(_ left: [Int], _ right: [Int]) -> Bool {
        for index in 0..<3 {
            let one = index < left.count ? left[index] : 0
            let other = index < right.count ? right[index] : 0
            if one != other { return one < other }
        }
        return false
    }

    private mutating func versions() {
        let info = input.info ?? []
        let role = input.signed != nil ? "B" : "E"
        let file = effective ?? []
        let used =
            Set(info.map(\.key)).filter { isRead($0, "I") }.map { ("I", $0) }
            + Set(file.map(\.key)).filter { name in
                // The availability of the lists of autumn 2025 is unknown.
                guard isRead(name, role), !T.dropped.contains(name), let value = Self.entitlement(name, in: file) else {
                    return false
                }
                return Self.counts(value, name)
            }.map { (role, $0) }
        // A finding on a key is not repeated for its entitlement.
        func isSaid(_ name: String, _ test: (String) -> Bool) -> Bool {
            (T.pairs[name] ?? []).contains { isPresent($0) && test($0) }
        }
        func isUnavailable(_ name: String) -> Bool { T.availability(name, platform: platform) == nil }
        for (role, name) in used where isUnavailable(name) && !isSaid(name, isUnavailable) {
            add("key-unavailable-on-platform", role, name)
        }
        guard let minimum else {
            if isUsed, input.info != nil { add("minimum-os-unknown", "I", "") }
            return
        }
        func isTooNew(_ name: String) -> Bool {
            T.availability(name, platform: platform).map { isBelow(minimum, $0) } ?? false
        }
        for (role, name) in used where isTooNew(name) && !isSaid(name, isTooNew) {
            add("minimum-os-below-use", role, name)
        }
        let regions = Self.sole(T.allowed, in: file)?.elements ?? []
        for (index, region) in regions.enumerated() where isRead(T.allowed, role) {
            let gates = ["jp": [26, 4], "br": [26, 5]]
            guard let code = region.text, let gate = gates[code], isBelow(minimum, gate),
                T.codes(T.allowed, pack: input.pack)?.contains(code) == true, regions.firstIndex(of: region) == index
            else { continue }
            add("minimum-os-below-use", role, "\(T.allowed)/\(index)")
        }
        if platform == "iOS" || platform == "iPadOS", isBelow(minimum, [17, 4]) {
            for key in [T.purchase, T.single] where isPresent(key) { add("minimum-os-below-tokens", "I", key) }
        }
    }
}
