/// How the ledger reaches its server.
package struct PostgresSettings: Hashable, Sendable {
    /// A connection string of libpq, or a URI that begins with `postgres://` or `postgresql://`.
    package let connection: String
    /// The time to connect, in seconds, unless the connection string says another.
    package var connectTimeout: Int
    /// The time that a statement may take, in milliseconds.
    package var statementTimeout: Int
    /// The time that a statement waits for a lock, such as the one of another server's transaction, in milliseconds.
    package var lockTimeout: Int
    /// The largest number of connections that read.
    package var readers: Int
    /// The time that a read waits for one of these connections, in milliseconds.
    package var readerTimeout: Int
    /// Whether groups of writes read ahead what their closures will ask; nil: if the server is so far away that it saves time.
    package var speculates: Bool?

    package init(
        connection: String,
        connectTimeout: Int = 5,
        statementTimeout: Int = 30_000,
        lockTimeout: Int = 10_000,
        readers: Int = 8,
        readerTimeout: Int = 10_000,
        speculates: Bool? = nil
    ) {
        self.connection = connection
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
        self.lockTimeout = lockTimeout
        self.readers = max(1, readers)
        self.readerTimeout = readerTimeout
        self.speculates = speculates
    }
}
