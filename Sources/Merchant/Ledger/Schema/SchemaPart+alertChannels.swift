extension SchemaPart {
    /// The migration `0007-alert-channels`: the way on which each alert message is delivered.
    package static let alertChannels = """
        ALTER TABLE alert_messages ADD COLUMN channel TEXT NOT NULL DEFAULT 'webhook'
            CHECK (channel IN ('webhook', 'mail'));
        CREATE INDEX alert_messages_of_channel ON alert_messages (channel, sequence) WHERE delivered_at IS NULL;
        """
}
