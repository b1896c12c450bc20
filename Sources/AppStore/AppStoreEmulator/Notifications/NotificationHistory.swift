import Crypto
import ExternalPurchaseCore

/// A query of `POST /inApps/v1/notifications/history` (spec/06 section 8).
struct HistoryQuery: Hashable, Sendable {
    var startDate: Timestamp
    var endDate: Timestamp
    var type: NotificationType?
    var subtype: NotificationSubtype?
    var onlyFailures = false
    /// The position at which the page begins; nil for the first page.
    var cursor: Cursor?

    /// The content of a page token: the position in the result of a query.
    struct Cursor: Hashable, Sendable {
        /// When the last record of the previous page was made.
        var madeAt: Timestamp
        var id: NotificationRecord.ID
        /// The number of records at the first page.
        ///
        /// Records made later do not appear (NT-81).
        var madeUntil: Int
        /// The end of the range at the first page.
        var endDate: Timestamp
    }
}

/// One page of history.
struct HistoryPage: Hashable, Sendable {
    var records: [NotificationRecord]
    var next: HistoryQuery.Cursor?

    static let size = 20
}

/// An error of the notification endpoints, whose body is a single error object (NT-70).
enum NotificationEndpointError: Error, Hashable, Sendable {
    case badRequest
    case historyTooOld
    case endBeforeStart
    case pageTokenInvalid
    case startDateInvalid
    case endDateInvalid
    case pageTokenExpired
    case typeInvalid
    case transactionAndType
    case testTokenInvalid
    case noAddress
    case statusNotAvailable
    case transactionUnknown

    var code: Int {
        switch self {
        case .badRequest: 4_000_000
        case .historyTooOld: 4_000_012
        case .endBeforeStart: 4_000_013
        case .pageTokenInvalid: 4_000_014
        case .startDateInvalid: 4_000_015
        case .endDateInvalid: 4_000_016
        case .pageTokenExpired: 4_000_017
        case .typeInvalid: 4_000_018
        case .transactionAndType: 4_000_019
        case .testTokenInvalid: 4_000_020
        case .noAddress: 4_040_007
        case .statusNotAvailable: 4_040_008
        case .transactionUnknown: 4_040_010
        }
    }

    var message: String {
        switch self {
        case .badRequest: "Bad request."
        case .historyTooOld: "Invalid request. The start date is earlier than the allowed start date."
        case .endBeforeStart: "Invalid request. The end date precedes the start date or the dates are the same."
        case .pageTokenInvalid: "Invalid request. The pagination token is invalid."
        case .startDateInvalid:
            "Invalid request. The start date is not a timestamp value represented in milliseconds."
        case .endDateInvalid: "Invalid request. The end date is not a timestamp value represented in milliseconds."
        case .pageTokenExpired: "Invalid request. The pagination token is expired."
        case .typeInvalid: "Invalid request. The notification type or subtype is invalid."
        case .transactionAndType:
            "Invalid request. Supply either a transaction id or a notification type, but not both."
        case .testTokenInvalid: "Invalid request. The test notification token is invalid."
        case .noAddress:
            "No App Store Server Notification URL found for provided app. Check that a URL is configured in App Store "
                + "Connect for this environment."
        case .statusNotAvailable:
            "Either the test notification token is expired or the notification and status are not yet available."
        case .transactionUnknown: "Transaction id not found."
        }
    }

    var isNotFound: Bool { code >= 4_040_000 }
}

/// Reads a query step by step, in the order of NT-82.
struct HistoryQueryReader: Sendable {
    let bundleId: BundleId
    let environment: AppStoreEnvironment
    let now: Timestamp
    let secret: [UInt8]

    static let reach = Duration.days(180)
    private static let pageTokenLife = Timestamp.millisecondsPerDay
    private static let known: [NotificationType: Set<NotificationSubtype>] = [
        .externalPurchaseToken: [.created, .activeTokenReminder, .unreported], .test: [],
    ]

    func read(_ body: [UInt8], pageToken: String?) throws(NotificationEndpointError) -> HistoryQuery {
        guard let object = try? JSONReader().read(body).objectValue, object.repeatedKeys.isEmpty else {
            throw .badRequest
        }
        let type = try text(object, "notificationType")
        let subtype = try text(object, "notificationSubtype")
        let transaction = try text(object, "transactionId")
        var onlyFailures = false
        if let value = object.given("onlyFailures") {
            guard let flag = value.boolValue else { throw .badRequest }
            onlyFailures = flag
        }
        let query = Self.digest(of: object)
        let cursor = try pageToken.map { token throws(NotificationEndpointError) in
            try self.cursor(token, query: query)
        }
        guard let start = date(object, "startDate") else { throw .startDateInvalid }
        guard let end = date(object, "endDate") else { throw .endDateInvalid }
        guard end > start else { throw .endBeforeStart }
        guard start >= now - Self.reach else { throw .historyTooOld }
        guard transaction == nil || type == nil else { throw .transactionAndType }
        if subtype != nil, type == nil { throw .typeInvalid }
        let named = type.map(NotificationType.init(rawValue:))
        let detailed = subtype.map(NotificationSubtype.init(rawValue:))
        if let named {
            guard let subtypes = Self.known[named], detailed.map(subtypes.contains) ?? true else { throw .typeInvalid }
        }
        // The emulator has no In-App Purchase transactions.
        guard transaction == nil else { throw .transactionUnknown }
        return HistoryQuery(
            startDate: start,
            // When the end of the range is in the future, the range includes now (NT-81).
            endDate: cursor?.endDate ?? (end > now ? now + .milliseconds(1) : end),
            type: named,
            subtype: detailed,
            onlyFailures: onlyFailures,
            cursor: cursor
        )
    }

    private func text(_ object: JSONObject, _ key: String) throws(NotificationEndpointError) -> String? {
        guard let value = object.given(key) else { return nil }
        guard let text = value.stringValue else { throw .badRequest }
        return text
    }

    private func date(_ object: JSONObject, _ key: String) -> Timestamp? {
        guard let value = object.given(key)?.int64Value, value >= 1_000_000_000_000 else { return nil }
        return Timestamp(milliseconds: value)
    }

    // MARK: Page tokens

    /// Creates the token of the next page: the cursor and the time of issue, with an authentication code for this app,
    /// environment and query that only this emulator can compute.
    ///
    /// - Parameters:
    ///   - cursor: the position at which the next page begins.
    ///   - body: the body of the query.
    func pageToken(_ cursor: HistoryQuery.Cursor, body: [UInt8]) -> String {
        let query = ((try? JSONReader().read(body))?.objectValue).map(Self.digest(of:)) ?? []
        let numbers = [
            cursor.madeAt.milliseconds, Int64(cursor.madeUntil), cursor.endDate.milliseconds, now.milliseconds,
        ]
        let text = (numbers.map(String.init) + [cursor.id]).joined(separator: ".")
        return Base64URL.encode(Array("\(text).\(code(text, query))".utf8))
    }

    private func cursor(_ token: String, query: [UInt8]) throws(NotificationEndpointError) -> HistoryQuery.Cursor {
        guard let bytes = Base64URL.decode(token.utf8)?.bytes else { throw .pageTokenInvalid }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.prefix(4).compactMap { Int64($0) }
        guard parts.count == 6, numbers.count == 4, let madeUntil = Int(exactly: numbers[1]),
            parts[5] == code(parts.prefix(5).joined(separator: "."), query)
        else { throw .pageTokenInvalid }
        guard now.milliseconds - numbers[3] <= Self.pageTokenLife else { throw .pageTokenExpired }
        return HistoryQuery.Cursor(
            madeAt: Timestamp(milliseconds: numbers[0]),
            id: String(parts[4]),
            madeUntil: madeUntil,
            endDate: Timestamp(milliseconds: numbers[2])
        )
    }

    /// The digest of a query's members, without those that are null.
    ///
    /// Neither their order nor spaces count: the library for Swift writes the members of one query in another order in
    /// each process.
    private static func digest(of query: JSONObject) -> [UInt8] {
        var members = query.members.filter { $0.value != .null }
        members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return Array(SHA256.hash(data: JSONValue.object(JSONObject(members)).encoded()))
    }

    private func code(_ text: String, _ query: [UInt8]) -> String {
        var message = Array("\(bundleId)|\(environment.rawValue)|\(text)|".utf8)
        message += query
        let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret))
        return Base64URL.encode(Array(code))
    }
}

extension NotificationBook {
    /// Returns the records of a query, ordered by the time they were made and then by id (NT-81).
    func page(
        _ query: HistoryQuery,
        of bundleId: BundleId,
        in environment: AppStoreEnvironment
    ) -> HistoryPage {
        let madeUntil = query.cursor?.madeUntil ?? records.count
        let found = records.prefix(madeUntil).filter { record in
            record.bundleId == bundleId && record.environment == environment && record.signedPayload != nil
                && record.madeAt >= query.startDate && record.madeAt < query.endDate
                && (query.type == nil || query.type == record.type)
                && (query.subtype == nil || query.subtype == record.subtype)
                && (!query.onlyFailures || !record.isDelivered)
                && (query.cursor.map { ($0.madeAt, $0.id) < (record.madeAt, record.id) } ?? true)
        }
        .sorted { ($0.madeAt, $0.id) < ($1.madeAt, $1.id) }
        var page = HistoryPage(records: Array(found.prefix(HistoryPage.size)))
        if found.count > HistoryPage.size, let last = page.records.last {
            page.next = HistoryQuery.Cursor(
                madeAt: last.madeAt,
                id: last.id,
                madeUntil: madeUntil,
                endDate: query.endDate
            )
        }
        return page
    }
}

extension JSONObject {
    /// The value of a member.
    ///
    /// Null counts as absent.
    fileprivate func given(_ key: String) -> JSONValue? {
        let value = self[key]
        return value == .null ? nil : value
    }
}
