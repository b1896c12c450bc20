import ExternalPurchaseCore
import Ledger
import Reporting

/// What a consumer of the feed of changes knows: each record as the newest change of it gives it.
struct FeedFollower {
    fileprivate var position = ChangeCursor.beginning
    fileprivate var records: [Key: JSONValue] = [:]

    fileprivate struct Key: Hashable {
        let kind: ChangeSubject.Kind
        let bundleId: BundleId?
        /// The id, and of a report its environment.
        let id: String
    }
}

extension SimulatedWorld {
    /// Reads the changes since the last step, as a warehouse does between them.
    func followChanges() async {
        let feed = ChangeFeed(store: ledger)
        while true {
            guard let page = try? await feed.changes(after: follower.position, limit: 50) else {
                report(.feedHasAll, "the feed cannot be read after \(follower.position.text)")
                return
            }
            for change in page.changes {
                let environment = change.data.objectValue?["environment"]?.stringValue ?? ""
                let id = change.subject.kind == .report ? "\(environment) \(change.subject.id)" : change.subject.id
                let key = FeedFollower.Key(kind: change.subject.kind, bundleId: change.bundleId, id: id)
                follower.records[key] = change.data
            }
            if page.next == follower.position { return }
            follower.position = page.next
        }
    }

    /// Compares what the follower knows with the lists.
    func checkFeed() async {
        await followChanges()
        guard let merchant else { return }
        var listed: [FeedFollower.Key: JSONObject] = [:]
        func add(_ kind: ChangeSubject.Kind, _ app: BundleId, _ id: String, _ members: [JSONObject.Member]) {
            listed[FeedFollower.Key(kind: kind, bundleId: app, id: id)] = JSONObject(members)
        }
        do throws(RequestError) {
            for token in try await pages(
                \.sequence,
                { page throws(RequestError) in
                    try await merchant.lists.tokens(page)
                }
            ) {
                add(
                    .token,
                    token.token.bundleId,
                    token.token.externalPurchaseId.rawValue,
                    StoredToken.fields.listMembers(of: token)
                )
            }
            for report in try await pages(
                \.sequence,
                { page throws(RequestError) in
                    try await merchant.lists.reports(page)
                }
            ) {
                let id = "\(report.scope.environment.rawValue) \(report.requestIdentifier.text)"
                add(.report, report.scope.bundleId, id, report.listMembers)
            }
            for sale in try await pages(
                \.place,
                { page throws(RequestError) in
                    try await merchant.lists.sales(page)
                }
            ) {
                let stored = sale.receipt.sale.sale
                add(.sale, stored.bundleId, stored.saleId.rawValue, sale.receipt.listMembers(of: stored.asGiven.json))
            }
        } catch {
            report(.feedHasAll, "the lists cannot be read: \(error)")
        }
        let kinds: Set<ChangeSubject.Kind> = [.token, .report, .sale]
        let told = follower.records.filter { kinds.contains($0.key.kind) }
        if let unknown = listed.keys.first(where: { told[$0] == nil }) {
            report(.feedHasAll, "the feed does not tell of \(unknown)")
        }
        if let surplus = told.keys.first(where: { listed[$0] == nil }) {
            report(.feedHasAll, "the feed tells of \(surplus), which no list has")
        }
        for (key, members) in listed {
            let own = Self.withoutCustomer(.object(members))
            let others = Self.withoutCustomer(told[key] ?? .null)
            if own != others {
                report(.feedHasAll, "the feed gives \(key) as \(others.encodedText), the list as \(own.encodedText)")
            }
        }
    }

    private func pages<Row>(
        _ place: (Row) -> Int64,
        _ read: (LedgerPage) async throws(RequestError) -> [Row]
    ) async throws(RequestError) -> [Row] {
        var (rows, page): ([Row], LedgerPage) = ([], LedgerPage(limit: 100))
        while true {
            let part = try await read(page)
            rows += part
            guard part.count == page.limit, let last = part.last else { return rows }
            page.after = place(last)
        }
    }

    /// The lists have the caller's id of a customer, the feed its pseudonym.
    private static func withoutCustomer(_ value: JSONValue) -> JSONValue {
        guard case .object(let object) = value else { return value }
        let rest = object.members.filter { $0.key != "customer" && $0.key != "customerId" }
        return .object(JSONObject(rest.map { .init($0.key, withoutCustomer($0.value)) })).canonical
    }
}

extension JSONValue {
    fileprivate var encodedText: String { String(decoding: encoded(), as: UTF8.self) }
}
