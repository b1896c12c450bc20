import ExternalPurchaseCore

extension CorrectionPlan {
    /// The dry run as JSON.
    var json: JSONValue {
        [
            "allowed": .bool(isAllowed),
            "refusals": .array(refusals.map(\.json)),
            "warnings": .array(warnings.map(\.json)),
            "reports": .array(steps.map(\.json)),
        ]
    }
}

extension PlannedReport {
    /// The report as JSON: its predicted errors, and each item with its changes.
    var json: JSONValue {
        [
            "externalPurchaseId": .string(externalPurchaseId.rawValue),
            "accepted": .bool(predictedErrors.isEmpty),
            "errors": .array(predictedErrors.map(\.json)),
            "items": .array(items.map(\.json)),
        ]
    }
}

extension ItemCorrection {
    /// The item as JSON: its id, the action and its cause, the changes, and the net.
    var json: JSONValue {
        var members: JSONObject = [
            "lineItemId": .string(item.lineItemId.rawValue), "action": .string(action.rawValue),
        ]
        switch cause {
        case .requested: break
        case .comesAlong(let id): members["comesAlongWith"] = .string(id.rawValue)
        case .replaces(let id): members["replaces"] = .string(id.rawValue)
        case .suspended(let id): members["setAsideFor"] = .string(id.rawValue)
        }
        members["changes"] = .array(changes.map(\.json))
        members["net"] = [
            "old": net.old.map { .integer($0.value) } ?? .null,
            "new": .integer(net.new.value),
        ]
        return .object(members)
    }
}

extension FieldChange {
    /// The member as JSON with its old and new value; `null` where it is absent.
    var json: JSONValue {
        [
            "field": .string(field), "old": old ?? .null, "new": new ?? .null,
        ]
    }
}
