extension SchemaPart {
    /// The migration `0006-requests`: what finds the entries of a sale's payment events, review items and exports.
    package static let requests = """
        CREATE INDEX audit_of_record ON audit_log (
            coalesce(content ->> '$.eventId', content ->> '$.exportId', (content ->> '$.item') || '')
        ) WHERE kind IN ('payment-event-stored', 'attention-resolved', 'export-made', 'export-handed-in', 'export-withdrawn');
        """
}
