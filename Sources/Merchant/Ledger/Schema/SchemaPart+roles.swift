extension SchemaPart {
    /// The migration `0002-roles`: what each user may do.
    ///
    /// Users that exist without a role are administrators, as every user was before roles. An insertion names the column.
    package static let roles = """
        ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'admin'
            CHECK (role IN ('viewer', 'finance', 'operator', 'admin'));
        """
}
