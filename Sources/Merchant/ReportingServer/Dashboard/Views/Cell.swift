import ExternalPurchaseCore
import HTTPSupport

/// The meaning of a state, as a colour beside its words.
enum Tone: String {
    case none = ""
    case good
    case wait
    case bad
    case info
}

/// A state in words.
struct Chip {
    let text: String
    let tone: Tone

    init(_ text: String, _ tone: Tone = .none) {
        self.text = text
        self.tone = tone
    }

    var values: HTMLTemplate.Values { ["text": .text(Shown.text(text)), "tone": .text(tone.rawValue)] }
}

/// A link to a page of the dashboard.
struct PageLink {
    let href: String
    let text: String

    init(_ text: String, _ href: String) {
        self.text = text
        self.href = href
    }

    var values: HTMLTemplate.Values {
        ["href": .text(href), "text": .text(Shown.text(text)), "title": .text(Shown.text(text))]
    }
}

/// The content of a table's cell, or of a fact.
struct Cell {
    var links: [PageLink] = []
    var chips: [Chip] = []
    var time: (moment: Timestamp, text: String)?
    var text: String?
    var sub: String?

    static let none = Cell(text: "–")

    static func text(_ text: String?, sub: String? = nil) -> Cell {
        text.map { $0.isEmpty ? Cell(text: "–", sub: sub) : Cell(text: $0, sub: sub) } ?? Cell(text: "–", sub: sub)
    }

    static func link(_ text: String, _ href: String, sub: String? = nil) -> Cell {
        Cell(links: [PageLink(text, href)], sub: sub)
    }

    static func chip(_ text: String, _ tone: Tone = .none, sub: String? = nil) -> Cell {
        Cell(chips: [Chip(text, tone)], sub: sub)
    }

    static func time(_ moment: Timestamp?, seconds: Bool = false, sub: String? = nil) -> Cell {
        guard let moment else { return .none }
        return Cell(time: (moment, Shown.time(moment, seconds: seconds)), sub: sub)
    }

    static func day(_ moment: Timestamp?, sub: String? = nil) -> Cell {
        guard let moment else { return .none }
        return Cell(time: (moment, Shown.day(moment)), sub: sub)
    }

    var values: HTMLTemplate.Values {
        [
            "links": .list(links.map(\.values)), "chips": .list(chips.map(\.values)),
            "times": .list(
                time.map { [["machine": .text($0.moment.description), "text": .text($0.text)]] } ?? []
            ),
            "texts": .texts(text), "subs": .texts(sub),
        ]
    }
}

extension HTMLTemplate.Value {
    /// A section that is shown if there is a text from outside that is not empty, with the text as `text`.
    static func texts(_ text: String?) -> Self {
        guard let text, !text.isEmpty else { return .list([]) }
        return .list([["text": .text(Shown.text(text))]])
    }
}

/// How a column is set.
enum CellStyle: String {
    case plain = ""
    case id
    case number
    case wide
}

/// The order of a table's rows by one of its columns.
enum SortOrder: String {
    case ascending
    case descending

    var arrow: String { self == .ascending ? "↑" : "↓" }
}

/// A column of a table.
struct Column {
    let name: String
    let style: CellStyle
    /// The order of the rows, in the column by which they are sorted.
    let order: SortOrder?

    init(_ name: String, _ style: CellStyle = .plain, sorted order: SortOrder? = nil) {
        self.name = name
        self.style = style
        self.order = order
    }

    fileprivate var values: HTMLTemplate.Values {
        [
            "name": .text(name), "style": .text(style.rawValue), "isSorted": .condition(order != nil),
            "order": .text(order?.rawValue ?? ""), "arrow": .text(order?.arrow ?? ""),
        ]
    }
}

/// A table, which becomes a list of cards on a narrow screen.
struct TableView {
    /// What the table lists, for screen readers.
    let caption: String
    let columns: [Column]
    let rows: [[Cell]]
    /// The sentence in place of a table without rows.
    let empty: String

    private static let template = HTMLTemplate(WebFiles.tableHTML)

    var html: String {
        Self.template.filled(with: [
            "hasRows": .condition(!rows.isEmpty), "caption": .text(caption), "empty": .text(empty),
            "columns": .list(columns.map(\.values)),
            "rows": .list(
                rows.map { cells in
                    [
                        "cells": .list(
                            zip(columns, cells).map { column, cell in
                                cell.values.merging(
                                    ["label": .text(column.name), "style": .text(column.style.rawValue)]
                                ) { _, new in new }
                            }
                        )
                    ]
                }
            ),
        ])
    }
}

/// A list of names and values.
struct FactsView {
    let facts: [(name: String, cell: Cell, style: CellStyle)]

    init(_ facts: [(String, Cell)]) {
        self.facts = facts.map { ($0.0, $0.1, .plain) }
    }

    private static let template = HTMLTemplate(WebFiles.factsHTML)

    var html: String {
        Self.template.filled(with: [
            "facts": .list(
                facts.map { name, cell, style in
                    cell.values.merging(["name": .text(name), "style": .text(style.rawValue)]) { _, new in new }
                }
            )
        ])
    }
}

/// Bytes that were sent or received, shown with white space and offered as they were.
struct PayloadView {
    let label: String
    let bytes: [UInt8]
    /// The path of the exact bytes.
    var download: String?
    var isOpen = false

    private static let template = HTMLTemplate(WebFiles.payloadHTML)

    var html: String {
        let json = try? JSONReader().read(bytes)
        let text = json?.formatted() ?? String(decoding: bytes, as: UTF8.self)
        return Self.template.filled(with: [
            "label": .text(label), "size": .text(Shown.count(bytes.count, "byte")), "isOpen": .condition(isOpen),
            "text": .text(bytes.isEmpty ? "(an empty body)" : Shown.lines(text)),
            "exacts": .list(download.map { [["href": .text($0)]] } ?? []),
        ])
    }
}

/// An event of a timeline.
struct TimelineEvent {
    let at: Timestamp
    let title: String
    var tone = Tone.none
    var links: [PageLink] = []
    var details: [String] = []
    var payloads: [PayloadView] = []
}

/// Events in the order of time.
struct TimelineView {
    let events: [TimelineEvent]
    var note: String?

    private static let template = HTMLTemplate(WebFiles.timelineHTML)

    var html: String {
        var last: Timestamp?
        var values: [HTMLTemplate.Values] = []
        for event in events {
            let gap = last.map { $0.duration(to: event.at) }
            let isLonger = gap.map { $0 >= .seconds(1) } ?? false
            values.append([
                "tone": .text(event.tone.rawValue), "machine": .text(event.at.description),
                "time": .text(Shown.time(event.at, seconds: true)),
                "gaps": .texts(isLonger ? gap.map { "\(Shown.duration($0)) later" } : nil),
                "title": .text(Shown.text(event.title)), "links": .list(event.links.map(\.values)),
                "details": .list(event.details.map { ["text": .text(Shown.text($0))] }),
                "payloads": .list(event.payloads.map { ["body": .markup($0.html)] }),
            ])
            last = event.at
        }
        return Self.template.filled(with: ["events": .list(values), "notes": .texts(note)])
    }
}
