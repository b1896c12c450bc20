import ExternalPurchaseCore

extension MemoryTransaction {
    func escalationsTold(among eventIds: [String]) -> Set<String> {
        Set(eventIds.filter { ledger.escalations[$0] != nil })
    }

    func undeliveredEscalations(limit: Int) -> [EscalationMessage] {
        Array(ledger.escalationMessages.lazy.filter { $0.deliveredAt == nil }.prefix(max(0, limit)))
    }

    func add(_ marks: [EscalationMark], _ message: EscalationMessage?) throws(LedgerError) -> Int64 {
        for mark in marks {
            guard ledger.escalations[mark.eventId] == nil else { throw .conflict("the step was told before") }
            set(\.escalations, mark.eventId, mark)
        }
        guard var message else { return 0 }
        guard message.body?.isEmpty == false, message.deliveredAt == nil,
            !ledger.escalationMessages.contains(where: { $0.messageId == message.messageId })
        else { throw .conflict("a message has bytes and an id of its own") }
        message.sequence = Int64(ledger.escalationMessages.count + 1)
        return append(message, to: \.escalationMessages)
    }

    func deliver(_ sequence: Int64, _ time: Timestamp) throws(LedgerError) {
        let place = Int(clamping: sequence) - 1
        guard ledger.escalationMessages.indices.contains(place), ledger.escalationMessages[place].deliveredAt == nil
        else { throw .conflict("no such message to deliver") }
        var message = ledger.escalationMessages[place]
        message.deliveredAt = time
        message.body = nil
        replace(place, in: \.escalationMessages, by: message)
    }

    // MARK: Tally

    func tally() -> LedgerTally {
        var tally = LedgerTally()
        for report in ledger.reports {
            tally.reports[.init(scope: report.scope, state: report.state), default: 0] += 1
            if report.state.isOpen { tally.note(unsentSince: report.writtenAt, in: report.scope) }
        }
        for sale in ledger.sales where sale.requestIdentifier == nil && sale.exportId == nil {
            let bundleId = sale.sale.bundleId
            let environment = sale.attribution.externalPurchaseId?.environment
            switch sale.attribution.state {
            case .held:
                let flags: [SaleFlag?] = sale.attribution.flags.isEmpty ? [nil] : Array(sale.attribution.flags)
                for flag in flags {
                    tally.heldSales[
                        .init(bundleId: bundleId, environment: environment, flag: flag),
                        default: 0
                    ] += 1
                }
            case .planned:
                guard let environment else { continue }
                let scope = ReportingScope(bundleId: bundleId, environment: environment)
                tally.plannedSales[scope, default: 0] += 1
                tally.note(unsentSince: sale.receivedAt, in: scope)
            case .recorded: continue
            }
        }
        for item in ledger.attention where item.resolution == nil {
            tally.attention[.init(bundleId: item.bundleId, kind: item.kind), default: 0] += 1
        }
        tally.undeliveredEscalations = undeliveredEscalations(limit: .max).count
        return tally
    }
}
