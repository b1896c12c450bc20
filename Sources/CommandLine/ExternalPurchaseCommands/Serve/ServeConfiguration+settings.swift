import CommandSupport
import ExternalPurchaseCore
import Reporting

extension ServeConfiguration {
    /// The settings, combined with the other parts of the configuration that affect them.
    ///
    /// - Throws: ``CommandFailure`` for an unknown setting or column.
    func serveSettings() throws(CommandFailure) -> ServeSettings {
        var settings = try ServeSettings(settings)
        settings.reporting.developerProgrammes = developerProgrammes
        if let exportColumns {
            do throws(ExportRefusal) {
                settings.reporting.exportLayout = try ExportLayout(
                    named: exportColumns.map { ($0.column, $0.header) }
                )
            } catch {
                throw .input("exports.columns: \(error.message)")
            }
        }
        settings.reporting.programmes = catalog
        return settings
    }
}

extension ProgrammeCatalog {
    /// Reads a programme file and merges it over the built-in programmes.
    ///
    /// - Throws: ``CommandFailure`` with every fault of the file.
    static func read(_ path: String) throws(CommandFailure) -> ProgrammeCatalog {
        guard let text = String(validating: try InputFile.read(path), as: UTF8.self) else {
            throw .input("\(path): is not UTF-8")
        }
        do throws(ProgrammeFileRefusal) {
            return try ProgrammeCatalog(overlay: text, named: path)
        } catch {
            throw .input(error.description)
        }
    }
}
