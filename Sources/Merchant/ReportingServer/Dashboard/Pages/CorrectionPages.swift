import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// The pages `GET /corrections` and `GET /corrections/{correctionId}`, the dry run `POST /corrections` and the
/// confirmation `POST /corrections/{correctionId}`.
struct CorrectionPages {
    let dashboard: Dashboard

    private var system: ReportingSystem { dashboard.system }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("corrections", use: list)
        group.get("corrections/:correctionId", use: one)
        group.post("corrections", use: plan)
        group.post("corrections/:correctionId", use: confirm)
    }

    private static let diff = HTMLTemplate(WebFiles.diffHTML)

    @Sendable private func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = try ListPage(.corrections, of: request, in: system)
        let corrections = try await system.lists.corrections(matching: list.filter, list.page)
        let related = try await system.lists.related(sales: corrections.compactMap(\.saleName))
        let table = TableView(
            caption: "Corrections",
            columns: [
                Column("Correction", .wide), Column("Sale"), Column("Asked", sorted: .descending),
                Column("Reason", .wide), Column("State"),
            ],
            rows: corrections.map { correction in
                [
                    .link(
                        correction.title(correction.saleName.flatMap { related.sales[$0] }),
                        PagePath.of("corrections", correction.correctionId.rawValue),
                        sub: correction.correctionId.rawValue
                    ), .sale(correction.saleName, in: related),
                    .time(correction.requestedAt, sub: "by \(correction.requestedBy)"), .text(correction.reason),
                    Cell(chips: [Self.chip(of: correction)]),
                ]
            },
            empty: list.given.isEmpty ? "Nothing was corrected yet." : "No correction matches the filter."
        )
        let html = list.html(
            "Corrections",
            lead: "Restatements and retractions of what Apple accepted, the last asked first. A reported sale's page "
                + "begins one.",
            table,
            last: corrections.last?.sequence
        )
        return await dashboard.page("Corrections", at: .corrections, html, request, context)
    }

    static func chip(of correction: StoredCorrection) -> Chip {
        if correction.closing != nil { return Chip("closed", correction.confirmation == nil ? .none : .good) }
        return correction.confirmation == nil ? Chip("waits for confirmation", .wait) : Chip("on its way", .info)
    }

    private func corrections(_ request: Request, _ context: ServerContext) async throws -> [StoredCorrection] {
        let id = CorrectionId(try context.decodedParameter("correctionId"))
        let bundleId = try await request.bundleId(in: system, by: context.caller)
        let found = try await system.lists.corrections(withId: id)
            .filter { bundleId == nil || $0.bundleId == bundleId }
        if found.isEmpty { throw Problem.notFound("there is no correction \(id.rawValue.quoted)") }
        return found
    }

    @Sendable private func one(_ request: Request, _ context: ServerContext) async throws -> Response {
        let found = try await corrections(request, context)
        guard let correction = found.first else { throw Problem.notFound("there is no such correction") }
        if found.count > 1 {
            let id = correction.correctionId.rawValue
            let path = PagePath.of("corrections", id)
            return await dashboard.choice(
                "correction",
                id,
                at: .corrections,
                path,
                found.map(\.bundleId),
                request,
                context
            )
        }
        let related = try await system.lists.related(sales: [correction.saleName].compactMap(\.self))
        let readiness = try await system.corrections.readiness(of: correction)
        var facts: [(String, Cell)] = [
            ("App", .text(correction.bundleId.rawValue)),
            ("Sale", .sale(correction.saleName, in: related)),
            ("Asked", .time(correction.requestedAt, seconds: true, sub: "by \(correction.requestedBy)")),
            ("Reason", .text(correction.reason)),
        ]
        if let step = correction.confirmation {
            facts.append(("Confirmed", .time(step.at, seconds: true, sub: "by \(step.by)")))
        }
        if let step = correction.closing {
            facts.append(("Closed", .time(step.at, seconds: true, sub: step.note.isEmpty ? nil : step.note)))
        }
        if !correction.reports.isEmpty {
            let links = correction.reports.map {
                PageLink("Report \($0.requestIdentifier.text)", PagePath.report($0.requestIdentifier))
            }
            facts.append(("Reports", Cell(links: links)))
        }
        var cards = [RecordView.Card(title: "Facts", body: FactsView(facts).html)]
        if let dryRun = correction.dryRun {
            cards.append(
                RecordView.Card(
                    title: "Difference",
                    note: correction.closing != nil
                        ? (correction.confirmation == nil ? "it was not sent" : "as sent")
                        : correction.confirmation == nil ? "nothing is sent before you confirm" : "as confirmed",
                    body: Self.diff(dryRun, verdicts: try await verdicts(of: correction))
                )
            )
        }
        if dashboard.allows(.post, "/corrections/{correctionId}", context),
            let body = confirmation(of: correction, readiness, context)
        {
            cards.append(RecordView.Card(title: "Confirm", body: body))
        }
        let html = RecordView(
            parent: Dashboard.Place.corrections.link,
            title: correction.title(correction.saleName.flatMap { related.sales[$0] }),
            id: correction.correctionId.rawValue,
            chips: [Self.chip(of: correction)],
            cards: cards
        ).html
        return await dashboard.page("Correction", at: .corrections, html, request, context)
    }

    /// The form that confirms a correction, or why there is none; nil for one that was confirmed or closed.
    private func confirmation(
        of correction: StoredCorrection,
        _ readiness: CorrectionReadiness,
        _ context: ServerContext
    ) -> String? {
        let (intro, button): (String, String)
        if readiness != .decided, let name = context.session?.user.name,
            system.corrections.needsOther(than: name, for: correction)
        {
            return CardText.html("You asked for it, so another person confirms it.")
        }
        switch readiness {
        case .decided: return nil
        case .blocked(let reason):
            return CardText.html(
                "It cannot be sent as things stand: \(Shown.text(reason)). Wait, or plan another one on "
                    + "the page of the sale."
            )
        case .ready:
            intro = "Confirming sends the reports above. They are compared with the ledger once more before that."
            button = "Confirm and send"
        case .outdated:
            intro = "What Apple accepted or the time changed since this difference was made."
            button = "Show the new difference"
        }
        return FormView(
            action: PagePath.of("corrections", correction.correctionId.rawValue),
            csrf: dashboard.csrf(context),
            intro: intro,
            hidden: [("bundleId", correction.bundleId.rawValue)],
            fields: dashboard.authorField(context),
            buttons: [FormView.Button(label: button)]
        ).html
    }

    /// What became of the reports of a correction that was confirmed or closed, in their order.
    ///
    /// Nil while Apple's verdict is a prediction.
    private func verdicts(of correction: StoredCorrection) async throws -> [Chip]? {
        guard correction.confirmation != nil else {
            return correction.closing == nil ? nil : [Chip("not sent")]
        }
        var verdicts: [Chip] = []
        for part in correction.reports {
            let records = try await system.lists.reports(withId: part.requestIdentifier)
            let report = records.first { $0.report.scope.bundleId == correction.bundleId }?.report
            switch report?.state {
            case .accepted?: verdicts.append(Chip("Apple accepted it", .good))
            case .needsAttention?: verdicts.append(Chip("refused", .bad))
            case .withdrawn?, nil: verdicts.append(Chip("not sent"))
            case .written?, .sending?, .unknown?: verdicts.append(Chip("on the way to Apple", .info))
            }
        }
        return verdicts
    }

    // MARK: Requests

    /// The form that plans a correction of a sale.
    ///
    /// - Parameter actions: what the sale takes as things stand; not empty.
    static func form(
        of sale: Sale,
        _ actions: [CorrectionCommand.Action],
        _ dashboard: Dashboard,
        _ context: ServerContext
    ) -> FormView {
        let currency = sale.purchase?.currency
        func text(_ name: String, _ label: String, _ placeholder: String, hint: String? = nil) -> FormField {
            FormField(
                name: name,
                label: label,
                kind: .text(placeholder: placeholder),
                isOptional: true,
                hint: hint
            )
        }
        return FormView(
            action: "/corrections",
            csrf: dashboard.csrf(context),
            isInline: true,
            intro: "Plans what Apple is told instead and shows the difference. Fields left empty stay as they are.",
            hidden: [("bundleId", sale.bundleId.rawValue), ("saleId", sale.saleId.rawValue)],
            fields: [
                FormField(
                    name: "action",
                    label: "Action",
                    kind: .choice(actions.map { ($0.rawValue, $0.choice) }),
                    value: actions.first?.rawValue ?? ""
                ), text("inclusive", "Amount with tax", "9.99", hint: currency.map { "in \($0)" }),
                text("taxRate", "Tax rate in per cent", "21"), text("tax", "Tax as an amount", "1.73"),
                text("taxCountry", "Tax country", "NLD"), text("productId", "Product", ""),
                text("quantity", "Quantity", "1"),
                text("occurredAt", "Time, to move it", "2026-11-20T12:00:00Z"),
                text("externalPurchaseId", "Token, to move it", ""),
            ] + dashboard.authorField(context) + [
                FormField(name: "reason", label: "Reason", kind: .long, limit: 2_000)
            ],
            buttons: [FormView.Button(label: "Show the difference")]
        )
    }

    @Sendable private func plan(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await dashboard.form(request, context)
        var fields: [JSONObject.Member] = []
        for name in ["inclusive", "taxRate", "tax", "taxCountry", "productId", "occurredAt", "externalPurchaseId"] {
            if let text = form.text(name) { fields.append(.init(name, .string(text))) }
        }
        if let text = form.text("quantity") {
            fields.append(.init("quantity", Int64(text).map { .integer($0) } ?? .string(text)))
        }
        var members: JSONObject = [:]
        for name in ["bundleId", "saleId", "action", "reason"] {
            if let text = name == "saleId" ? form[name] : form.text(name) { members[name] = .string(text) }
        }
        if let author = dashboard.author(form, context) { members["requestedBy"] = .string(author) }
        if !fields.isEmpty { members["fields"] = .object(JSONObject(fields)) }
        let command = try CorrectionCommand(
            body: .object(members),
            apps: system.apps,
            caller: context.caller
        )
        let dryRun = try await system.corrections.plan(command)
        return .seeOther(PagePath.of("corrections", dryRun.correctionId.rawValue) + "?done=planned")
    }

    @Sendable private func confirm(_ request: Request, _ context: ServerContext) async throws -> Response {
        let id = CorrectionId(try context.decodedParameter("correctionId"))
        let form = try await dashboard.form(request, context)
        guard let author = dashboard.author(form, context) else {
            throw Problem.invalid("/by", "is missing")
        }
        let bundleId = form.text("bundleId").map { BundleId($0) }
        guard
            try await system.lists.corrections(withId: id).contains(where: {
                $0.bundleId == bundleId ?? $0.bundleId
            })
        else { throw Problem.notFound("there is no correction \(id.rawValue.quoted)") }
        let command = ConfirmationCommand(
            id,
            of: bundleId ?? context.caller.bundleId,
            confirmedBy: author
        )
        switch try await system.corrections.confirm(command) {
        case .confirmed: return .seeOther(PagePath.of("corrections", id.rawValue) + "?done=confirmed")
        case .stale(let detail, let dryRun):
            // The new difference is stored by now; its page shows it, with what stands in its way.
            let bundleId = command.bundleId
            guard
                let correction = try await system.lists.corrections(withId: id)
                    .first(where: { bundleId == nil || $0.bundleId == bundleId }),
                correction.confirmation == nil
            else { throw Problem(stale: detail, dryRun) }
            return .seeOther(PagePath.of("corrections", id.rawValue) + "?done=renewed")
        }
    }

    // MARK: Difference

    /// The reports of a dry run with every field that changes.
    ///
    /// - Parameters:
    ///   - dryRun: the dry run.
    ///   - verdicts: what became of the reports in their order, the last one of all that follow; nil shows what Apple
    ///     would say.
    static func diff(_ dryRun: JSONValue, verdicts: [Chip]?) -> String {
        let plan = dryRun.objectValue?["plan"]?.objectValue
        let reports = plan?["reports"]?.arrayValue?.compactMap(\.objectValue) ?? []
        var remarks: [HTMLTemplate.Values] = []
        for (name, tone) in [("warnings", "soft"), ("refusals", "bad-text")] {
            for remark in plan?[name]?.arrayValue?.compactMap(\.objectValue) ?? [] {
                let code = remark["code"]?.stringValue ?? ""
                let reason = remark["reason"]?.stringValue ?? remark["message"]?.stringValue ?? ""
                remarks.append([
                    "tone": .text(tone), "code": .text(Shown.words(code).capitalizedFirst),
                    "text": .text(Shown.text(reason)),
                ])
            }
        }
        return diff.filled(with: [
            "reports": .list(
                reports.enumerated().map { index, report in
                    let token = report["externalPurchaseId"]?.stringValue ?? ""
                    let isAccepted = report["accepted"]?.boolValue ?? false
                    let verdict =
                        verdicts.map { $0.indices.contains(index) ? $0[index] : $0.last ?? Chip("not sent") }
                        ?? (isAccepted ? Chip("Apple would accept it", .good) : Chip("Apple would refuse it", .bad))
                    let errors = report["errors"]?.arrayValue?.compactMap { ReportError(json: $0) } ?? []
                    return [
                        "title": .text(
                            reports.count == 1
                                ? "Report on this token" : "Report \(index + 1) of \(reports.count), on this token"
                        ), "href": .text(PagePath.token(ExternalPurchaseId(token))),
                        "token": .text(Shown.text(token)), "tone": .text(verdict.tone.rawValue),
                        "verdict": .text(verdict.text),
                        "before": .text(verdicts == nil ? "At Apple now" : "Before"),
                        "errors": .list(
                            errors.map {
                                ["text": .text(Shown.text("error \($0.errorCode): \($0.errorMessage)"))]
                            }
                        ),
                        "items": .list(
                            (report["items"]?.arrayValue ?? []).compactMap(\.objectValue).map(item)
                        ),
                    ]
                }
            ), "remarks": .list(remarks),
        ])
    }

    private static func item(_ item: JSONObject) -> HTMLTemplate.Values {
        let id = item["lineItemId"]?.stringValue ?? ""
        let causes = [
            ("comesAlongWith", "because it refers to"), ("replaces", "in place of"), ("setAsideFor", "set aside for"),
        ]
        .compactMap { name, words in item[name]?.stringValue.map { "\(words) \($0)" } }
        let changes = item["changes"]?.arrayValue?.compactMap(\.objectValue) ?? []
        return [
            "action": .text((item["action"]?.stringValue ?? "").capitalizedFirst), "id": .text(Shown.text(id)),
            "caption": .text("Changes of \(Shown.text(id))"), "causes": .texts(causes.first),
            "changes": .list(
                changes.map { change in
                    let field = change["field"]?.stringValue ?? ""
                    return [
                        "field": .text(Shown.text(field)), "old": .text(value(change["old"], of: field)),
                        "new": .text(value(change["new"], of: field)),
                    ]
                }
            ),
        ]
    }

    /// The value of a member as text: amounts in units of the currency, times in UTC.
    private static func value(_ value: JSONValue?, of field: String) -> String {
        guard let value, value != .null else { return "–" }
        if let number = value.int64Value {
            switch field {
            case "amountTaxExclusive", "taxAmount", "amountTaxInclusive", "netAmountTaxExclusive":
                return MilliUnits(number).unitsText
            case "creationDate", "subscriptionStartDate", "subscriptionEndDate":
                return Shown.time(Timestamp(milliseconds: number), seconds: true)
            default: return String(number)
            }
        }
        return Shown.text(value.stringValue ?? value.formatted())
    }
}
