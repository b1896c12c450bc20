#if PostgreSQL
import Ledger

/// Rewrites a statement of the ledger, which is written in SQLite's dialect, for PostgreSQL.
///
/// This is the only place that knows the differences. The statements use what both engines have wherever they have it;
/// the functions `json_each` and `unixepoch` of the schema stand for SQLite's. A connection rewrites each text once.
///
/// | SQLite | PostgreSQL |
/// |---|---|
/// | `?`, `?2` | `$1`, `$2` |
/// | `INDEXED BY name` | nothing: PostgreSQL chooses the index itself |
/// | `content ->> '$.a.b'` | `content::jsonb #>> '{a,b}'` |
/// | `iif(a, b, c)` | `CASE WHEN a THEN b ELSE c END` |
/// | `a IS b`, `a IS NOT b` of values | `a IS NOT DISTINCT FROM b`, `a IS DISTINCT FROM b` |
/// | `CROSS JOIN t ON …`, which fixes the order | `JOIN t ON …` |
/// | `json_group_array(…)` | `json_agg(…)` |
/// | `INSERT OR IGNORE INTO …` | `INSERT INTO … ON CONFLICT DO NOTHING` |
/// | `/* FOR UPDATE SKIP LOCKED */`: SQLite's lock is that of the file | `FOR UPDATE SKIP LOCKED` |
/// | `SELECT * FROM t`, `t.*` | the columns of `t` |
/// | `INTEGER`, `WITHOUT ROWID` in a definition | `bigint`, nothing |
///
/// Columns are named because a statement that was prepared with `*` fails, for as long as its connection lasts, after a later
/// version added a column.
enum PostgresDialect {
    /// - Parameters:
    ///   - column: the column of the inserted row that the statement returns.
    ///   - columns: the columns of each table, as SQL names them; `*` stays for a table that is not there.
    static func statement(
        _ sql: String,
        returning column: String? = nil,
        columns: [String: [String]] = [:]
    ) -> String {
        var text = withoutConditionals(sql)
        text = text.replacing(#/\bSELECT \* FROM (\w+)/#) { match in
            "SELECT \(columns[String(match.output.1)]?.joined(separator: ", ") ?? "*") FROM \(match.output.1)"
        }
        text = text.replacing(#/\b(\w+)\.\*/#) { match in
            let table = match.output.1
            return columns[String(table)]?.map { "\(table).\($0)" }.joined(separator: ", ") ?? "\(table).*"
        }
        text = text.replacing(#/ INDEXED BY \w+/#, with: "")
        text = text.replacing(#/CROSS JOIN (\w+)\s+ON\b/#) { "JOIN \($0.output.1) ON" }
        text = text.replacing("json_group_array(", with: "json_agg(")
        text = text.replacing("/* FOR UPDATE SKIP LOCKED */", with: "FOR UPDATE SKIP LOCKED")
        text = text.replacing(#/->> '\$([^']*)'/#) { "::jsonb #>> '{\(path(String($0.output.1)))}'" }
        text = text.replacing(#/\bIS NOT (?!NULL\b|DISTINCT\b)/#, with: "IS DISTINCT FROM ")
        text = text.replacing(#/\bIS (?!NOT\b|NULL\b|DISTINCT\b)/#, with: "IS NOT DISTINCT FROM ")
        if text.hasPrefix("CREATE TEMP TABLE") {
            text = text.replacing(" INTEGER ", with: " bigint ").replacing(" WITHOUT ROWID", with: "")
        }
        if text.hasPrefix("INSERT OR IGNORE INTO") {
            text =
                "INSERT INTO" + text.dropFirst("INSERT OR IGNORE INTO".count) + " ON CONFLICT DO NOTHING"
        }
        if let column { text += " RETURNING \(column)" }
        return withNumberedPlaceholders(text)
    }

    /// The elements of a path such as `.a.b` or `[0]`, as PostgreSQL writes them.
    private static func path(_ path: String) -> String {
        path.split { ".[]".contains($0) }.joined(separator: ",")
    }

    /// Numbers the placeholders outside quoted text.
    private static func withNumberedPlaceholders(_ sql: String) -> String {
        var (result, isQuoted, next) = ("", false, 1)
        var characters = Substring(sql)
        while let character = characters.popFirst() {
            if character == "'" { isQuoted.toggle() }
            guard character == "?", !isQuoted else {
                result.append(character)
                continue
            }
            let digits = characters.prefix { $0.isASCII && $0.isNumber }
            characters.removeFirst(digits.count)
            result += "$\(digits.isEmpty ? String(next) : String(digits))"
            if digits.isEmpty { next += 1 }
        }
        return result
    }

    /// Replaces every call of `iif`; the calls of the ledger's statements may be nested.
    private static func withoutConditionals(_ sql: String) -> String {
        guard let call = sql.firstRange(of: #/\biif\(/#) else { return sql }
        var (parts, part, depth, isQuoted) = ([String](), "", 1, false)
        var rest = sql[call.upperBound...]
        while depth > 0, let character = rest.popFirst() {
            if character == "'" { isQuoted.toggle() }
            if !isQuoted {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if depth == 0 || depth == 1 && character == "," {
                    parts.append(part)
                    part = ""
                    continue
                }
            }
            part.append(character)
        }
        guard parts.count == 3 else { return sql }
        let conditional = "CASE WHEN \(parts[0]) THEN\(parts[1]) ELSE\(parts[2]) END"
        return withoutConditionals(sql[..<call.lowerBound] + conditional + rest)
    }
}
#endif
