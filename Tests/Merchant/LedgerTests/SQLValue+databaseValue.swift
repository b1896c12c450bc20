import Foundation
import GRDB
import Ledger

extension SQLValue {
    /// The value as an argument of GRDB, for tests that ask for query plans.
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let integer): integer.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }
}
