import ExternalPurchaseCore

/// The allowed members of a programme file's objects, so that misspelt members are reported instead of ignored.
enum ProgrammeSchema {
    private indirect enum Shape: Sendable {
        case any
        case list(Shape)
        case object([String: Shape])
        /// An object with arbitrary keys.
        case map(Shape)
    }

    private static let confidence = Shape.object(["level": .any, "asOf": .any, "source": .any, "note": .any])

    private static let entry = Shape.object([
        "id": .any, "title": .any, "source": .any, "effectiveFrom": .any, "effectiveTo": .any, "effectiveNote": .any,
        "regions": .any,
        "regionEffectiveFrom": .map(.any), "clientProgrammes": .any,
        "platforms": .list(.object(["os": .any, "minimum": .any])), "tokenTypes": .any,
        "channel": .list(.object(["channel": .any, "when": .any])), "mustReport": .any, "calendar": .any,
        "deadlineDays": .any, "attributionWindowDays": .any, "attributionStart": .any, "attributionAppliesTo": .any,
        "renewalsCount": .any,
        "rates": .list(
            .object([
                "id": .any, "fee": .any, "flow": .any, "tier": .any, "percent": .any, "base": .any, "when": .any,
                "confidence": confidence, "adds": .any, "addsTo": .any,
            ])
        ),
        "fixedFees": .list(
            .object([
                "id": .any, "amount": .any, "currency": .any, "per": .any, "above": .any, "tier": .any,
                "confidence": confidence,
            ])
        ),
        "payment": .object([
            "invoice": .any, "payWithinDays": .any, "countedFrom": .any, "disputeUntil": .any,
            "refundsCreditedOn": .any, "taxIdRequired": .any,
        ]),
        "recordKeepingYears": .any, "recordKeepingFrom": .any, "auditNoticeDays": .any, "electionLockMonths": .any,
        "confidence": .map(confidence),
    ])

    /// Faults for unknown and repeated members of an entry, at any depth.
    static func faults(in value: JSONValue, at path: String, file: String?) -> [ProgrammeFault] {
        var faults: [ProgrammeFault] = []
        walk(value, entry, path) { place, message in
            if faults.count < maximumFaults {
                faults.append(ProgrammeFault(file: file, path: place, message: message()))
            }
        }
        return faults
    }

    /// The maximum number of faults reported per entry.
    private static let maximumFaults = 100

    private static func walk(
        _ value: JSONValue,
        _ shape: Shape,
        _ path: String,
        _ add: (_ path: String, _ message: @autoclosure () -> String) -> Void
    ) {
        if case .object(let object) = value {
            for key in object.repeatedKeys { add("\(path).\(key)", "stands twice") }
        }
        switch (value, shape) {
        case (.array(let elements), .list(let element)):
            for (index, value) in elements.enumerated() { walk(value, element, "\(path)[\(index)]", add) }
        case (.object(let object), .map(let element)):
            for member in object.members { walk(member.value, element, "\(path).\(member.key)", add) }
        case (.object(let object), .object(let members)):
            for member in object.members {
                if let shape = members[member.key] {
                    walk(member.value, shape, "\(path).\(member.key)", add)
                } else {
                    add("\(path).\(member.key)", "unknown member" + members.keys.sorted().suggestion(for: member.key))
                }
            }
        default: break
        }
    }
}
