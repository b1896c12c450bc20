import CommandSupport
import ExternalPurchaseCore
import Foundation
import Reporting
import Yams

extension ServeConfigurationReader {
    func alerts(
        _ node: Node,
        _ name: String,
        _ configuration: inout ServeConfiguration
    ) throws(CommandFailure) {
        let members = try mapping(node, name, keys: ["webhook", "mail", "every", "first", "scheduled", "review"])
        if let node = members["webhook"] {
            let webhook = try mapping(
                node,
                "\(name).webhook",
                keys: ["url", "secretFile", "format", "severities"],
                required: ["url"]
            )
            var read = ServeConfiguration.Webhook(
                url: try webhookAddress(webhook["url"] ?? node, "\(name).webhook.url"),
                secretFile: try webhook["secretFile"].map { node throws(CommandFailure) in
                    try existingFile(node, "\(name).webhook.secretFile", isSecret: true)
                }
            )
            if let node = webhook["format"] {
                let text = try scalar(node, "\(name).webhook.format")
                guard let format = AlertWebhook.Format(rawValue: text) else {
                    throw fail(node, "\(name).webhook.format \(text.shown()) must be json or slack")
                }
                read.format = format
            }
            read.severities = try severities(webhook["severities"], "\(name).webhook.severities")
            configuration.webhook = read
        }
        if let node = members["mail"] { configuration.mail = try mail(node, "\(name).mail") }
        if let node = members["every"] {
            let text = try scalar(node, "\(name).every")
            guard let every = SettingText.duration(text),
                (.seconds(1) ... .days(1)).contains(every)
            else { throw fail(node, "\(name).every \(text.shown()) must be from 1s to 24h, such as 60s") }
            configuration.alert.every = every
        }
        if let node = members["first"] {
            let text = try scalar(node, "\(name).first")
            guard let first = Int(text), (0...1_000).contains(first) else {
                throw fail(node, "\(name).first \(text.shown()) must be a number from 0 to 1000, such as 50")
            }
            configuration.alert.first = first
        }
        for (member, setting) in [
            ("scheduled", \AlertSettings.includesScheduled), ("review", \AlertSettings.includesReview),
        ] {
            guard let node = members[member] else { continue }
            let text = try scalar(node, "\(name).\(member)")
            guard ["on", "off"].contains(text) else {
                throw fail(node, "\(name).\(member) \(text.shown()) must be on or off")
            }
            configuration.alert[keyPath: setting] = text == "on"
        }
    }

    private func severities(_ node: Node?, _ path: String) throws(CommandFailure) -> Set<AlertSeverity> {
        guard let node else { return Set(AlertSeverity.allCases) }
        var severities: Set<AlertSeverity> = []
        for element in try sequence(node, path) {
            let text = try scalar(element, path)
            guard let severity = AlertSeverity(rawValue: text) else {
                throw fail(element, "\(path): \(text.shown()) must be warning or error")
            }
            severities.insert(severity)
        }
        guard !severities.isEmpty else { throw fail(node, "\(path) is empty; name warning, error or both") }
        return severities
    }

    private func mail(_ node: Node, _ path: String) throws(CommandFailure) -> ServeConfiguration.Mail {
        let members = try mapping(
            node,
            path,
            keys: ["to", "from", "sendmail", "severities"],
            required: ["to", "from"]
        )
        func address(_ node: Node, _ path: String) throws(CommandFailure) -> String {
            let text = try scalar(node, path)
            guard MailAddress.isOne(text) else {
                throw fail(node, "\(path) \(text.shown()) must be one address, such as alerts@example.com")
            }
            return text
        }
        var to: [String] = []
        for element in try sequence(members["to"] ?? node, "\(path).to") {
            to.append(try address(element, "\(path).to"))
        }
        guard (1...50).contains(to.count) else {
            throw fail(members["to"] ?? node, "\(path).to must have 1 to 50 addresses")
        }
        var mail = ServeConfiguration.Mail(to: to, from: try address(members["from"] ?? node, "\(path).from"))
        if let node = members["sendmail"] {
            mail.sendmail = try scalar(node, "\(path).sendmail")
            guard mail.sendmail.hasPrefix("/"), !mail.sendmail.hasSuffix("/") else {
                throw fail(node, "\(path).sendmail must be the absolute path of a program, such as /usr/sbin/sendmail")
            }
        }
        mail.severities = try severities(members["severities"], "\(path).severities")
        return mail
    }

    func webhookAddress(
        _ node: Node,
        _ path: String,
        example: String = "https://alerts.example.com/external-purchase"
    ) throws(CommandFailure) -> String {
        let text = try address(node, path, example: example)
        let parts = URLComponents(string: text)
        guard parts?.user == nil, parts?.password == nil else {
            throw fail(node, "\(path): name and password in the address are not sent; sign with secretFile")
        }
        return text
    }
}
