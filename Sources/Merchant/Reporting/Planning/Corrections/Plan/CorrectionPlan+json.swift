import ExternalPurchaseCore

extension CorrectionPlan {
    /// The dry run as JSON.
    var json: JSONValue {
        .object(
            JSONObject([
                .init("allowed", .bool(isAllowed)),
                .init("refusals", .array(refusals.map(\.json))),
                .init("warnings", .array(warnings.map(\.json))),
                .init("reports", .array(steps.map(\.json))),
            ])
        )
    }
}

extension PlannedReport {
    /// The report as JSON: its predicted errors, and each item with its changes.
    var json: JSONValue {
        .object(
            JSONObject([
                .init("externalPurchaseId", .string(externalPurchaseId.rawValue)),
                .init("accepted", .bool(predictedErrors.isEmpty)),
                .init("errors", .array(predictedErrors.map(\.json))),
                .init("items", .array(items.map(\.json))),
            ])
        )
    }
}

extension ItemCorrection {
    /// The item as JSON: its id, the action and its cause, the changes, and the net.
    var json: JSONValue {
        var members: [JSONObject.Member] = [
            .init("lineItemId", .string(item.lineItemId.rawValue)), .init("action", .string(action.rawValue)),
        ]
        switch cause {
        case .requested: break
        case .comesAlong(let id): members.append(.init("comesAlongWith", .string(id.rawValue)))
        case .replaces(let id): members.append(.init("replaces", .string(id.rawValue)))
        case .suspended(let id): members.append(.init("setAsideFor", .string(id.rawValue)))
        }
        members.append(.init("changes", .array(changes.map(\.json))))
        members.append(
            .init(
                "net",
                .object(
                    JSONObject([
                        .init("old", net.old.map { .integer($0.value) } ?? .null),
                        .init("new", .integer(net.new.value)),
                    ])
                )
            )
        )
        return .object(JSONObject(members))
    }
}

extension FieldChange {
    /// The member as JSON with its old and new value; `null` where it is absent.
    var json: JSONValue {
        .object(
            JSONObject([
                .init("field", .string(field)), .init("old", old ?? .null), .init("new", new ?? .null),
            ])
        )
    }
}
