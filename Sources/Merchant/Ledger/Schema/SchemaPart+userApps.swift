extension SchemaPart {
    /// The migration `0005-user-apps`: the only apps that a user sees, as a JSON array; NULL for all apps.
    package static let userApps = """
        ALTER TABLE users ADD COLUMN apps TEXT;
        """
}
