// Tests use conditions, questions, diagnostics and session settings. One import provides all of them.
@_exported public import ConfigurationLint
@_exported public import Eligibility
@_exported public import StoreKitSimulator
