import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func recordedAlerts(among eventIds: [String]) -> Set<String> {
        Set(eventIds.filter { ledger.alerts[$0] != nil })
    }

    func undeliveredAlerts(limit: Int) -> [AlertMessage] {
        Array(ledger.alertMessages.lazy.filter { $0.deliveredAt == nil }.prefix(max(0, limit)))
    }

    func add(_ marks: [AlertMark], _ message: AlertMessage?) throws(LedgerError) -> Int64 {
        for mark in marks {
            guard ledger.alerts[mark.eventId] == nil else { throw .conflict("the step was told before") }
            set(\.alerts, mark.eventId, mark)
        }
        guard var message else { return 0 }
        guard message.body?.isEmpty == false, message.deliveredAt == nil,
            !ledger.alertMessages.contains(where: { $0.messageId == message.messageId })
        else { throw .conflict("a message has bytes and an id of its own") }
        message.sequence = Int64(ledger.alertMessages.count + 1)
        return append(message, to: \.alertMessages)
    }

    func deliver(_ sequence: Int64, _ time: Timestamp) throws(LedgerError) {
        let place = Int(clamping: sequence) - 1
        guard ledger.alertMessages.indices.contains(place), ledger.alertMessages[place].deliveredAt == nil
        else { throw .conflict("no such message to deliver") }
        var message = ledger.alertMessages[place]
        message.deliveredAt = time
        message.body = nil
        replace(place, in: \.alertMessages, by: message)
    }

    // MARK: Counts

    func counts() -> LedgerCounts {
        var counts = LedgerCounts()
        for report in ledger.reports {
            counts.reports[.init(scope: report.scope, state: report.state), default: 0] += 1
            if report.state.isOpen { counts.note(unsentSince: report.writtenAt, in: report.scope) }
        }
        for sale in ledger.sales where sale.requestIdentifier == nil && sale.exportId == nil {
            let bundleId = sale.sale.bundleId
            switch sale.attribution.state {
            case .held:
                let flags: [SaleFlag?] = sale.attribution.flags.isEmpty ? [nil] : Array(sale.attribution.flags)
                for flag in flags {
                    counts.heldSales[
                        .init(bundleId: bundleId, environment: sale.environment, flag: flag),
                        default: 0
                    ] += 1
                }
            case .planned:
                guard let environment = sale.attribution.externalPurchaseId?.environment else { continue }
                let scope = ReportingScope(bundleId: bundleId, environment: environment)
                counts.plannedSales[scope, default: 0] += 1
                counts.note(unsentSince: sale.receivedAt, in: scope)
            case .recorded: continue
            }
        }
        for item in ledger.review where item.resolution == nil {
            counts.review[.init(bundleId: item.bundleId, kind: item.kind), default: 0] += 1
        }
        counts.undeliveredAlerts = undeliveredAlerts(limit: .max).count
        return counts
    }
}
