import ExternalPurchaseCore

/// Assigns the operations of a correction to as few reports as their tokens allow, in a valid order (RR-83).
///
/// The only relation between operations is "not later than": operations in this relation may be in the same report. The
/// relation follows from these rules:
///
/// - Refunds and events are retracted not later than the item they reference (E22), and restored not earlier (E25).
/// - A buy's currencies, rate and country change not later than those of its refunds (E2, E32, E33, E23).
/// - Operations that increase a buy's remainder come not later than those that decrease it, so that no intermediate net
///   is negative (RR-23).
/// - A charge becomes the start of a subscription not later than its events reference it (E14), and stops being the
///   start not earlier than they reference another one (E29).
/// - An item is retracted not later than its replacement is reported, so that no sale is counted twice.
struct CorrectionSchedule {
    private let operations: [CorrectionOperation]
    private let limits: ReportLimits
    /// For each operation, the operations that must not be later.
    private let predecessors: [Set<Int>]

    init(_ operations: [CorrectionOperation], limits: ReportLimits) {
        self.operations = operations
        self.limits = limits
        predecessors = Self.predecessors(operations)
    }

    /// The operations of each report, in the order of the reports.
    func reports() -> [[CorrectionOperation]] {
        var reports: [[CorrectionOperation]] = []
        var done: Set<Int> = []
        var open = Array(operations.indices)
        while !open.isEmpty {
            let next = fitting(inOrder(nextReport(of: open, after: done), after: done))
            done.formUnion(next)
            open.removeAll { done.contains($0) }
            reports.append(next.map { operations[$0] })
        }
        return reports
    }

    /// The largest possible next report; a report that completes its token is preferred.
    private func nextReport(of open: [Int], after done: Set<Int>) -> [Int] {
        var byToken: [ExternalPurchaseId: [Int]] = [:]
        for index in open { byToken[operations[index].externalPurchaseId, default: []].append(index) }
        var best: [Int] = []
        var bestFinishes = false
        // Sorted by operation, so that the plan is deterministic.
        for members in byToken.values.sorted(by: { $0[0] < $1[0] }) {
            var ready = Set(members)
            while let late = ready.first(where: { index in
                !predecessors[index].allSatisfy { done.contains($0) || ready.contains($0) }
            }) {
                ready.remove(late)
            }
            let finishes = ready.count == members.count
            if (finishes ? 1 : 0, ready.count) > (bestFinishes ? 1 : 0, best.count) {
                best = ready.sorted()
                bestFinishes = finishes
            }
        }
        // No order meets all requirements: the validation reports the error of the resulting report.
        return best.isEmpty ? Array(open.prefix(1)) : best
    }

    /// The operations in an order in which any prefix could be a report of its own.
    private func inOrder(_ indices: [Int], after done: Set<Int>) -> [Int] {
        guard indices.count > 1 else { return indices }
        let members = Set(indices)
        var waiting: [Int: Int] = [:]
        var followers: [Int: [Int]] = [:]
        for index in indices {
            let inside = predecessors[index].intersection(members)
            waiting[index] = inside.count
            for predecessor in inside { followers[predecessor, default: []].append(index) }
        }
        var ready = indices.filter { waiting[$0] == 0 }[...]
        var ordered: [Int] = []
        while let index = ready.popFirst() {
            ordered.append(index)
            for follower in followers[index, default: []] {
                waiting[follower, default: 0] -= 1
                if waiting[follower] == 0 { ready.append(follower) }
            }
        }
        // The remaining operations depend on each other and stay together.
        return ordered + indices.filter { (waiting[$0] ?? 0) > 0 }
    }

    /// The longest prefix of the operations that fits into one report.
    private func fitting(_ indices: [Int]) -> [Int] {
        var count = min(indices.count, max(1, limits.lineItems))
        // 200 bytes are reserved for the report around its items, and 21 for each net, which is not known yet.
        while count > 1,
            indices[..<count].reduce(200, { $0 + operations[$1].item.asReceived.json.encoded().count + 21 })
                > limits.bodyBytes
        {
            count -= count / 2
        }
        return Array(indices[..<count])
    }

    private static func predecessors(_ operations: [CorrectionOperation]) -> [Set<Int>] {
        var predecessors = Array(repeating: Set<Int>(), count: operations.count)
        func require(_ first: Int, notLaterThan second: Int) {
            if first != second { predecessors[second].insert(first) }
        }
        var byItem: [LineItemId: [Int]] = [:]
        var byReference: [LineItemId: Set<Int>] = [:]
        var effects: [LineItemId: (more: [Int], less: [Int])] = [:]
        for (index, operation) in operations.enumerated() {
            for earlier in byItem[operation.lineItemId, default: []] { require(earlier, notLaterThan: index) }
            byItem[operation.lineItemId, default: []].append(index)
            for reference in [operation.previous?.reference, operation.item.reference] {
                if let reference { byReference[reference, default: []].insert(index) }
            }
            for (buy, effect) in operation.netEffects {
                if effect > 0 { effects[buy, default: ([], [])].more.append(index) }
                if effect < 0 { effects[buy, default: ([], [])].less.append(index) }
            }
        }
        for (index, operation) in operations.enumerated() {
            let id = operation.lineItemId
            for other in byReference[id, default: []] {
                let referrer = operations[other]
                let stood = referrer.previous?.isLive == true && referrer.previous?.reference == id
                let stands = referrer.item.isLive && referrer.item.reference == id
                if operation.retracts, stood, !stands { require(other, notLaterThan: index) }
                if operation.raises, stands, !stood { require(index, notLaterThan: other) }
                if operation.becomesStart, stands, !stood { require(index, notLaterThan: other) }
                if operation.isStartNoMore, stood, !stands { require(other, notLaterThan: index) }
                if operation.changesAgreement, stands, referrer.changesAgreement {
                    require(index, notLaterThan: other)
                }
            }
            switch operation.cause {
            case .replaces(let old):
                for retraction in byItem[old, default: []] { require(retraction, notLaterThan: index) }
            case .suspended(let buy):
                for other in byItem[buy, default: []] { require(index, notLaterThan: other) }
            case .requested, .comesAlong:
                break
            }
        }
        for (more, less) in effects.values {
            for later in less {
                for earlier in more { require(earlier, notLaterThan: later) }
            }
        }
        return predecessors
    }
}

extension CorrectionOperation {
    /// True when the item was another event of its subscription and becomes its start.
    fileprivate var becomesStart: Bool { previous?.isStart == false && item.isStart }

    /// True when the item was the start of its subscription and becomes another event.
    fileprivate var isStartNoMore: Bool { previous?.isStart == true && !item.isStart }

    /// True when a live item changes its currencies, rate or country.
    fileprivate var changesAgreement: Bool {
        guard let previous, item.isLive else { return false }
        return RefundAgreement(previous) != RefundAgreement(item)
    }
}

extension LineItem {
    fileprivate var isStart: Bool {
        if case .subscription(let subscription) = kind { subscription.start == nil } else { false }
    }
}
