import Testing

@testable import HTTPSupport

@Suite("Pages are templates in the syntax of Mustache")
struct HTMLTemplateTests {
    @Test("Two braces escape, three do not, and inserted text is not searched for placeholders")
    func text() {
        let template = HTMLTemplate("<a title='{{name}}'>{{name}}</a><style>{{{style}}}</style>")
        let page = template.filled(with: [
            "name": .text("<b c=\"d\">'&'{{style}}"), "style": .markup("a > b {}{{name}}"),
        ])
        let escaped = "&lt;b c=&quot;d&quot;&gt;&#39;&amp;&#39;{{style}}"
        #expect(page == "<a title='\(escaped)'>\(escaped)</a><style>a > b {}{{name}}</style>")
    }

    @Test(
        "A section follows its condition, an inverted one its opposite",
        arguments: [(HTMLTemplate.Value.condition(true), "yes"), (.condition(false), "no"), (.list([]), "no")]
    )
    func condition(_ value: HTMLTemplate.Value, _ expected: String) {
        let template = HTMLTemplate("{{#is}}yes{{/is}}{{^is}}no{{/is}}")
        #expect(template.filled(with: ["is": value]) == expected)
    }

    @Test("A section repeats for every element; names are looked up in the element, then outside of it")
    func list() {
        let template = HTMLTemplate(
            "{{#rows}}{{name}}:{{#cells}}{{name}}{{unit}} {{/cells}}{{/rows}}{{^rows}}none{{/rows}}"
        )
        let cells = HTMLTemplate.Value.list([["name": .text("1")], ["name": .text("2")]])
        let rows: [HTMLTemplate.Values] = [["name": .text("a"), "unit": .text("m")], ["name": .text("b")]]
        let page = template.filled(with: ["rows": .list(rows), "cells": cells, "unit": .text("k")])
        #expect(page == "a:1m 2m b:1k 2k ")
    }

    @Test("A section's tag alone on its line leaves no line behind")
    func lines() {
        let template = HTMLTemplate("<ul>\n  {{#rows}}\n  <li>{{name}}</li>\n  {{/rows}}\n</ul>{{#is}}\n!{{/is}}")
        let rows: [HTMLTemplate.Values] = [["name": .text("a")], ["name": .text("b")]]
        let page = template.filled(with: ["rows": .list(rows), "is": .condition(true)])
        #expect(page == "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n!")
    }

    @Test("A template that is malformed, or whose placeholder has no value of its kind, ends the program")
    func defects() async {
        await #expect(processExitsWith: .failure) { _ = HTMLTemplate("{{#a}}b") }
        await #expect(processExitsWith: .failure) { _ = HTMLTemplate("{{#a}}{{/b}}") }
        await #expect(processExitsWith: .failure) { _ = HTMLTemplate("{{a b}}") }
        await #expect(processExitsWith: .failure) { _ = HTMLTemplate("{{a}}").filled(with: ["b": .text("")]) }
        await #expect(processExitsWith: .failure) { _ = HTMLTemplate("{{a}}").filled(with: ["a": .condition(true)]) }
        await #expect(processExitsWith: .failure) { _ = HTMLTemplate("{{{a}}}").filled(with: ["a": .text("")]) }
    }

    @Test("A combining character behind a mark does not hide the mark from escaping")
    func combining() {
        let template = HTMLTemplate("<a title=\"{{name}}\">")
        let page = template.filled(with: ["name": .text("\"\u{301} onclick=<\u{301}b>\u{20DD}&\u{FE0F}")])
        #expect(page.unicodeScalars.count { $0 == "\"" } == 2)
        #expect(page.unicodeScalars.count { $0 == "<" } == 1)
        #expect(page.unicodeScalars.count { $0 == ">" } == 1)
    }
}
