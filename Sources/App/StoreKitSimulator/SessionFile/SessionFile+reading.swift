import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation

extension SessionFile {
    /// Reads a session file and the property lists that it names.
    ///
    /// - Parameter path: the file. Paths in it are relative to its folder.
    /// - Throws: the first error of the file, or of a property list that it names.
    public static func read(path: String) throws(SessionFileError) -> SessionFile {
        if let reason = NamedFile.refusal(path: path) {
            throw SessionFileError(
                cause: .unreadable,
                file: path,
                position: nil,
                member: nil,
                reason: reason,
                hint: "Give a file that this user may read."
            )
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            let isMissing = !FileManager.default.fileExists(atPath: path)
            throw SessionFileError(
                cause: .unreadable,
                file: path,
                position: nil,
                member: nil,
                reason: isMissing ? "there is no such file" : "the file cannot be read",
                hint: isMissing ? "Check the path." : "Give a file that this user may read."
            )
        }
        return try parse(Array(data), path: path)
    }

    /// Reads the content of a session file and the property lists that it names.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - path: the name of the file in messages. Paths in the content are relative to its folder.
    /// - Throws: the first error of the content, or of a property list that it names.
    public static func parse(_ bytes: [UInt8], path: String) throws(SessionFileError) -> SessionFile {
        let reader = try SessionFileReader(bytes, path: path)
        var file = SessionFile(path: path)
        file.storefront = try reader.storefront()
        file.mode = try reader.choice("mode", AppMode.allCases)
        file.linkedSDK = try reader.version("sdk")
        file.system = try reader.system(mode: file.mode ?? .native)
        file.canMakePayments = try reader.boolean("canMakePayments")
        file.personEligible = try reader.boolean("personEligible")
        file.customerAge = try reader.age()
        file.environment = try reader.choice("environment", AppStoreEnvironment.allCases)
        file.rulePack = try reader.rulePack()
        file.musicStreaming = try reader.musicStreaming()
        file.appAppleId = try reader.appAppleId()
        file.sheetAnswers = try reader.sheetAnswers()
        file.seed = try reader.seed()
        file.now = try reader.moment("now")
        file.infoPlist = try reader.configuration("infoPlist") { path throws(ConfigurationReadError) in
            try AppConfiguration.read(infoPlist: path, entitlements: nil).infoPlist
        }
        file.entitlements = try reader.configuration("entitlements") { path throws(ConfigurationReadError) in
            try AppConfiguration.read(infoPlist: nil, entitlements: path).entitlements
        }
        return file
    }
}

private struct SessionFileReader {
    private static let members = [
        "storefront", "os", "mode", "sdk", "canMakePayments", "personEligible", "age", "environment", "rulePack",
        "asOf",
        "musicStreaming", "infoPlist", "entitlements", "appAppleId", "sheetAnswers", "seed", "now",
    ]

    private let path: String
    private let object: JSONObject

    init(_ bytes: [UInt8], path: String) throws(SessionFileError) {
        self.path = path
        let value: JSONValue
        do throws(JSONReadError) {
            value = try JSONReader().read(bytes)
        } catch {
            throw Self.notJSON(error, bytes, path: path)
        }
        guard let object = value.objectValue else {
            throw SessionFileError(
                cause: .notJSON,
                file: path,
                position: nil,
                member: nil,
                reason: "the content is \(value.typeName), not an object",
                hint: "Write the members between { and }."
            )
        }
        self.object = object
        for member in object.members where !Self.members.containsName(member.key) {
            let meant = Self.members.nearest(to: member.key).map { "Did you mean \"\($0)\"?" }
            throw fault(
                .unknownMember,
                member.key.clipped(),
                "session files have no such member",
                meant ?? "Known are \(Self.members.joined(separator: ", "))."
            )
        }
        if let repeated = object.repeatedKeys.first {
            throw fault(.repeatedMember, repeated, "it occurs more than once", "Leave one of them out.")
        }
    }

    // MARK: Members

    func storefront() throws(SessionFileError) -> String?? {
        if object["storefront"] == .null { return .some(nil) }
        guard let code = try string("storefront") else { return nil }
        guard StorefrontCode(code) != nil else {
            let meant = StorefrontCode.suggestion(for: code).map { "Did you mean \"\($0)\"?" }
            throw fault(
                .unknownValue,
                "storefront",
                "\(code.quoted) is not an alpha-3 code",
                meant ?? "Write one such as \"NLD\", or null for no storefront."
            )
        }
        return code
    }

    func system(mode: AppMode) throws(SessionFileError) -> SystemRelease? {
        guard let text = try string("os") else { return nil }
        let release: SystemRelease
        do throws(SystemReleaseError) {
            release = try SystemRelease(text)
        } catch {
            throw fault(.unknownValue, "os", error.reason, error.hint)
        }
        do throws(DeviceContradiction) {
            let device = try Device(release, mode: mode)
            return SystemRelease(platform: device.platform, version: device.osVersion)
        } catch {
            throw fault(.contradiction, "os", error.reason, error.hint)
        }
    }

    func version(_ member: String) throws(SessionFileError) -> OSVersion? {
        guard let text = try string(member) else { return nil }
        guard let version = OSVersion(text) else {
            throw fault(.unknownValue, member, "\(text.quoted) is no version", "Write one such as \"26.4\".")
        }
        return version
    }

    func rulePack() throws(SessionFileError) -> RulePack? {
        let tables = RegionTables.builtIn
        let names = tables.packs.map(\.id)
        let id = try string("rulePack")
        guard let day = try string("asOf") else {
            guard let id else { return nil }
            if let pack = tables.pack(id) { return pack }
            throw fault(
                .unknownValue,
                "rulePack",
                "there is no rule pack \(id.quoted)",
                "Known are \(names.joined(separator: ", "))."
            )
        }
        guard id == nil else {
            throw fault(
                .contradiction,
                "asOf",
                "\"rulePack\" and \"asOf\" both choose the rule pack",
                "Leave one of them out."
            )
        }
        guard Timestamp(rfc3339: "\(day)T00:00:00Z") != nil else {
            throw fault(
                .unknownValue,
                "asOf",
                "\(day.quoted) is no day",
                "Write year, month and day, \"2026-10-01\"."
            )
        }
        guard let pack = tables.pack(inForceOn: day) else {
            throw fault(
                .unknownValue,
                "asOf",
                "no rule pack was in force on \(day)",
                "The first begins on \(tables.packs[0].effectiveFrom)."
            )
        }
        return pack
    }

    func musicStreaming() throws(SessionFileError) -> MusicStreaming? {
        guard let value = object["musicStreaming"] else { return nil }
        if let qualifies = value.boolValue { return qualifies ? .yes : .no }
        if value == .string("auto") { return .auto }
        throw fault(
            .unknownValue,
            "musicStreaming",
            "the value is neither true nor false nor \"auto\"",
            "Write true for an app that qualifies as music streaming."
        )
    }

    func appAppleId() throws(SessionFileError) -> Int64? {
        guard let value = object["appAppleId"] else { return nil }
        guard let id = value.int64Value, id > 0 else {
            throw fault(
                .wrongType,
                "appAppleId",
                "the value is not a positive whole number",
                "Write the app's number of App Store Connect without quotes."
            )
        }
        return id
    }

    func age() throws(SessionFileError) -> AgeBand? {
        guard let value = object["age"] else { return nil }
        guard let years = value.int64Value, (0...150).contains(years) else {
            throw fault(.wrongType, "age", "the value is not a whole number from 0 to 150", "Write one such as 12.")
        }
        return AgeBand(Int(years))
    }

    func seed() throws(SessionFileError) -> UInt64? {
        guard let value = object["seed"] else { return nil }
        guard let seed = value.int64Value.flatMap(UInt64.init(exactly:)) else {
            throw fault(.wrongType, "seed", "the value is not a whole number from 0", "Write one such as 1.")
        }
        return seed
    }

    func moment(_ member: String) throws(SessionFileError) -> Timestamp? {
        guard let text = try string(member) else { return nil }
        guard let moment = Timestamp(rfc3339: text) else {
            throw fault(
                .unknownValue,
                member,
                "\(text.quoted) is no moment",
                "Write one such as \"2026-11-01T12:00:00Z\"."
            )
        }
        return moment
    }

    func sheetAnswers() throws(SessionFileError) -> [SheetAnswer]? {
        guard let value = object["sheetAnswers"] else { return nil }
        guard let elements = value.arrayValue else {
            throw wrongType("sheetAnswers", value, "an array", "Write [\"continue\"].")
        }
        guard !elements.isEmpty else {
            throw fault(
                .unknownValue,
                "sheetAnswers",
                "the list is empty",
                "Name at least one answer; leave the member out for a session that can show no sheet."
            )
        }
        let names: [String: SheetAnswer] = [
            "continue": .continue, "continueWithoutReminders": .continueWithoutReminders, "cancel": .cancel,
        ]
        var answers: [SheetAnswer] = []
        for (index, element) in elements.enumerated() {
            let member = "sheetAnswers[\(index)]"
            guard let name = element.stringValue else {
                throw wrongType(member, element, "a string", "Write \"continue\" or \"cancel\".")
            }
            guard let answer = names[name] else {
                throw unknown(member, name, names.keys.sorted())
            }
            answers.append(answer)
        }
        return answers
    }

    func configuration(
        _ member: String,
        read: (String) throws(ConfigurationReadError) -> PropertyListFile?
    ) throws(SessionFileError) -> PropertyListFile? {
        guard let relative = try string(member) else { return nil }
        do throws(ConfigurationReadError) {
            return try read(resolve(relative))
        } catch {
            let location = error.position.map { "\(error.file):\($0.line):\($0.column): " } ?? ""
            throw fault(.configuration(error), member, location + error.message, error.hint)
        }
    }

    private func resolve(_ relative: String) -> String {
        guard !relative.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return relative }
        return path[...slash] + relative
    }

    // MARK: JSON types

    func boolean(_ member: String) throws(SessionFileError) -> Bool? {
        guard let value = object[member] else { return nil }
        guard let boolean = value.boolValue else {
            throw wrongType(member, value, "true or false", "Write true or false without quotes.")
        }
        return boolean
    }

    func choice<Choice: RawRepresentable<String>>(
        _ member: String,
        _ choices: [Choice]
    ) throws(SessionFileError) -> Choice? {
        guard let text = try string(member) else { return nil }
        guard let choice = Choice.named(text) else { throw unknown(member, text, choices.map(\.rawValue)) }
        return choice
    }

    private func string(_ member: String) throws(SessionFileError) -> String? {
        guard let value = object[member] else { return nil }
        guard let string = value.stringValue else {
            throw wrongType(member, value, "a string", "Write it in quotes, or leave the member out.")
        }
        return string
    }

    // MARK: Faults

    private func fault(
        _ cause: SessionFileError.Cause,
        _ member: String,
        _ reason: String,
        _ hint: String
    ) -> SessionFileError {
        SessionFileError(cause: cause, file: path, position: nil, member: member, reason: reason, hint: hint)
    }

    private func wrongType(
        _ member: String,
        _ value: JSONValue,
        _ expected: String,
        _ hint: String
    ) -> SessionFileError {
        fault(.wrongType, member, "the value is \(value.typeName), not \(expected)", hint)
    }

    private func unknown(_ member: String, _ text: String, _ known: [String]) -> SessionFileError {
        let meant = known.nearest(to: text).map { "Did you mean \"\($0)\"?" }
        return fault(
            .unknownValue,
            member,
            "\(text.quoted) is not a value of it",
            meant ?? "Known are \(known.map { "\"\($0)\"" }.joined(separator: ", "))."
        )
    }

    private static func notJSON(_ error: JSONReadError, _ bytes: [UInt8], path: String) -> SessionFileError {
        let reason =
            switch error {
            case .notUTF8: "the text is not UTF-8"
            case .notJSON(_, let expected): "the text stops being JSON here; \(expected) is expected"
            case .tooDeep: "arrays and objects are nested too deep"
            case .nameTooLong: "a name has more than \(JSONReader.maximumNameBytes) bytes"
            case .tooManyCombining: "a text \(StreamSafeText.refusal)"
            }
        let position = error.offset.map { offset in
            let before = bytes[..<min(offset, bytes.count)]
            let line = before.split(separator: 0x0A, omittingEmptySubsequences: false)
            // Continuation bytes of UTF-8 are not counted as columns.
            let column = (line.last ?? []).count { $0 & 0xC0 != 0x80 } + 1
            return SourcePosition(line: line.count, column: column)
        }
        return SessionFileError(
            cause: .notJSON,
            file: path,
            position: position,
            member: nil,
            reason: reason,
            hint: "Check quotes and commas; JSON has no comments and no comma after the last member."
        )
    }
}

extension JSONValue {
    fileprivate var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
