import ExternalPurchaseCore

/// The order in which the operations of a correction are accepted, in as few reports as their tokens allow (RR-83).
///
/// "Not later" is the only relation: what must not be later may stand in the same report. The rules behind it:
///
/// - refunds and events are retracted not later than what they reference (E22), and stand again not earlier (E25);
/// - a buy's currencies, rate and country change not later than those of its refunds (E2, E32, E33, E23);
/// - of one buy, what leaves more of it comes not later than what leaves less, so that no net in between is negative
///   (RR-23);
/// - a charge becomes the start of a subscription not later than its events refer to it (E14), and stops being it not
///   earlier than they refer to another one (E29);
/// - an item is retracted not later than it is reported anew, so that no sale ever stands twice.
struct CorrectionSchedule {
    private let operations: [CorrectionOperation]
    private let limits: ReportLimits
    /// By operation, those that must not be later.
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

    /// The most that one token can report next; a token that is then finished comes first.
    private func nextReport(of open: [Int], after done: Set<Int>) -> [Int] {
        var byToken: [ExternalPurchaseId: [Int]] = [:]
        for index in open { byToken[operations[index].externalPurchaseId, default: []].append(index) }
        var best: [Int] = []
        var bestFinishes = false
        // In the order of the operations, so that the plan is the same every time.
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
        // Requirements that no order meets: the judge says what is wrong with the one that comes out.
        return best.isEmpty ? Array(open.prefix(1)) : best
    }

    /// The operations so that any first part of them could be a report of its own.
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
        // What is left needs each other and stays together.
        return ordered + indices.filter { (waiting[$0] ?? 0) > 0 }
    }

    /// As many of the operations as one report takes.
    private func fitting(_ indices: [Int]) -> [Int] {
        var count = min(indices.count, max(1, limits.lineItems))
        // 200 bytes hold the report around its items; a net has at most 20 digits and is not known yet.
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
    /// True when the item was another event of its subscription and becomes the start.
    fileprivate var becomesStart: Bool { previous?.isStart == false && item.isStart }

    /// True when the item was the start of its subscription and becomes another event.
    fileprivate var isStartNoMore: Bool { previous?.isStart == true && !item.isStart }

    /// True when the item goes on with other currencies, another rate or another country.
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
