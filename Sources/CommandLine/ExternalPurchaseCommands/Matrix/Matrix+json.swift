import Eligibility
import ExternalPurchaseCore

extension Matrix {
    /// The object that `matrix --format json` prints: the axes, then one cell for each combination.
    var json: JSONValue {
        [
            "mode": .string(AppMode.native.rawValue),
            "rulePack": .string(pack.id),
            "storefronts": .array(rows.map { .string($0.storefront.alpha3) }),
            "os": .array(Self.versions.map { .string("iOS \($0)") }),
            "apis": .array(Self.questions.map { .string($0.rawValue) }),
            "inAppPurchase": .object(
                JSONObject(
                    rows.compactMap { row in
                        inAppPurchase(in: row).map { .init(row.storefront.alpha3, .string($0.rawValue)) }
                    }
                )
            ),
            "minors": .object(
                JSONObject(
                    rows.compactMap { row in minors(in: row).map { .init(row.storefront.alpha3, .string($0)) } }
                )
            ),
            "cells": .array(rows.flatMap { row in row.cells.map { cell($0, of: row) } }),
        ]
    }

    private func cell(_ cell: Cell, of row: Row) -> JSONValue {
        let evaluation = cell.evaluation
        return [
            "storefront": .string(row.storefront.alpha3),
            "os": .string("iOS \(cell.version)"),
            "api": .string(evaluation.question.rawValue),
            "answer": engine(row.storefront, cell.version).answer(of: evaluation),
            "failed": evaluation.failed.map { .string($0.description) } ?? .null,
            "error": evaluation.error.map { .string($0.rawValue) } ?? .null,
        ]
    }
}
