// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let deadlines: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Every change of a token or sale outdates its deadline, and no other change does (OB-50)",
            over: { store in
                let id = LedgerRows.token().token.externalPurchaseId
                let rules: Int64 = 1
                try await store.step { ledger throws in
                    #expect(try ledger.deadlineRules() == nil)
                    let adopted = try ledger.adoptDeadlineRules("one", at: LedgerRows.now)
                    #expect(adopted == StoredDeadlineRules(id: rules, version: "one"))
                    #expect(try ledger.deadlineRules() == adopted)
                    _ = try ledger.insert(LedgerRows.token())
                    #expect(try ledger.compute(rules) == ["token 1"])
                    #expect(try ledger.compute(rules) == [])
                    _ = try ledger.insert(LedgerRows.sale("held", on: nil, state: .held))
                    #expect(try ledger.compute(rules) == ["sale 1"])
                    // The first sale on a token may tell of its region.
                    _ = try ledger.insert(LedgerRows.sale("first"))
                    #expect(try ledger.compute(rules) == ["token 1", "sale 2"])
                    // One more with the same tax country tells nothing.
                    _ = try ledger.insert(LedgerRows.sale("second"))
                    #expect(try ledger.compute(rules) == ["sale 3"])
                }
                try await store.step { ledger throws in
                    var token = try ledger.token(id, of: LedgerRows.shop)!
                    token.state = .confirmed
                    try ledger.update(token)
                    #expect(try ledger.compute(rules) == ["token 1"])
                    token.storefront = StorefrontCode("DEU")
                    try ledger.update(token)
                    #expect(try ledger.compute(rules) == ["token 1", "sale 2", "sale 3"])
                    _ = try ledger.merge(LedgerRows.token(from: .app))
                    #expect(try ledger.compute(rules) == ["token 1"])
                    var attribution = try ledger.sale("held", of: LedgerRows.shop)!.attribution
                    attribution.holdCauses.insert(.noTax)
                    try ledger.update(attribution, of: "held", app: LedgerRows.shop)
                    #expect(try ledger.compute(rules) == ["sale 1"])
                }
                try await store.step { ledger throws in
                    var report = try ledger.insert(LedgerRows.report(1), holding: ["first"])
                    #expect(try ledger.compute(rules) == ["token 1", "sale 2"])
                    report.state = .unknown
                    try ledger.update(report, accepting: [])
                    #expect(try ledger.compute(rules) == [])
                    report.state = .needsAttention
                    try ledger.update(report, accepting: [])
                    #expect(try ledger.compute(rules) == ["token 1", "sale 2"])
                    let open = try ledger.openRows(of: [.init(isLineItem: false, sequence: 1)]).values.first
                    guard case .token(let token)? = open else {
                        Issue.record("\(String(describing: open))")
                        return
                    }
                    #expect(token.hasRefusedReport)
                    report.state = .withdrawn
                    try ledger.update(report, accepting: [])
                    #expect(try ledger.compute(rules) == ["token 1", "sale 2"])
                    _ = try ledger.insert(LedgerRows.export(), holding: ["second"])
                    #expect(try ledger.compute(rules) == ["sale 3"])
                }
                try await store.step { ledger throws in
                    var report = try ledger.insert(LedgerRows.report(2), holding: ["first"])
                    report.state = .accepted
                    try ledger.update(report, accepting: [])
                    #expect(try ledger.compute(rules) == ["token 1", "sale 2"])
                    // What is reported has no deadline any more.
                    #expect(try ledger.listed(by: rules).map(\.position.subject.sequence) == [1])
                    let third = try ledger.insert(LedgerRows.sale("third")).sequence
                    #expect(try ledger.compute(rules) == ["sale \(third)"])
                }
            }
        ),
        LedgerConformanceCase(
            "A sale that had no deadline has one again when a change opens it (OB-50)",
            over: { store in
                try await store.step { ledger throws in
                    let rules = try ledger.adoptDeadlineRules("one", at: LedgerRows.now).id
                    _ = try ledger.insert(LedgerRows.sale("line", on: nil, state: .recorded))
                    _ = try ledger.insert(LedgerRows.sale("exported", on: nil, state: .held))
                    _ = try ledger.insert(LedgerRows.export(), holding: ["exported"])
                    _ = try ledger.compute(rules)
                    #expect(try ledger.listed(by: rules).isEmpty)
                    // A later event gives a line of a refund its share.
                    var attribution = try ledger.sale("line", of: LedgerRows.shop)!.attribution
                    attribution.state = .held
                    try ledger.update(attribution, of: "line", app: LedgerRows.shop)
                    #expect(try ledger.compute(rules) == ["sale 1"])
                    let id = LedgerRows.export().exportId
                    let submission = ManualSubmission(at: LedgerRows.now, by: "kim", reference: "case 17")
                    try ledger.recordSubmission(id, of: LedgerRows.shop, submission)
                    let withdrawal = ExportWithdrawal(at: LedgerRows.now, by: "lee", reason: "wrong month")
                    try ledger.withdraw(id, of: LedgerRows.shop, withdrawal)
                    #expect(try ledger.compute(rules) == ["sale 2"])
                    #expect(try ledger.listed(by: rules).map(\.position.subject.sequence) == [1, 2])
                }
            }
        ),
        LedgerConformanceCase(
            "Deadlines of earlier rules are found until they are computed anew (OB-50)",
            over: { store in
                try await store.step { ledger throws in
                    let first = try ledger.adoptDeadlineRules("one", at: LedgerRows.now)
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("held", on: nil, state: .held))
                    _ = try ledger.compute(first.id)
                    #expect(try ledger.listed(by: first.id).count == 2)
                    _ = try ledger.insert(LedgerRows.sale("changed", on: nil, state: .held))
                    let second = try ledger.adoptDeadlineRules("two", at: LedgerRows.now)
                    #expect(second.id > first.id && second.version == "two")
                    #expect(try ledger.deadlineRules() == second)
                    func outdated(_ rules: Int64?) throws(LedgerError) -> [StoredDeadline.Subject] {
                        var found: [StoredDeadline.Subject] = []
                        try ledger.eachOutdatedDeadline(notBy: rules) { subject, row throws(LedgerError) in
                            #expect(row != nil)
                            found.append(subject)
                        }
                        return found.sorted()
                    }
                    #expect(try outdated(second.id).count == 3)
                    #expect(try outdated(first.id).map(\.sequence) == [2])
                    #expect(try outdated(nil).count == 3)
                    #expect(try ledger.listed(by: second.id).isEmpty)
                    // What changed is computed with its commit, the others in batches.
                    #expect(try ledger.deadlines(ofRulesBefore: second.id, limit: 1).count == 1)
                    #expect(try ledger.deadlines(ofRulesBefore: second.id, limit: 9).count == 2)
                    #expect(try ledger.changedDeadlines(limit: 9).map(\.subject.sequence) == [2])
                    for (subject, row) in try ledger.deadlines(ofRulesBefore: second.id, limit: 9) {
                        try ledger.setDeadlines([subject: row.map(LedgerRows.deadline)], by: second.id)
                    }
                    _ = try ledger.compute(second.id)
                    #expect(try outdated(second.id).isEmpty)
                    #expect(try ledger.listed(by: second.id).count == 3)
                }
            }
        ),
        LedgerConformanceCase(
            "A list of deadlines has parts: for a person first, those without a deadline last in each (OB-51)",
            over: { store in
                try await store.step { ledger throws in
                    let rules = try ledger.adoptDeadlineRules("one", at: LedgerRows.now).id
                    for number in 1...8 {
                        let other: BundleId = number > 6 ? "com.example.other" : LedgerRows.shop
                        _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("token-\(number)"), of: other))
                    }
                    func set(
                        _ sequence: Int64,
                        _ standing: StoredDeadline.Readiness,
                        due: Int64?,
                        review: Int64? = nil,
                        unconfirmed: Bool = false
                    ) throws(LedgerError) {
                        let deadline = StoredDeadline(
                            subject: .init(isLineItem: false, sequence: sequence),
                            bundleId: sequence > 6 ? "com.example.other" : LedgerRows.shop,
                            environment: .production,
                            readiness: standing,
                            isUnconfirmed: unconfirmed,
                            createdAt: LedgerRows.now,
                            dueAt: due.map(Timestamp.init(milliseconds:)),
                            sendAt: nil,
                            reviewAt: review.map(Timestamp.init(milliseconds:))
                        )
                        try ledger.setDeadlines([deadline.subject: deadline], by: rules)
                    }
                    try set(1, .scheduled, due: 50)
                    try set(2, .scheduled, due: nil)
                    try set(3, .review, due: 70)
                    try set(4, .review, due: nil)
                    try set(5, .waiting, due: 10, review: 30)
                    try set(6, .waiting, due: 50)
                    try set(7, .scheduled, due: 40)
                    try set(8, .scheduled, due: 20, unconfirmed: true)
                    func order(_ now: Int64, refused: Set<BundleId> = []) throws(LedgerError) -> [Int64] {
                        let query = DeadlineQuery(at: Timestamp(milliseconds: now), blockedApps: refused)
                        var (found, position): ([Int64], DeadlinePosition?) = ([], nil)
                        // One entry a page, so that every position is a cursor once.
                        while found.count < 9 {
                            let page = try ledger.deadlines(matching: query, by: rules, after: position, limit: 1)
                            guard let next = page.first else { break }
                            found.append(next.position.subject.sequence)
                            position = next.position
                        }
                        #expect(
                            try ledger.deadlines(matching: query, by: rules, after: nil, limit: 9)
                                .map(\.position.subject.sequence) == found
                        )
                        return found
                    }
                    #expect(try order(29) == [3, 4, 5, 8, 7, 1, 6, 2])
                    #expect(try order(30) == [5, 3, 4, 8, 7, 1, 6, 2])
                    // A refused key asks for a person, but not for what may be forged.
                    #expect(try order(29, refused: ["com.example.other"]) == [7, 3, 4, 5, 8, 1, 6, 2])
                    #expect(try order(29, refused: [LedgerRows.shop]) == [1, 3, 2, 4, 5, 8, 7, 6])
                    let query = DeadlineQuery(at: Timestamp(milliseconds: 30), blockedApps: [])
                    let boundaries = [20, 50].map(Timestamp.init(milliseconds:))
                    let counts = try ledger.deadlineCounts(matching: query, by: rules, boundaries: boundaries)
                    func count(_ bucket: Int?, review: Bool) -> Int {
                        counts.filter { $0.key.bucket == bucket && $0.key.needsReview == review }.values.reduce(0, +)
                    }
                    #expect(count(0, review: true) == 1 && count(0, review: false) == 1)
                    #expect(count(1, review: true) == 0 && count(1, review: false) == 3)
                    #expect(count(2, review: true) == 1 && count(nil, review: true) == 1)
                    #expect(count(nil, review: false) == 1 && counts.values.reduce(0, +) == 8)
                    var before: [Int64] = []
                    let end = Timestamp(milliseconds: 50)
                    try ledger.eachDeadline(before: end, by: rules) { listed throws(LedgerError) in
                        before.append(listed.position.subject.sequence)
                    }
                    #expect(before.sorted() == [5, 7])
                }
            }
        ),
    ]
}

extension LedgerRows {
    /// A deadline of an open row that says nothing but that there is one.
    static func deadline(_ row: OpenRow) -> StoredDeadline {
        let (isLineItem, sequence, bundleId) =
            switch row {
            case .token(let token): (false, token.sequence, token.bundleId)
            case .sale(let sale): (true, sale.sequence, sale.bundleId)
            }
        return StoredDeadline(
            subject: .init(isLineItem: isLineItem, sequence: sequence),
            bundleId: bundleId,
            environment: .production,
            readiness: .scheduled,
            isUnconfirmed: false,
            createdAt: now,
            dueAt: nil,
            sendAt: nil,
            reviewAt: nil
        )
    }
}

extension LedgerTransaction {
    /// Computes what changed, and says of which rows that was.
    fileprivate func compute(_ rules: Int64) throws(LedgerError) -> [String] {
        var names: [(StoredDeadline.Subject, String)] = []
        for (subject, row) in try changedDeadlines(limit: 100) {
            names.append((subject, "\(subject.isLineItem ? "sale" : "token") \(subject.sequence)"))
            try setDeadlines([subject: row.map(LedgerRows.deadline)], by: rules)
        }
        return names.sorted { $0.0 < $1.0 }.map(\.1)
    }

    fileprivate func listed(by rules: Int64) throws(LedgerError) -> [ListedDeadline] {
        let query = DeadlineQuery(at: LedgerRows.now, blockedApps: [])
        return try deadlines(matching: query, by: rules, after: nil, limit: 100)
    }
}
