import Foundation

/// Returns some of many cases, always the same ones and in their order; all of them with `TEST_CASES=all`.
///
/// Every run takes a share of the orders and seeds of a test that lasts for minutes, so that CI ends on a slow machine.
package func sample<Case>(_ cases: some Sequence<Case>, _ count: Int) -> [Case] {
    let cases = Array(cases)
    guard ProcessInfo.processInfo.environment["TEST_CASES"] != "all" else { return cases }
    // Multiples of an odd number modulo 2^32 leave no period of the cases out, as a stride would.
    let chosen = cases.indices.sorted {
        UInt32(truncatingIfNeeded: $0 &* 2_654_435_761) < UInt32(truncatingIfNeeded: $1 &* 2_654_435_761)
    }
    return chosen.prefix(count).sorted().map { cases[$0] }
}
