import ExternalPurchaseCore
import Foundation
import Reporting

/// An alert message as mail (RFC 5322), which is the same for every attempt.
struct AlertMail {
    let text: AlertText
    let messageId: String
    let from: String
    let to: [String]

    /// The mail with lines as the programs of the machine end them.
    var bytes: [UInt8] {
        let domain = from.split(separator: "@", maxSplits: 1).dropFirst().first.map(String.init) ?? "localhost"
        let headers = [
            "From: \(from)",
            "To: \(to.joined(separator: ",\n "))",
            "Subject: \(Self.header(text.subject))",
            "Date: \(Self.date(text.madeAt ?? Timestamp(milliseconds: 0)))",
            // The same for each attempt, so that a repetition is recognised.
            "Message-ID: <\(messageId)@\(domain)>",
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64",
        ]
        let lines =
            text.lines + [
                "",
                "GET /v1/due and GET /v1/review, or the dashboard, show what it is about: the first part of an id is escalationId.",
            ]
        let content = Data((lines.joined(separator: "\n") + "\n").utf8)
        let encoded = content.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        return Array((headers.joined(separator: "\n") + "\n\n" + encoded + "\n").utf8)
    }

    /// A text as the value of a header: encoded words of at most 75 characters where it is not printable ASCII (RFC 2047).
    static func header(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?") && text.utf8.count <= 200
        if isPlain { return text }
        var (words, word) = ([[UInt8]](), [UInt8]())
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > 45 {
                words.append(word)
                word = []
            }
            word += bytes
        }
        words.append(word)
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\n ")
    }

    /// A time as RFC 5322 writes it, in UTC.
    static func date(_ time: Timestamp) -> String {
        let seconds = Int64((Double(time.milliseconds) / 1_000).rounded(.down))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.weekday, .day, .month, .year, .hour, .minute, .second],
            from: Date(timeIntervalSince1970: TimeInterval(seconds))
        )
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        return "\(days[((parts.weekday ?? 1) - 1) % 7]), \(parts.day ?? 1) \(months[((parts.month ?? 1) - 1) % 12]) "
            + "\(parts.year ?? 1970) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) +0000"
    }
}

/// The addresses that mail goes to: one each, which is safe as an argument of a program and in a header.
enum MailAddress {
    /// Whether a text is a local name or a local part and a domain, of the characters that need no quotes (RFC 5322, dot-atom).
    static func isOne(_ text: String) -> Bool {
        text.utf8.count <= 254
            && text.wholeMatch(of: #/[A-Za-z0-9_+][A-Za-z0-9_+.=-]*(@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)?/#) != nil
    }
}
