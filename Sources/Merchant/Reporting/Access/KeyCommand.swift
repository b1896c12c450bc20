package import ExternalPurchaseCore
package import Ledger

/// The API key that a person asks for, on the command line or in the dashboard.
package struct KeyCommand: Hashable, Sendable {
    let scope: KeyScope
    /// The only app that the key gives access to; nil for all apps.
    let bundleId: BundleId?
    let name: String?
    /// The end of the key; nil for a key without an end.
    let expiresAt: Timestamp?

    /// Parses what a person states; nil stands for a field that is left out.
    ///
    /// - Parameters:
    ///   - expires: a day, at whose start in UTC the key ends, or a time.
    ///   - now: the machine's time, after which the end must be.
    /// - Throws: ``RequestError/invalid(_:)`` with the paths `/app`, `/name` and `/expires`.
    package init(
        scope: KeyScope,
        app: String?,
        name: String?,
        expires: String?,
        now: Timestamp
    ) throws(RequestError) {
        var errors: [FieldError] = []
        if let app, BundleId.fault(in: app) != nil {
            errors.append(FieldError("/app", "is no bundle id such as com.example.shop"))
        }
        if let fault = name.flatMap(AuthorName.fault(in:)) { errors.append(FieldError("/name", fault)) }
        // Both stand in lists and in the audit log, which is kept.
        for (path, text) in [("/app", app), ("/name", name)] where text?.hasSecretMark == true {
            errors.append(FieldError(path, "is a key or a secret, which would stand in lists and in the audit log"))
        }
        let end = expires.flatMap { CalendarDate($0)?.startInUTC ?? Timestamp(rfc3339: $0) }
        if expires != nil, end == nil {
            errors.append(
                FieldError("/expires", "is not a day such as 2027-01-01, nor a time such as 2027-01-01T12:00:00Z")
            )
        } else if let end, end <= now {
            errors.append(FieldError("/expires", "is over; name a day or time to come"))
        }
        if !errors.isEmpty { throw .invalid(errors) }
        self.scope = scope
        bundleId = app.map { BundleId($0) }
        self.name = name
        expiresAt = end
    }

    /// Creates the key with a random id and secret; only ``NewKey/key`` has the secret.
    package func newKey(
        by author: String,
        at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> NewKey {
        let key = APIKey(scope: scope, using: &generator)
        let row = StoredAPIKey(
            key,
            keyId: .random(using: &generator),
            bundleId: bundleId,
            name: name,
            createdAt: now,
            createdBy: author,
            expiresAt: expiresAt
        )
        return NewKey(key: key, row: row)
    }
}

/// A key that was just created, with its secret.
package struct NewKey: Hashable, Sendable {
    package let key: APIKey
    /// The key as the ledger stores it.
    package var row: StoredAPIKey
}

/// The rules for the names that keys and people have in records.
package enum AuthorName {
    package static let maximumLength = 100

    /// Returns what is wrong with a name, or nil.
    package static func fault(in name: String) -> String? {
        guard !name.isEmpty, name.unicodeScalars.count <= maximumLength else {
            return "a name has 1 to \(maximumLength) characters"
        }
        guard !name.unicodeScalars.contains(where: \.isControlOrDirection) else {
            return "the name has a control character, or one that turns the reading direction"
        }
        return reservation(of: name)
    }

    /// Returns the reason why nobody may have a name that the server writes into the audit log itself, or nil.
    package static func reservation(of name: String) -> String? {
        let key = seenKey(of: name)
        let own =
            if reserved.contains(key) {
                "the server itself has the name \(name.quoted)"
            } else if key.hasPrefix(keyIdPrefix) {
                "names that begin with \"\(keyIdPrefix)\" are the server's own"
            } else if key.hasSuffix(commandLineSuffix) {
                "names that end in \"\(commandLineSuffix)\" are the server's own"
            } else if providerSubject(of: key) != nil {
                "names that end in \"\(providerPrefix)…)\" are those of users who sign in elsewhere"
            } else {
                String?.none
            }
        return own.map { $0 + " in the audit log; take another one" }
    }

    /// The author of a change on the command line by an account of the machine.
    package static func onCommandLine(_ account: String) -> String { account + commandLineSuffix }

    /// The name of a user whom an OpenID Connect provider vouches for, such as `kim (oidc 248289761001)`.
    ///
    /// What people are called changes and is not unique; the subject is, so it alone tells who is the same person.
    ///
    /// - Parameters:
    ///   - subject: the provider's id of the user; a long or unusual one stands as a hash.
    ///   - called: what the provider calls the user; the first one that can be a name counts.
    package static func ofProvider(subject: String, called: [String]) -> String {
        let isPlain =
            subject.utf8.count <= 48
            && subject.utf8.allSatisfy { $0.isASCIILetter || $0.isDigit || "-_.:|@".utf8.contains($0) }
        let id = isPlain ? subject : String(subject.utf8.sha256.hexadecimal.prefix(40))
        let names = called.lazy.map { text in
            let scalars = text.unicodeScalars
            let isPlain = !scalars.contains(where: \.isControlOrDirection)
            return isPlain ? String(String.UnicodeScalarView(scalars.prefix(40))).drop(while: \.isWhitespace) : ""
        }
        return (names.first { !$0.isEmpty }.map(String.init) ?? "user") + providerPrefix + id + ")"
    }

    /// The subject in the name of a user of the provider; nil for other names.
    private static func providerSubject(of name: String) -> Substring? {
        guard name.hasSuffix(")"), let start = name.ranges(of: providerPrefix).last else { return nil }
        return name[start.upperBound...].dropLast()
    }

    /// The authors of changes that no person and no key made, and names that a reader could take for one.
    private static let reserved: Set<String> = [
        "server", "sender", "planner", "sale intake", "stripe", "paddle", "custom payments", "apple", "system",
        "external-purchase",
    ]
    private static let keyIdPrefix = "key_"
    private static let commandLineSuffix = " on the command line"
    private static let providerPrefix = " (oidc "

    /// The same for names that a reader takes for one in two spellings: in case, in characters that nobody sees, in how an
    /// accent is stored, or in white space at the ends.
    ///
    /// Of users of a provider the subject counts.
    static func comparisonKey(of name: String) -> String {
        if let subject = providerSubject(of: name) { return "user" + providerPrefix + subject + ")" }
        let seen = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        // Both, because some letters have a capital that is not theirs alone.
        let rest = String(String.UnicodeScalarView(seen)).uppercased().lowercased().drop(while: \.isWhitespace)
        return String(rest.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// The key of the name that a reader sees, in which letters of other alphabets are the Latin ones that they look like.
    private static func seenKey(of name: String) -> String {
        comparisonKey(of: String(String.UnicodeScalarView(name.unicodeScalars.map(LookAlikeLetters.seen))))
    }

    /// Whether a reader could take one name for the other.
    ///
    /// Both keys count, because the capital of a letter may look like another one than the letter does.
    static func areAlike(_ name: String, _ other: String) -> Bool {
        comparisonKey(of: name) == comparisonKey(of: other) || seenKey(of: name) == seenKey(of: other)
    }
}

extension LedgerQueries {
    /// Returns what is wrong with the name of a new key, or nil.
    ///
    /// The audit log names keys and users in the same place, so that a key never has the name of a user, also of one who
    /// was removed.
    package func nameFault(ofKey name: String) throws(LedgerError) -> String? {
        guard let user = try users().first(where: { AuthorName.areAlike($0.name, name) }) else { return nil }
        return "\(user.name.quoted) is a user; the audit log could not tell the key from the person"
    }

    /// Returns what is wrong with the name of a user whose password is set, or nil; the name of a known user is right.
    package func nameFault(ofUser name: String) throws(LedgerError) -> String? {
        if try user(named: name) != nil { return nil }
        if let other = try users().first(where: { AuthorName.areAlike($0.name, name) }) {
            return "nobody could tell \(name.quoted) from the user \(other.name.quoted)"
                + (other.isRemoved ? ", who was removed but stands in the audit log" : "")
                + "; spell the name the same way to change that user's password"
        }
        guard let key = try apiKeys().first(where: { $0.name.map { AuthorName.areAlike($0, name) } ?? false }) else {
            return nil
        }
        return
            "\(name.quoted) is the name of the key \(key.keyId.rawValue); the audit log could not tell the person from "
            + "the key"
    }

    /// Returns why the apps of a user cannot be as stated, or nil: an administrator has all of them, and who is one no
    /// longer has those that are named, because the limit of before is not stored.
    ///
    /// - Parameter role: the user's new role; nil keeps it.
    package func appsFault(
        ofUser name: String,
        becoming role: UserRole?,
        _ apps: StoredUser.Apps?
    ) throws(LedgerError) -> String? {
        let users = try users().filter { !$0.isRemoved }
        let known = users.first { $0.name.hasSameScalars(as: name) }
        if apps == nil, known?.role == .admin, let role, role != .admin {
            return
                "has all apps as an admin; say which ones the user sees from now on, such as --app com.example.shop, "
                + "or --app all"
        }
        guard case .only? = apps else { return nil }
        guard (role ?? known?.role ?? (users.isEmpty ? .admin : .viewer)) == .admin else { return nil }
        return "an admin has all apps; leave --app out, or give the user another role"
    }

    /// Returns why a user keeps the role of an administrator, or nil: nobody else would have it.
    ///
    /// - Parameter role: the user's new role; nil removes the user.
    package func adminFault(ofUser name: String, becoming role: UserRole?) throws(LedgerError) -> String? {
        let admins = try users().filter { !$0.isRemoved && $0.role == .admin }
        guard role != .admin, admins.count == 1, admins[0].name.hasSameScalars(as: name) else { return nil }
        return "is the only admin; make another user one first: users set-role NAME admin, or users set-password NAME "
            + "--role admin"
    }
}
