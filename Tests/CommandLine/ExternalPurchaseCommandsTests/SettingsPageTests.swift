import ExternalPurchaseCore
import HTTPSupport
import TestSupport
import Testing

@testable import ExternalPurchaseCommands

@Suite("The reference of settings")
struct SettingsPageTests {
    @Test("docs/settings.md has the default of each setting of serve, what it may be and what it decides")
    func page() throws {
        let standards = ServeSettings()
        var rows: [[String]] = []
        for setting in ServeSettings.settings {
            #expect(!setting.meaning.isEmpty, "\(setting.name) does not say what it decides")
            switch setting.name {
            case "messages.1":
                // The texts of the errors stand in the catalogue.
                rows.append(["`messages.1` to `messages.40`", "Apple's", setting.expected, setting.meaning])
            case let name where name.hasPrefix("messages."): break
            case let name:
                // The default follows the limit of open files of the machine.
                let standard = name == HTTPLimits.connectionsName ? "1024" : setting.text(in: standards)
                rows.append(["`\(name)`", "`\(standard)`", setting.expected, setting.meaning])
            }
        }
        #expect(rows.count > 50 && ServeSettings.names.contains("messages.40"))
        let table = PageBlocks.table(["setting", "default", "value", "what it decides"], rows)
        let difference = try PageBlocks(["settings": table]).difference(from: "docs/settings.md")
        #expect(difference == nil)
    }
}
