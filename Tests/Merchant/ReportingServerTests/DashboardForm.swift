import Foundation

/// A form of a page, read from its markup.
struct DashboardForm: Sendable {
    struct Button: Sendable {
        let label: String
        let name: String
        let value: String
    }

    let action: String
    /// Hidden fields, with the token against forged requests.
    let hidden: [(String, String)]
    let boxes: [String]
    /// The names of texts and text areas.
    let texts: [String]
    let choices: [(name: String, values: [String])]
    let buttons: [Button]

    /// The forms of a page that change something, without the sign-out.
    static func all(in html: String) -> [DashboardForm] {
        html.components(separatedBy: "<form").dropFirst().compactMap { rest -> DashboardForm? in
            let text = rest.components(separatedBy: "</form>")[0]
            let head = text.prefix { $0 != ">" }
            guard head.contains("method=\"post\""), let action = attribute("action", in: head), action != "/sign-out"
            else { return nil }
            let inputs = text.matches(of: #/<input([^>]*)>/#).map { $0.1 }
            func typed(_ type: String) -> [Substring] {
                inputs.filter { $0.contains("type=\"\(type)\"") }
            }
            func name(_ tag: Substring) -> String { attribute("name", in: tag) ?? "" }
            return DashboardForm(
                action: action,
                hidden: typed("hidden").map { (name($0), attribute("value", in: $0) ?? "") },
                boxes: typed("checkbox").map(name),
                texts: inputs.filter { !$0.contains("type=") }.map(name)
                    + text.matches(of: #/<textarea([^>]*)>/#).map { name($0.1) },
                choices: text.matches(of: #/<select([^>]*)>([^§]*?)<\/select>/#).map { match in
                    (name(match.1), match.2.matches(of: #/<option([^>]*)>/#).map { attribute("value", in: $0.1) ?? "" })
                },
                buttons: text.matches(of: #/<button([^>]*)>([^<]*)<\/button>/#)
                    .filter { $0.1.contains("type=\"submit\"") }
                    .map { match in
                        Button(
                            label: String(match.2),
                            name: name(match.1),
                            value: attribute("value", in: match.1) ?? ""
                        )
                    }
            )
        }
    }

    /// A way to send the form: a button, and a choice where the form has one.
    struct Press: Sendable, Hashable {
        let action: String
        let button: String
        let choice: String
    }

    /// Every way to send the form.
    var presses: [Press] {
        let choices = choices.first { $0.name == "action" }?.values ?? [""]
        return buttons.flatMap { button in
            choices.map { Press(action: action, button: "\(button.label)=\(button.value)", choice: $0) }
        }
    }

    /// The fields that a browser sends for a press; all boxes are ticked.
    func fields(_ press: Press, _ values: [String: String]) -> [(String, String)] {
        var fields = hidden + boxes.map { ($0, "on") }
        for name in texts { fields.append((name, values[name] ?? "")) }
        for (name, values) in choices {
            fields.append((name, name == "action" ? press.choice : values.first ?? ""))
        }
        if let button = buttons.first(where: { "\($0.label)=\($0.value)" == press.button }) {
            fields.append((button.name, button.value))
        }
        return fields
    }

    private static func attribute(_ name: String, in tag: Substring) -> String? {
        guard let start = tag.range(of: " \(name)=\"") ?? tag.range(of: "\n\(name)=\"") else { return nil }
        return String(tag[start.upperBound...].prefix { $0 != "\"" })
            .replacingOccurrences(of: "&amp;", with: "&").replacingOccurrences(of: "&quot;", with: "\"")
    }
}
