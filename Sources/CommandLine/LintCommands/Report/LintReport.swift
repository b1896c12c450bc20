import AppArtifacts
import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// The result of a linter run, independent of the output format.
struct LintReport {
    /// A finding with its value.
    struct Reported: Hashable {
        var finding: Finding
        /// The value as written, which distinguishes findings at the same location; nil if there is none.
        var value: String?
    }

    /// An app, or a file without an app, with its findings.
    struct Subject {
        var name: String
        var files: [String]
        var findings: [Reported]
    }

    let pack: RulePack
    let isStrict: Bool
    var subjects: [Subject] = []
    var filesRead = 0
    /// Recognised inputs that were not processed, one line each.
    var notes: [String] = []
    /// The notes that name the command which makes an input readable.
    var hints: [String] = []
    /// Missing files and files without read permission, which are no findings about the app.
    private(set) var unreadable: [ConfigurationReadError] = []
    /// The number of findings removed by the baseline; nil without a baseline.
    private(set) var accepted: Int?
    /// Accepted findings of the baseline that no longer occur.
    private(set) var stale: [Baseline.Entry] = []
    /// The indices of the subjects with findings in a file, because several apps can share a file.
    private var saying: [String: [Int]] = [:]

    init(pack: RulePack, isStrict: Bool) {
        self.pack = pack
        self.isStrict = isStrict
    }

    /// All findings by app, then by location.
    var findings: [Reported] { subjects.flatMap(\.findings) }

    func count(_ severity: Severity) -> Int {
        subjects.reduce(0) { $0 + $1.findings.count { $0.finding.severity == severity } }
    }

    /// Whether the exit code is that of a failed check (CF-70).
    var isWrong: Bool { count(.error) > 0 || isStrict && count(.warning) > 0 }

    /// The error for all unreadable files, thrown after the findings are printed.
    var unreadableFailure: CommandFailure? {
        guard let first = unreadable.first else { return nil }
        let more = unreadable.count > 1 ? " (and \(unreadable.count - 1) more that cannot be read)" : ""
        return .input("\(first.message.printable). \(first.hint)\(more)")
    }

    /// Adds unreadable files; those with a rule of their own are added as findings.
    mutating func add(_ errors: [ConfigurationReadError], disabled: Set<String>) {
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

    /// Adds an app, without findings that another app with the same file already has.
    mutating func add(_ app: LintTarget, _ findings: [Finding]) {
        let new = unsaid(findings)
        let values = WrittenValues(app.configuration, of: new)
        let reported = new.map { Reported(finding: $0, value: values[$0]) }
        var seen: Set<String> = []
        let files = (app.configuration.files.map(\.path) + reported.map(\.finding.file)).filter {
            seen.insert($0).inserted
        }
        subjects.append(Subject(name: app.name, files: files, findings: reported))
    }

    /// The distinct findings that no subject has yet.
    private mutating func unsaid(_ findings: [Finding]) -> [Finding] {
        var said: Set<Finding> = []
        for file in Set(findings.map(\.file)) {
            for index in saying[file] ?? [] { said.formUnion(subjects[index].findings.lazy.map(\.finding)) }
        }
        let new = findings.filter { said.insert($0).inserted }
        for file in Set(new.map(\.file)) { saying[file, default: []].append(subjects.count) }
        return new
    }

    /// Removes the findings that a baseline accepts.
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
        // Entries of files that this run did not read are not stale.
        let read = Set(subjects.flatMap(\.files).map { RelativePath.from(folder, to: $0) })
        var left = remaining.filter { $0.value > 0 && read.contains($0.key.file) }
        stale = baseline.entries.filter { entry in
            guard let count = left[entry], count > 0 else { return false }
            left[entry] = count - 1
            return true
        }
    }

    /// The present findings as a baseline.
    func baseline(besides path: String) -> Baseline {
        let folder = Baseline.folder(of: path)
        return Baseline(entries: findings.map { Baseline.Entry($0, from: folder) })
    }

    /// Messages about the run in addition to the findings, one line each.
    var remarks: [String] {
        guard !stale.isEmpty else { return [] }
        let word = stale.count == 1 ? "entry of the baseline is" : "entries of the baseline are"
        return ["\(stale.count) \(word) no longer found; write it again with --write-baseline:"]
            + stale.map { "  \($0.file): \($0.rule)\($0.path.map { " at \($0)" } ?? "")".clipped(to: 1_024).printable }
    }
}
