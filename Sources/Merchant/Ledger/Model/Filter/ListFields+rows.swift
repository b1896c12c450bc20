import ExternalPurchaseCore

// The fields by which each list can be filtered. A database implements the same fields with columns and indexes.

extension StoredToken {
    package static let listFields = ListFields<StoredToken>(
        [
            .init(ListParameter(.bundleId), { [$0.token.bundleId.rawValue] }),
            .init(ListParameter(.environment, AppStoreEnvironment.self), { [$0.token.environment.rawValue] }),
            .init(ListParameter(.state, TokenState.self), { [$0.state.rawValue] }),
            .init(
                // A token that only a notification named has no type until its text is delivered.
                ListParameter(.kind, known: TokenType.all.map(\.rawValue) + ["none"]),
                { [$0.token.tokenType?.rawValue ?? "none"] }
            ),
            .init(ListParameter(.externalPurchaseId), { [$0.token.externalPurchaseId.rawValue] }),
            .init(ListParameter(.customerId), { [$0.customerId?.rawValue] }),
            .init(ListParameter(.flag, known: TokenFlag.known.map(\.rawValue)), { $0.flags.map(\.rawValue) }),
        ],
        at: { $0.token.tokenCreationDate }
    )
}

extension StoredReport {
    package static let listFields = ListFields<StoredReport>(
        [
            .init(ListParameter(.bundleId), { [$0.scope.bundleId.rawValue] }),
            .init(ListParameter(.environment, AppStoreEnvironment.self), { [$0.scope.environment.rawValue] }),
            .init(ListParameter(.state, ReportState.self), { [$0.state.rawValue] }),
            .init(ListParameter(.kind, known: ReportStatus.all.map(\.rawValue)), { [$0.status.rawValue] }),
            .init(ListParameter(.externalPurchaseId), { [$0.externalPurchaseId.rawValue] }),
        ],
        at: \.writtenAt
    )
}

extension StoredNotification {
    package static let listFields = ListFields<StoredNotification>(
        [
            .init(ListParameter(.bundleId), { [$0.bundleId?.rawValue] }),
            .init(ListParameter(.environment, AppStoreEnvironment.self), { [$0.environment?.rawValue] }),
            .init(ListParameter(.state, known: ["waiting", "done"]), { [$0.effect == nil ? "waiting" : "done"] }),
            // Any text is valid, because Apple may add types and subtypes.
            .init(ListParameter(.kind), { [$0.type.rawValue] }),
            .init(ListParameter(.subtype), { [$0.subtype?.rawValue] }),
            .init(ListParameter(.externalPurchaseId), { [$0.externalPurchaseId?.rawValue] }),
        ],
        at: \.receivedAt
    )
}

extension StoredPaymentEvent {
    package static let listFields = ListFields<StoredPaymentEvent>(
        [
            .init(ListParameter(.bundleId), { [$0.bundleId?.rawValue] }),
            .init(ListParameter(.state, PaymentEventResult.State.self), { [$0.result.state.rawValue] }),
            // Any text is valid, because providers add types.
            .init(ListParameter(.kind), { [$0.type] }),
            .init(ListParameter(.saleId), { $0.result.sales.map(\.rawValue) }),
        ],
        at: \.receivedAt
    )
}

extension ReviewItem {
    package static let listFields = ListFields<ReviewItem>(
        [
            .init(ListParameter(.bundleId), { [$0.bundleId.rawValue] }),
            .init(
                ListParameter(.state, known: ["open", "resolved"]),
                { [$0.resolution == nil ? "open" : "resolved"] }
            ),
            .init(ListParameter(.kind, known: ReviewKind.known.map(\.rawValue)), { [$0.kind.rawValue] }),
            .init(ListParameter(.externalPurchaseId), { [$0.subject.id(ofKind: "token")] }),
            .init(ListParameter(.saleId), { [$0.subject.id(ofKind: "sale")] }),
        ],
        at: \.openedAt
    )
}

extension StoredCorrection {
    package static let listFields = ListFields<StoredCorrection>(
        [
            .init(ListParameter(.bundleId), { [$0.bundleId.rawValue] }),
            .init(
                ListParameter(.state, known: ["planned", "confirmed", "closed"]),
                { [$0.closing != nil ? "closed" : $0.confirmation == nil ? "planned" : "confirmed"] }
            ),
            .init(ListParameter(.saleId), { [$0.request.objectValue?["saleId"]?.stringValue] }),
        ],
        at: \.requestedAt
    )
}

extension ManualExport {
    package static let listFields = ListFields<ManualExport>(
        [
            .init(ListParameter(.bundleId), { [$0.bundleId.rawValue] }),
            .init(
                ListParameter(.state, known: ["made", "handedIn", "withdrawn"]),
                { [$0.withdrawal != nil ? "withdrawn" : $0.submission == nil ? "made" : "handedIn"] }
            ),
            .init(ListParameter(.programme), { [$0.programme] }),
            .init(ListParameter(.month), { [$0.month] }),
        ],
        at: \.madeAt
    )
}

extension AuditEntry {
    package static let listFields = ListFields<AuditEntry>(
        [
            .init(
                ListParameter(.bundleId),
                { [$0.first(["bundleId"], ["token", "bundleId"], ["sale", "bundleId"])] }
            ),
            .init(ListParameter(.kind, known: kinds), { [$0.kind] }),
            .init(
                ListParameter(.externalPurchaseId),
                { entry in
                    [
                        entry.first(
                            ["externalPurchaseId"],
                            ["token", "externalPurchaseId"],
                            ["attribution", "externalPurchaseId"],
                            ["sale", "externalPurchaseId"]
                        ) ?? entry.subject(ofKind: "token")
                    ]
                }
            ),
            .init(
                ListParameter(.saleId),
                { [$0.first(["saleId"], ["sale", "saleId"]) ?? $0.subject(ofKind: "sale")] }
            ),
        ],
        at: \.time
    )

    /// Every kind of audit entry.
    package static let kinds = [
        "attention-opened", "attention-resolved", "checkout-claimed", "checkout-tied", "correction-changed",
        "correction-reported",
        "correction-requested", "customer-erased", "customer-seen", "customer-settled", "escalated",
        "escalation-delivered", "export-handed-in", "export-made", "export-withdrawn", "history-read",
        "invoice-entered", "key-created", "key-revoked", "link-tapped", "notification-done", "notification-set-aside",
        "notification-stored",
        "payment-event-changed", "payment-event-stored", "payment-object-fetched", "records-purged", "report-changed",
        "report-imported", "report-written", "sale-attributed",
        "sale-change-asked", "sale-change-closed", "sale-corrected", "sale-stored", "token-changed",
        "token-completed", "token-seen", "token-set-aside", "token-stored", "tokens-set-aside-expired",
        "user-password-set", "user-removed", "user-role-set", "webhook-redelivered",
    ]

    /// Whether the entry is about keys and users, which are the matter of an administrator.
    package var isOfAccess: Bool { Self.isOfAccess(kind) }

    /// Whether entries of a kind are about keys and users.
    package static func isOfAccess(_ kind: String) -> Bool { kind.hasPrefix("key-") || kind.hasPrefix("user-") }

    private var json: JSONValue? { try? JSONReader().read(content) }

    /// The first text found at one of the given paths.
    private func first(_ paths: [String]...) -> String? {
        let json = json
        return paths.lazy.compactMap { path in
            path.reduce(json) { value, name in value?.objectValue?[name] }?.stringValue
        }.first
    }

    /// The id of the review item's subject, if the subject is of the given kind.
    private func subject(ofKind kind: String) -> String? {
        first(["about"]) == kind ? first(["id"]) : nil
    }
}

extension ReviewSubject {
    fileprivate func id(ofKind kind: String) -> String? { columns.kind == kind ? columns.id : nil }
}
