import Foundation

/// The blocks of a page of `docs` that are what a run gave.
///
/// A block stands between `<!-- run: NAME -->` and `<!-- end of run -->`.
package struct PageBlocks {
    private let blocks: [String: String]

    package init(_ blocks: [String: String]) { self.blocks = blocks }

    /// Compares the blocks with those of a page.
    ///
    /// - Parameter path: the page's path from the root, such as `docs/settings.md`.
    /// - Returns: what a person does about a page that differs, whose right text is then in the temporary folder.
    package func difference(from path: String) throws -> String? {
        let file = PackageFolder.file(path)
        let text = try String(contentsOf: file, encoding: .utf8)
        let (right, missing, unused) = rewritten(text)
        guard missing == [], unused == [] else {
            return "\(path): blocks that only the page has: \(missing); that it lacks: \(unused)"
        }
        guard right != text else { return nil }
        let copy = FileManager.default.temporaryDirectory.appending(path: file.lastPathComponent)
        try right.write(to: copy, atomically: true, encoding: .utf8)
        return "\(path) differs from what the run gave. Compare, then: cp \(copy.path) \(path)"
    }

    /// The page with its blocks as the run gave them, and the names of blocks that one of both lacks.
    private func rewritten(_ page: String) -> (text: String, missing: [String], unused: [String]) {
        var lines: [Substring] = []
        var (missing, used): ([String], Set<String>) = ([], [])
        var isInside = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let name = line.wholeMatch(of: #/<!-- run: (.+) -->/#)?.1 {
                lines.append(line)
                used.insert(String(name))
                if let block = blocks[String(name)] {
                    lines += block.split(separator: "\n", omittingEmptySubsequences: false)
                } else {
                    missing.append(String(name))
                }
                isInside = true
            } else if line == "<!-- end of run -->" {
                lines.append(line)
                isInside = false
            } else if !isInside {
                lines.append(line)
            }
        }
        return (lines.joined(separator: "\n"), missing, blocks.keys.filter { !used.contains($0) }.sorted())
    }

    /// A table in Markdown.
    package static func table(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n").replacing("|  |", with: "| |")
    }
}
