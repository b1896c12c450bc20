import ExternalPurchaseCore

extension LedgerChange {
    /// The customers that the change names.
    var customers: [(CustomerId, BundleId)] {
        switch self {
        case .insertToken(let token), .updateToken(let token), .completeToken(let token):
            token.customerId.map { [($0, token.token.bundleId)] } ?? []
        case .putCheckout(let checkout): checkout.customerId.map { [($0, checkout.bundleId)] } ?? []
        case .insertSale(let sale): sale.sale.customerId.map { [($0, sale.sale.bundleId)] } ?? []
        case .setCustomer(let token, by: _, reason: _):
            token.customerId.map { [($0, token.token.bundleId)] } ?? []
        case .insertSaleChange(let change): change.content?.customerId.map { [($0, change.bundleId)] } ?? []
        case .insertPaymentEvent(let event), .updatePaymentEvent(let event):
            // Its customer can be erased although no sale names it yet.
            event.customerId.flatMap { id in event.bundleId.map { [(id, $0)] } } ?? []
        case .addSaleVersion(let version): version.sale.customerId.map { [($0, version.sale.bundleId)] } ?? []
        default: []
        }
    }

    /// The audit entry of the change; nil for counters of refused notifications.
    ///
    /// Anyone who knows the server's address can raise these counters and must not be able to make the log grow. Long
    /// texts and bytes are included as their SHA-256.
    func audit(naming pseudonyms: [CustomerId: String]) -> (kind: String, content: [JSONObject.Member])? {
        func name(_ customer: CustomerId?) -> JSONValue? { customer.flatMap { pseudonyms[$0] }.map(JSONValue.string) }
        return switch self {
        case .insertToken(let token):
            ("token-stored", StoredToken.fields.auditMembers(of: token, naming: pseudonyms))
        case .updateToken(let token):
            ("token-changed", StoredToken.fields.auditMembers(of: token, naming: pseudonyms))
        case .completeToken(let token):
            ("token-completed", StoredToken.fields.auditMembers(of: token, naming: pseudonyms))
        case .recordObservation(let observation):
            (
                "token-seen",
                .of(
                    ("bundleId", .string(observation.bundleId.rawValue)),
                    ("externalPurchaseId", .string(observation.externalPurchaseId.rawValue)),
                    ("source", .string(observation.seen.source.rawValue)),
                    ("seenAt", .integer(observation.seen.time.milliseconds)),
                    ("contradictionSHA256", observation.contradiction.map { .digest($0.utf8) })
                )
            )
        case .setTokenAside(let aside):
            (
                "token-set-aside",
                .of(
                    ("reason", .string(aside.reason.rawValue)),
                    ("textSHA256", .digest(aside.text.utf8)),
                    ("source", .string(aside.firstSeen.source.rawValue)),
                    ("firstSeen", .integer(aside.firstSeen.time.milliseconds))
                )
            )
        case .expireQuarantinedTokens(let sequence, let count, let moment):
            (
                "tokens-set-aside-expired",
                .of(
                    ("through", .integer(sequence)),
                    ("count", .integer(count)),
                    ("before", .integer(moment.milliseconds))
                )
            )
        case .insertCustomer(let customer): ("customer-seen", StoredCustomer.fields.auditMembers(of: customer))
        case .eraseCustomer(let customer, let author):
            (
                "customer-erased",
                .of(
                    ("bundleId", .string(customer.bundleId.rawValue)),
                    ("customer", .string(customer.pseudonym)),
                    ("by", author.map(JSONValue.string))
                )
            )
        case .putCheckout(let checkout):
            (
                "checkout-tied",
                .of(
                    ("bundleId", .string(checkout.bundleId.rawValue)),
                    ("checkoutId", .string(checkout.checkoutId.rawValue)),
                    ("externalPurchaseId", checkout.externalPurchaseId.map { .string($0.rawValue) }),
                    ("customer", name(checkout.customerId)),
                    (
                        "tokenClaim",
                        checkout.tokenClaim == .authenticated ? nil : .string(checkout.tokenClaim.rawValue)
                    )
                )
            )
        case .recordClaim(let claim):
            (
                "checkout-claimed",
                .of(
                    ("bundleId", .string(claim.bundleId.rawValue)),
                    ("checkoutId", .string(claim.checkoutId.rawValue)),
                    ("externalPurchaseId", .string(claim.externalPurchaseId.rawValue))
                )
            )
        case .recordTap(let tap): ("link-tapped", LinkTap.fields.auditMembers(of: tap))
        case .insertSale(let sale):
            ("sale-stored", StoredSale.fields.auditMembers(of: sale, naming: pseudonyms))
        case .attributeSale(let attribution, let sale, let bundleId):
            (
                "sale-attributed",
                .of(
                    ("bundleId", .string(bundleId.rawValue)),
                    ("saleId", .string(sale.rawValue)),
                    ("attribution", attribution.auditContent)
                )
            )
        case .addSaleVersion(let version):
            ("sale-corrected", SaleVersion.fields.auditMembers(of: version, naming: pseudonyms))
        case .insertSaleChange(let change):
            (
                "sale-change-asked",
                .of(
                    ("bundleId", .string(change.bundleId.rawValue)),
                    ("saleId", .string(change.saleId.rawValue)),
                    ("sale", change.content.map { $0.json(naming: pseudonyms) }),
                    ("by", change.by.map(JSONValue.string)),
                    ("reason", change.reason.map(JSONValue.string)),
                    ("askedAt", .integer(change.askedAt.milliseconds))
                )
            )
        case .closeSaleChange(let sequence, let sale, let bundleId, let closing):
            (
                "sale-change-closed",
                .of(
                    ("bundleId", .string(bundleId.rawValue)),
                    ("saleId", .string(sale.rawValue)),
                    ("change", .integer(sequence)),
                    ("outcome", .string(closing.outcome.rawValue)),
                    ("closedAt", .integer(closing.at.milliseconds))
                )
            )
        case .setCustomer(let token, let by, let reason):
            (
                "customer-settled",
                .of(
                    ("bundleId", .string(token.token.bundleId.rawValue)),
                    ("externalPurchaseId", .string(token.token.externalPurchaseId.rawValue)),
                    ("customer", name(token.customerId)),
                    ("by", .string(by)),
                    ("reason", reason.map(JSONValue.string))
                )
            )
        case .insertReport(let report, let sales, let items):
            (
                report.isImported ? "report-imported" : "report-written",
                StoredReport.fields.auditMembers(of: report)
                    + .of(
                        ("bodySHA256", .digest(report.body)),
                        ("sales", .array(sales.map { .string($0.rawValue) })),
                        ("accepted", items.isEmpty ? nil : .array(items.map(\.json)))
                    )
            )
        case .updateReport(let report, let items):
            (
                "report-changed",
                StoredReport.fields.auditMembers(of: report)
                    + .of(("accepted", items.isEmpty ? nil : .array(items.map(\.json))))
            )
        case .insertNotification, .finishNotification, .quarantineNotification, .countRefusal, .moveHistoryPosition:
            notificationAudit
        case .openReview, .resolveReview, .insertCorrection, .updateCorrection, .attachReport, .insertExport,
            .submitExport, .withdrawExport, .insertInvoice, .purge:
            personAudit
        case .insertPaymentEvent, .updatePaymentEvent, .putPaymentObject: paymentEventAudit
        case .insertKey, .revokeKey, .setUser, .setUserRole, .removeUser: accessAudit
        case .recordAlerts(let marks, let message):
            (
                "escalated",
                .of(
                    (
                        "due",
                        marks.contains { $0.deadline != nil }
                            ? .array(marks.compactMap { $0.deadline?.auditContent }) : nil
                    ),
                    ("events", .integer(Int64(marks.count))),
                    ("messageId", message.map { .string($0.messageId) }),
                    ("channel", message.flatMap { $0.channel == .webhook ? nil : .string($0.channel.rawValue) }),
                    ("bodySHA256", message?.body.map { .digest($0) })
                )
            )
        case .deliverAlert(let sequence, let time):
            (
                "escalation-delivered",
                .of(("message", .integer(sequence)), ("deliveredAt", .integer(time.milliseconds)))
            )
        case .redeliver(let delivery, at: _, let author):
            (
                "webhook-redelivered",
                .of(
                    ("bundleId", delivery.subject.bundleId.map { .string($0.rawValue) }),
                    ("webhook", .string(delivery.webhook)),
                    ("eventId", .string(delivery.eventId)),
                    ("by", author.map(JSONValue.string))
                )
            )
        }
    }

    private var paymentEventAudit: (kind: String, content: [JSONObject.Member])? {
        switch self {
        case .insertPaymentEvent(let event):
            ("payment-event-stored", StoredPaymentEvent.fields.auditMembers(of: event))
        case .updatePaymentEvent(let event):
            (
                "payment-event-changed",
                .of(
                    ("eventId", .string(event.eventId.rawValue)),
                    ("provider", .string(event.provider.rawValue)),
                    ("bundleId", event.bundleId.map { .string($0.rawValue) }),
                    ("state", .string(event.result.state.rawValue)),
                    ("detailSHA256", event.result.detail.map { .digest($0.utf8) }),
                    ("sales", .array(event.result.sales.map { .string($0.rawValue) }))
                )
            )
        case .putPaymentObject(let object, let provider):
            (
                "payment-object-fetched",
                .of(
                    ("provider", .string(provider.rawValue)),
                    ("request", .string(object.request)),
                    ("contentSHA256", .digest(object.content.encoded()))
                )
            )
        default: nil
        }
    }

    /// The entries of keys and users, which contain no digest and no password hash.
    private var accessAudit: (kind: String, content: [JSONObject.Member])? {
        switch self {
        case .insertKey(let key): ("key-created", StoredAPIKey.fields.auditMembers(of: key))
        case .revokeKey(let key, let revocation):
            (
                "key-revoked",
                .of(
                    ("bundleId", key.bundleId.map { .string($0.rawValue) }),
                    ("keyId", .string(key.keyId.rawValue)),
                    ("name", key.name.map(JSONValue.string)),
                    ("revokedAt", .integer(revocation.at.milliseconds)),
                    ("by", .string(revocation.by))
                )
            )
        case .setUser(let user, let author):
            (
                "user-password-set", user.audited(by: author)
            )
        case .setUserRole(let user, let author):
            (
                "user-role-set", user.audited(by: author)
            )
        case .removeUser(let user, let author):
            ("user-removed", .of(("user", .string(user.name)), ("by", .string(author))))
        default: nil
        }
    }

    private var notificationAudit: (kind: String, content: [JSONObject.Member])? {
        switch self {
        case .insertNotification(let notification):
            ("notification-stored", StoredNotification.fields.auditMembers(of: notification))
        case .finishNotification(let uuid, let effect):
            (
                "notification-done",
                .of(
                    ("notificationUUID", .string(uuid.rawValue)),
                    ("doneAt", .integer(effect.doneAt.milliseconds)),
                    ("detail", .string(effect.detail))
                )
            )
        case .quarantineNotification(let aside):
            (
                "notification-set-aside",
                .of(
                    ("notificationUUID", .string(aside.uuid.rawValue)),
                    ("reason", .string(aside.reason)),
                    ("payloadSHA256", .digest(aside.payload.utf8))
                )
            )
        case .moveHistoryPosition(let scope, let position):
            (
                "history-read",
                .of(
                    ("bundleId", .string(scope.bundleId.rawValue)),
                    ("environment", .string(scope.environment.rawValue)),
                    ("position", .integer(position.milliseconds))
                )
            )
        default: nil
        }
    }

    private var personAudit: (kind: String, content: [JSONObject.Member])? {
        switch self {
        case .openReview(let item):
            (
                "attention-opened",
                .of(
                    ("bundleId", .string(item.bundleId.rawValue)),
                    ("kind", .string(item.kind.rawValue)),
                    ("about", .string(item.subject.columns.kind)),
                    ("id", .string(item.subject.columns.id)),
                    ("detail", .string(item.detail)),
                    ("correctionId", item.correctionId.map { .string($0.rawValue) })
                )
            )
        case .resolveReview(let sequence, let resolution):
            (
                "attention-resolved",
                .of(
                    ("item", .integer(sequence)),
                    ("resolvedAt", .integer(resolution.resolvedAt.milliseconds)),
                    ("by", .string(resolution.by)),
                    ("note", .string(resolution.note))
                )
            )
        case .insertCorrection(let correction):
            ("correction-requested", StoredCorrection.fields.auditMembers(of: correction))
        case .updateCorrection(let correction):
            ("correction-changed", StoredCorrection.fields.auditMembers(of: correction))
        case .attachReport(let report, let correction, let bundleId):
            (
                "correction-reported",
                .of(
                    ("bundleId", .string(bundleId.rawValue)),
                    ("correctionId", .string(correction.rawValue)),
                    ("requestIdentifier", .string(report.requestIdentifier.key)),
                    ("environment", .string(report.environment.rawValue))
                )
            )
        case .insertExport(let export, let sales):
            (
                "export-made",
                .of(
                    ("bundleId", .string(export.bundleId.rawValue)),
                    ("exportId", .string(export.exportId.rawValue)),
                    ("programme", .string(export.programme)),
                    ("month", .string(export.month)),
                    ("madeAt", .integer(export.madeAt.milliseconds)),
                    ("sales", .array(sales.map { .string($0.rawValue) }))
                )
            )
        case .submitExport(let export, let bundleId, let manualSubmission):
            (
                "export-handed-in",
                .of(
                    ("bundleId", .string(bundleId.rawValue)),
                    ("exportId", .string(export.rawValue)),
                    ("at", .integer(manualSubmission.at.milliseconds)),
                    ("by", .string(manualSubmission.by)),
                    ("reference", .string(manualSubmission.reference))
                )
            )
        case .withdrawExport(let export, let bundleId, let withdrawal):
            (
                "export-withdrawn",
                .of(
                    ("bundleId", .string(bundleId.rawValue)),
                    ("exportId", .string(export.rawValue)),
                    ("at", .integer(withdrawal.at.milliseconds)),
                    ("by", .string(withdrawal.by)),
                    ("reason", .string(withdrawal.reason))
                )
            )
        case .insertInvoice(let invoice): ("invoice-entered", StoredInvoice.fields.auditMembers(of: invoice))
        case .purge(let purge):
            (
                "records-purged",
                .of(
                    ("before", .integer(purge.plan.cut.milliseconds)),
                    ("by", .string(purge.by)),
                    ("removed", purge.plan.json),
                    ("headSequence", purge.head.map { .integer($0.sequence) }),
                    ("headHash", purge.head.map { .string($0.hash.hexadecimal) })
                )
            )
        default: nil
        }
    }
}

extension [JSONObject.Member] {
    /// The members whose value is not nil.
    fileprivate static func of(_ members: (String, JSONValue?)...) -> Self {
        members.compactMap { key, value in value.map { JSONObject.Member(key, $0) } }
    }
}

extension StoredUser {
    /// What the audit log has of a user whose password, role or apps were set.
    fileprivate func audited(by author: String) -> [JSONObject.Member] {
        .of(
            ("user", .string(name)),
            ("role", .string(role.rawValue)),
            ("apps", apps.map { .array($0.map(\.rawValue).sorted().map(JSONValue.string)) }),
            ("by", .string(author))
        )
    }
}
