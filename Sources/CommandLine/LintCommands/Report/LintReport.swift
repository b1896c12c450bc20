import AppArtifacts
import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// What a run of the linter found, ready to be printed in any form.
struct LintReport {
    /// A finding with the value it is about.
    struct Reported: Hashable {
        var finding: Finding
        /// The value as written, which tells a finding from another one at the same place; nil when there is none.
        var value: String?
    }

    /// An app, or a file that belongs to none, with what was found in it.
    struct Subject {
        var name: String
        var files: [String]
        var findings: [Reported]
    }

    let pack: RulePack
    let isStrict: Bool
    var subjects: [Subject] = []
    var filesRead = 0
    /// What was recognised and not followed, a line each.
    var notes: [String] = []
    /// Missing files and those that the system refused, which say nothing about the app.
    private(set) var unreadable: [ConfigurationReadError] = []
    /// How many findings the baseline took away; nil without a baseline.
    private(set) var accepted: Int?
    /// What the baseline accepts and is no longer found.
    private(set) var stale: [Baseline.Entry] = []
    /// Where what was found in a file stands among the subjects, since several apps may share it.
    private var saying: [String: [Int]] = [:]

    init(pack: RulePack, isStrict: Bool) {
        self.pack = pack
        self.isStrict = isStrict
    }

    /// The findings, app by app in the order of their places.
    var findings: [Reported] { subjects.flatMap(\.findings) }

    func count(_ severity: Severity) -> Int {
        subjects.reduce(0) { $0 + $1.findings.count { $0.finding.severity == severity } }
    }

    /// Whether the exit code says that something is wrong (CF-70).
    var isWrong: Bool { count(.error) > 0 || isStrict && count(.warning) > 0 }

    /// The failure that stands for everything that could not be read; the findings are printed before.
    var unreadableFailure: CommandFailure? {
        guard let first = unreadable.first else { return nil }
        let more = unreadable.count > 1 ? " (and \(unreadable.count - 1) more that cannot be read)" : ""
        return .input("\(first.message.printable). \(first.hint)\(more)")
    }

    /// Takes the files that could not be read, those with a rule of their own as findings.
    mutating func take(_ errors: [ConfigurationReadError], disabled: Set<String>) {
        for error in errors {
            guard let finding = Finding(error) else {
                unreadable.append(error)
                continue
            }
            let findings = disabled.contains(finding.rule) ? [] : unsaid([finding])
            let reported = findings.map { Reported(finding: $0, value: error.reason) }
            subjects.append(Subject(name: error.file, files: [error.file], findings: reported))
        }
    }

    /// Takes an app; what another app with the same file has said already is not said again.
    mutating func take(_ app: LintTarget, _ findings: [Finding]) {
        let new = unsaid(findings)
        let values = WrittenValues(app.configuration, of: new)
        let reported = new.map { Reported(finding: $0, value: values[$0]) }
        var seen: Set<String> = []
        let files = (app.configuration.files.map(\.path) + reported.map(\.finding.file)).filter {
            seen.insert($0).inserted
        }
        subjects.append(Subject(name: app.name, files: files, findings: reported))
    }

    /// The findings that no subject has yet, each once, for the subject that is appended next.
    private mutating func unsaid(_ findings: [Finding]) -> [Finding] {
        var said: Set<Finding> = []
        for file in Set(findings.map(\.file)) {
            for index in saying[file] ?? [] { said.formUnion(subjects[index].findings.lazy.map(\.finding)) }
        }
        let new = findings.filter { said.insert($0).inserted }
        for file in Set(new.map(\.file)) { saying[file, default: []].append(subjects.count) }
        return new
    }

    /// Takes away what a baseline accepts.
    mutating func accept(_ path: String?) throws(CommandFailure) {
        guard let path else { return }
        let baseline = try Baseline(reading: path)
        var remaining = baseline.counts
        let folder = Baseline.folder(of: path)
        let before = findings.count
        for index in subjects.indices {
            subjects[index].findings.removeAll { reported in
                let entry = Baseline.Entry(reported, from: folder)
                guard let count = remaining[entry], count > 0 else { return false }
                remaining[entry] = count - 1
                return true
            }
        }
        accepted = before - findings.count
        // A file that this run did not read may still have its findings.
        let read = Set(subjects.flatMap(\.files).map { RelativePath.from(folder, to: $0) })
        var left = remaining.filter { $0.value > 0 && read.contains($0.key.file) }
        stale = baseline.entries.filter { entry in
            guard let count = left[entry], count > 0 else { return false }
            left[entry] = count - 1
            return true
        }
    }

    /// Today's findings as a baseline.
    func baseline(besides path: String) -> Baseline {
        let folder = Baseline.folder(of: path)
        return Baseline(entries: findings.map { Baseline.Entry($0, from: folder) })
    }

    /// What a person should know about the run beside the findings, a line each.
    var remarks: [String] {
        guard !stale.isEmpty else { return [] }
        let word = stale.count == 1 ? "entry of the baseline is" : "entries of the baseline are"
        return ["\(stale.count) \(word) no longer found; write it again with --write-baseline:"]
            + stale.map { "  \($0.file): \($0.rule)\($0.path.map { " at \($0)" } ?? "")".printable }
    }
}
