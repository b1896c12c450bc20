import Eligibility
import ExternalPurchaseCore

extension Matrix {
    /// The object that `matrix --format json` prints: the axes, then one cell for each combination.
    var json: JSONValue {
        .object(
            JSONObject([
                .init("mode", .string(AppMode.native.rawValue)),
                .init("rulePack", .string(pack.id)),
                .init("storefronts", .array(rows.map { .string($0.storefront.alpha3) })),
                .init("os", .array(Self.versions.map { .string("iOS \($0)") })),
                .init("apis", .array(Self.questions.map { .string($0.rawValue) })),
                .init("cells", .array(rows.flatMap { row in row.cells.map { cell($0, of: row) } })),
            ])
        )
    }

    private func cell(_ cell: Cell, of row: Row) -> JSONValue {
        let evaluation = cell.evaluation
        return .object(
            JSONObject([
                .init("storefront", .string(row.storefront.alpha3)),
                .init("os", .string("iOS \(cell.version)")),
                .init("api", .string(evaluation.question.rawValue)),
                .init("answer", engine(row.storefront, cell.version).answer(of: evaluation)),
                .init("failed", evaluation.failed.map { .string($0.description) } ?? .null),
                .init("error", evaluation.error.map { .string($0.rawValue) } ?? .null),
            ])
        )
    }
}
