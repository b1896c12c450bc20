import AppArtifacts
import AppConfiguration
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// Implements `--fix`: repairs the files of all apps; files shared by several apps are repaired once.
struct FixRun {
    let lint: Lint
    let isDryRun: Bool

    /// The result of a repair.
    struct Repair {
        /// The changes in the format of `git apply`.
        var diff = ""
        /// The repaired and refused findings, one line each.
        var remarks: [String] = []
    }

    private struct FileEdit {
        let original: [UInt8]
        let fixed: [UInt8]
    }

    /// Repairs the files; each changed file is written atomically unless this is a dry run.
    func repair(_ paths: [String]) throws(CommandFailure) -> Repair {
        var apps: [LintTarget] = []
        _ = try lint.visit(paths) { apps.append($0) }
        lint.progress.end()
        var repair = Repair()
        var changed: [String: FileEdit] = [:]
        var order: [String] = []
        var counts: [String: Int] = [:]
        for app in apps {
            var app = app
            guard !app.isBuilt else {
                if lint.findings(in: app).contains(where: { !$0.edits.isEmpty }) {
                    repair.say("\(app.name): not fixed: a built product is signed. Fix its sources and build again.")
                }
                continue
            }
            var contents: [String: [UInt8]] = [:]
            for file in app.configuration.files {
                contents[file.path] = changed[file.path]?.fixed ?? (try? InputFile.read(file.path))
                if let fixed = changed[file.path]?.fixed { try Self.replace(file.path, fixed, in: &app.configuration) }
            }
            let fixer = ConfigurationFixer(options: lint.options(for: app)) { configuration in
                var fixed = app
                fixed.configuration = configuration
                return lint.findings(in: fixed)
            }
            let outcome = fixer.fix(app.configuration, contents: contents)
            for file in outcome.files {
                if changed[file.path] == nil { order.append(file.path) }
                let original = changed[file.path]?.original ?? file.original
                changed[file.path] = FileEdit(original: original, fixed: file.fixed)
            }
            for finding in outcome.fixed { counts[finding.file, default: 0] += 1 }
            for refusal in outcome.refusals { repair.say(refusal.description) }
        }
        for path in order {
            guard let file = changed[path] else { continue }
            if isDryRun {
                let diff = UnifiedDiff.describe(file.original, file.fixed, path: path)
                repair.diff += String(decoding: diff, as: UTF8.self)
                continue
            }
            do {
                try replaceFile(at: path, with: file.fixed)
            } catch {
                throw .input("\(error.file.printable): cannot be written and is unchanged: \(error.reason)")
            }
            let count = counts[path] ?? 0
            repair.say("\(path): \(count) \(count == 1 ? "finding" : "findings") fixed")
        }
        return repair
    }

    private static func replace(
        _ path: String,
        _ bytes: [UInt8],
        in configuration: inout AppConfiguration
    ) throws(CommandFailure) {
        let file: PropertyListFile
        do {
            file = try PropertyListFile.parse(bytes, path: path)
        } catch {
            throw .input(error.message.printable)
        }
        if configuration.infoPlist?.path == path { configuration.infoPlist = file }
        if configuration.entitlements?.path == path { configuration.entitlements = file }
    }
}

extension FixRun.Repair {
    /// Adds a line, unless another app already added the same one.
    fileprivate mutating func say(_ line: String) {
        let line = line.printable
        if !remarks.contains(line) { remarks.append(line) }
    }
}
