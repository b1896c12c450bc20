import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

/// The filter options of a list, named like the server's query parameters.
struct ListFilterOptions: ParsableArguments {
    @Option(
        name: .customLong("filter"),
        help: ArgumentHelp(
            "Only what fits, by the query parameters of the server's list, such as state=overdue; may be repeated.",
            valueName: "name=value"
        )
    )
    var filters: [String] = []

    /// - Parameter given: filters from separate options.
    func filter(of list: MerchantList, _ given: [ListFilter.Parameter: BundleId?] = [:]) throws(CommandFailure)
        -> ListFilter
    {
        var texts: [(name: String, value: String)] = []
        for (parameter, app) in given { if let app { texts.append((parameter.rawValue, app.rawValue)) } }
        for text in filters {
            guard let sign = text.firstIndex(of: "=") else {
                throw .input(
                    "--filter \(text.shown()): is not NAME=VALUE; names are \(list.parameterNames.joined(separator: ", "))"
                )
            }
            let name = String(text[..<sign])
            if texts.contains(where: { $0.name == name }) {
                throw .input("--filter \(name.shown(in: "")): is given twice")
            }
            texts.append((name, String(text[text.index(after: sign)...])))
        }
        let (filter, faults) = list.filter(texts, apps: nil as [BundleId]?, programmes: nil)
        if let fault = faults.first { throw .input("--filter \(fault.name.shown(in: "")): \(fault.message)") }
        return filter
    }
}
