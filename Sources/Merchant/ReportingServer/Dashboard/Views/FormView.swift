import HTTPSupport

/// A field of a form.
struct FormField {
    enum Kind {
        case text(placeholder: String)
        case long
        case choice([(value: String, label: String)])
    }

    let name: String
    let label: String
    var kind = Kind.text(placeholder: "")
    var value = ""
    var limit = 256
    var isOptional = false
    var hint: String?

    /// All values but the hint, which a filter has not.
    fileprivate var values: HTMLTemplate.Values {
        var values: HTMLTemplate.Values = [
            "name": .text(name), "label": .text(label), "value": .text(value), "limit": .text("\(limit)"),
            "isOptional": .condition(isOptional), "isChoice": false, "isText": false, "isLong": false,
            "placeholder": "", "options": [], "hints": .texts(hint),
        ]
        switch kind {
        case .text(let placeholder):
            values["isText"] = true
            values["placeholder"] = .text(placeholder)
        case .long:
            values["isLong"] = true
        case .choice(let options):
            values["isChoice"] = true
            values["options"] = .list(
                options.map {
                    [
                        "value": .text($0.value), "label": .text($0.label),
                        "isSelected": .condition($0.value == value),
                    ]
                }
            )
        }
        return values
    }
}

/// A form that changes something; it carries the token against forged requests.
struct FormView {
    struct Button {
        let label: String
        var style = "primary"
        var name = "do"
        var value = ""
    }

    let action: String
    let csrf: String
    var isInline = false
    var intro: String?
    /// What the fields are about, above them; a filled template.
    var content = ""
    var hidden: [(name: String, value: String)] = []
    var fields: [FormField] = []
    var buttons: [Button]

    private static let template = HTMLTemplate(WebFiles.formHTML)

    var html: String {
        Self.template.filled(with: [
            "style": .text(isInline ? "inline" : ""), "action": .text(action), "csrf": .text(csrf),
            "hiddens": .list(hidden.map { ["name": .text($0.name), "value": .text($0.value)] }),
            "contents": .list(content.isEmpty ? [] : [["markup": .markup(content)]]), "intros": .texts(intro),
            "fields": .list(fields.map(\.values)),
            "buttons": .list(
                buttons.map {
                    [
                        "style": .text($0.style), "name": .text($0.name), "value": .text($0.value),
                        "label": .text($0.label),
                    ]
                }
            ),
        ])
    }
}

/// A page with a list: filter, table and the way to further rows.
struct ListView {
    let title: String
    let lead: String
    var action: String?
    var filter: [FormField] = []
    var isFiltered = false
    var link: PageLink?
    let content: String
    /// The address of the first page, if this is another one.
    var first: String?
    var next: PageLink?

    private static let template = HTMLTemplate(WebFiles.listHTML)

    var html: String {
        Self.template.filled(with: [
            "title": .text(title), "lead": .text(lead),
            "links": .list(link.map { [["href": .text($0.href), "label": .text($0.text)]] } ?? []),
            "hasFilter": .condition(action != nil), "action": .text(action ?? ""),
            "fields": .list(filter.map(\.values)),
            "resets": .list(isFiltered ? [["href": .text(action ?? "")]] : []),
            "content": .markup(content),
            "pagers": .list(
                first == nil && next == nil
                    ? []
                    : [
                        [
                            "firsts": .list(first.map { [["href": .text($0)]] } ?? []),
                            "nexts": .list(
                                next.map { [["href": .text($0.href), "label": .text($0.text)]] } ?? []
                            ),
                        ]
                    ]
            ),
        ])
    }
}

/// A page about one record: what it is, its id, its state and cards.
struct RecordView {
    struct Card {
        let title: String
        var note: String?
        var tone = Tone.none
        let body: String
    }

    let parent: PageLink
    /// What the record is, such as a sale with product, amount and date.
    let title: String
    /// The id of the record, which stands below the title and can be copied.
    var id: String?
    var chips: [Chip] = []
    var lead: String?
    var cards: [Card]

    private static let template = HTMLTemplate(WebFiles.recordHTML)

    var html: String {
        Self.template.filled(with: [
            "parent": .text(parent.text), "parentHref": .text(parent.href),
            "title": .text(Shown.text(title)),
            "ids": .list(id.map { [["shown": .text(Shown.text($0)), "text": .text($0)]] } ?? []),
            "chips": .list(chips.map(\.values)),
            "leads": .texts(lead),
            "cards": .list(
                cards.enumerated().map { index, card in
                    [
                        "tone": .text(card.tone.rawValue), "anchor": .text("card-\(index + 1)"),
                        "title": .text(card.title), "notes": .texts(card.note), "body": .markup(card.body),
                    ]
                }
            ),
        ])
    }
}

/// Content in a card of its own, for lists.
enum CardView {
    private static let template = HTMLTemplate(WebFiles.cardHTML)

    /// - Parameter isTitled: shows the label; a page with one card has its own title.
    static func html(_ label: String, _ content: String, isTitled: Bool = false) -> String {
        template.filled(with: [
            "style": .text(isTitled ? "" : "flush"), "label": .text(label), "titles": .texts(isTitled ? label : nil),
            "content": .markup(content),
        ])
    }
}
