import AppConfiguration
import CommandSupport
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

extension Explanation {
    /// The explanation as text.
    func text(_ style: TerminalStyle) -> String {
        var lines = [style.bold(configuration.appName?.printable ?? "The app") + situation, ""]
        for (index, evaluation) in evaluations.enumerated() {
            let previous = index > 0 ? evaluations[index - 1] : nil
            lines += answer(evaluation, style)
            if let previous, Self.isSame(evaluation, previous) {
                lines.append("         " + style.dim("conditions as for \(previous.question.shortName) above"))
            } else {
                lines += conditions(evaluation, style)
            }
            lines.append("")
        }
        let advice = engine.advice(forAge: age)
        lines.append(style.bold("What to do: ") + (advice.first.map { $0.words(engine, age: age) } ?? ""))
        let others = advice.dropFirst().filter { $0 != .useInAppPurchase }
        if !others.isEmpty { lines.append("Also possible: " + others.map(\.name).joined(separator: ", ")) }
        lines += terms
        lines.append(programmes)
        if let availability { lines += [""] + availability.lines(style) }
        return lines.joined(separator: "\n")
    }

    /// What the terms of the storefront ask of the app's screens, with the day and confidence of the source.
    private var terms: [String] {
        var lines: [String] = []
        if let beside = engine.inAppPurchase, let source = engine.inAppPurchaseSource {
            lines.append("In-App Purchase: \(beside.words) (\(source.words))")
        }
        guard let terms = engine.terms else { return lines }
        if engine.inAppPurchase == nil, terms.inAppPurchase == nil {
            lines.append("In-App Purchase beside the offer: nothing found (\(terms.inAppPurchaseSource.dayAndPage))")
        }
        lines.append("Minors: \(terms.minorsInWords(storefront: engine.storefront, age: age))")
        if engine.excludesInAppPurchase, terms.isOwnApp {
            lines.append("An app for this storefront is an app of its own: it lists no other region.")
        }
        return lines
    }

    /// Apple's programmes in the storefront, regardless of the app.
    private var programmes: String {
        guard let region = engine.region else { return "Apple has no programme in this storefront." }
        let here = engine.pack.programmes.filter { $0.storefronts.contains(region) }
        guard !here.isEmpty else { return "Apple has no programme in this storefront under these rules." }
        return (["Apple's programmes in this storefront:"] + here.map { "  \($0.words)" }).joined(separator: "\n")
    }

    private var situation: String {
        let name = engine.storefront.flatMap { Country.alpha3($0)?.name }
        var parts = [
            "storefront \(engine.storefront ?? "none")" + (name.map { " (\($0))" } ?? ""), os,
            engine.device.mode.words, "rules of \(engine.pack.id)",
        ]
        if engine.device.mode != .native { parts[1] += ", which the app sees as iOS \(engine.device.osVersion)" }
        if !engine.canMakePayments { parts.append("payments restricted") }
        if !engine.isPersonEligible { parts.append("person not eligible") }
        return " · " + parts.joined(separator: " · ")
    }

    private func answer(_ evaluation: Evaluation, _ style: TerminalStyle) -> [String] {
        let mark = evaluation.isEligible ? style.green("✓ yes") : style.red("✗ no ")
        var lines = ["\(mark)  \(style.bold(evaluation.question.rawValue))"]
        func say(_ label: String, _ text: String) {
            lines.append("       " + style.dim(label + String(repeating: " ", count: 9 - label.count)) + text)
        }
        lines.append("       " + evaluation.question.purpose)
        if let condition = evaluation.failedCondition {
            say("why not", "\(condition.id): \(condition.detail.printable)")
            if let place = place(of: condition, in: evaluation) { say("where", Self.words(place)) }
            if let fix = condition.fix { say("fix", fix.printable) }
            if let error = evaluation.error { say("error", "its method throws StoreKitError.\(error.rawValue)") }
        } else {
            for link in evaluation.links {
                say("link", "\(link.url.printable)  \(style.dim(Self.words(link.evidence)))")
            }
            for link in evaluation.excessLinks {
                say("not used", "\(link.url.printable)  \(style.dim(Self.words(link.evidence)))")
            }
            say("tokens", evaluation.tokenWords)
        }
        if let caveat = evaluation.caveat { say("caveat", caveat) }
        say("next", evaluation.next.description)
        return lines
    }

    private func conditions(_ evaluation: Evaluation, _ style: TerminalStyle) -> [String] {
        evaluation.conditions.filter { condition in
            // For other routes, only the failed condition is shown, and only while the app is not eligible.
            condition.id <= .personEligible
                && (condition.route == nil || condition.holds == false && !evaluation.isEligible)
        }
        .map { "         " + line($0, in: evaluation, style) }
    }

    /// Whether two evaluations have the same reasons; the first condition is ignored, because it names the API itself.
    private static func isSame(_ one: Evaluation, _ other: Evaluation) -> Bool {
        func reasons(_ evaluation: Evaluation) -> [Condition] {
            evaluation.conditions.filter { $0.id != .memberExists && $0.holds != nil }
        }
        return one.failed == other.failed && reasons(one) == reasons(other)
    }

    private func line(_ condition: Condition, in evaluation: Evaluation, _ style: TerminalStyle) -> String {
        let mark = condition.holds.map { $0 ? style.green("✓") : style.red("✗") } ?? style.dim("·")
        let route = condition.route.map { " [by \($0)]" } ?? ""
        let place = place(of: condition, in: evaluation).map { "  " + Self.words($0) } ?? ""
        let title = condition.id.title + String(repeating: " ", count: max(0, 17 - condition.id.title.count))
        return "\(mark) \(condition.id)  \(title)  \(style.dim("\(condition.detail.printable)\(route)\(place)"))"
    }

    private static func words(_ place: UsableConfiguration.Evidence) -> String {
        place.file.printable + (place.position.map { ":\($0.line)" } ?? "")
    }
}
