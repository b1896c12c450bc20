import Foundation

/// The objects of SARIF 2.1.0 that the linter writes, with their members, types and limits.
///
/// Written from sections 3.13 to 3.58 of the standard; an object may have no other members, as its schema demands.
indirect enum SARIFShape: Sendable {
    case text
    case uri
    case uriReference
    case integer(atLeast: Int)
    case boolean
    case one(of: Set<String>)
    case list(SARIFShape, atLeast: Int)
    case object(required: [String: SARIFShape], optional: [String: SARIFShape])
    case map(SARIFShape)
    /// Property bags hold what they like.
    case bag

    static let message = object(required: ["text": .text], optional: ["markdown": .text])
    static let artifactLocation = object(
        required: [:],
        optional: ["uri": .uriReference, "uriBaseId": .text, "description": message]
    )
    static let region = object(
        required: ["startLine": .integer(atLeast: 1)],
        optional: [
            "startColumn": .integer(atLeast: 1), "endLine": .integer(atLeast: 1), "endColumn": .integer(atLeast: 1),
        ]
    )
    static let location = object(
        required: [
            "physicalLocation": object(required: ["artifactLocation": artifactLocation], optional: ["region": region])
        ],
        optional: [
            "id": .integer(atLeast: 0), "message": message,
            "logicalLocations": .list(
                object(required: ["fullyQualifiedName": .text], optional: ["kind": .text]),
                atLeast: 1
            ),
        ]
    )
    static let level = one(of: ["none", "note", "warning", "error"])
    static let rule = object(
        required: [
            "id": .text, "shortDescription": message, "fullDescription": message, "helpUri": .uri, "help": message,
            "defaultConfiguration": object(required: ["level": level], optional: [:]), "properties": .bag,
        ],
        optional: ["name": .text]
    )
    static let fix = object(
        required: [
            "artifactChanges": .list(
                object(
                    required: [
                        "artifactLocation": artifactLocation,
                        "replacements": .list(
                            object(
                                required: ["deletedRegion": region],
                                optional: ["insertedContent": object(required: ["text": .text], optional: [:])]
                            ),
                            atLeast: 1
                        ),
                    ],
                    optional: [:]
                ),
                atLeast: 1
            )
        ],
        optional: ["description": message]
    )
    static let result = object(
        required: [
            "ruleId": .text, "ruleIndex": .integer(atLeast: 0), "level": level, "message": message,
            "locations": .list(location, atLeast: 1), "partialFingerprints": .map(.text),
        ],
        optional: [
            "relatedLocations": .list(location, atLeast: 1), "fixes": .list(fix, atLeast: 1), "properties": .bag,
        ]
    )
    static let log = object(
        required: [
            "version": one(of: ["2.1.0"]),
            "runs": .list(
                object(
                    required: [
                        "tool": object(
                            required: [
                                "driver": object(
                                    required: ["name": .text, "rules": .list(rule, atLeast: 1)],
                                    optional: ["version": .text, "semanticVersion": .text, "informationUri": .uri]
                                )
                            ],
                            optional: [:]
                        ),
                        "results": .list(result, atLeast: 0),
                    ],
                    optional: [
                        "columnKind": one(of: ["utf16CodeUnits", "unicodeCodePoints"]),
                        "newlineSequences": .list(one(of: ["\r\n", "\n", "\r"]), atLeast: 1),
                        "originalUriBaseIds": .map(artifactLocation),
                        "invocations": .list(
                            object(
                                required: ["executionSuccessful": .boolean],
                                optional: [
                                    "toolExecutionNotifications": .list(
                                        object(
                                            required: ["message": message],
                                            optional: ["level": level, "locations": .list(location, atLeast: 1)]
                                        ),
                                        atLeast: 0
                                    )
                                ]
                            ),
                            atLeast: 1
                        ),
                        "properties": .bag,
                    ]
                ),
                atLeast: 1
            ),
        ],
        optional: ["$schema": .uri]
    )

    /// What a value breaks, each with its path.
    func faults(in value: Any?, at path: String = "$") -> [String] {
        switch self {
        case .text: return value is String ? [] : ["\(path) is no text"]
        case .uri:
            let url = (value as? String).flatMap { URL(string: $0, encodingInvalidCharacters: false) }
            return url?.scheme != nil ? [] : ["\(path) is no URI"]
        case .uriReference:
            let isReference = (value as? String).flatMap { URL(string: $0, encodingInvalidCharacters: false) } != nil
            return isReference ? [] : ["\(path) is no URI reference"]
        case .integer(let least):
            return (value as? Int).map { $0 >= least } == true ? [] : ["\(path) is no integer from \(least)"]
        case .boolean: return value is Bool ? [] : ["\(path) is no Boolean"]
        case .one(let values):
            return (value as? String).map(values.contains) == true ? [] : ["\(path) is none of \(values)"]
        case .list(let shape, let least):
            guard let list = value as? [Any], list.count >= least else {
                return ["\(path) is no list of \(least) or more"]
            }
            return list.enumerated().flatMap { shape.faults(in: $0.element, at: "\(path)[\($0.offset)]") }
        case .map(let shape):
            guard let map = value as? [String: Any] else { return ["\(path) is no object"] }
            return map.flatMap { shape.faults(in: $0.value, at: "\(path).\($0.key)") }
        case .bag: return value is [String: Any] ? [] : ["\(path) is no object"]
        case .object(let required, let optional):
            guard let object = value as? [String: Any] else { return ["\(path) is no object"] }
            let missing = required.keys.filter { object[$0] == nil }.map { "\(path).\($0) is missing" }
            return missing
                + object.flatMap { member in
                    (required[member.key] ?? optional[member.key])?.faults(
                        in: member.value,
                        at: "\(path).\(member.key)"
                    )
                        ?? ["\(path).\(member.key) does not exist"]
                }
        }
    }
}
