// Tests name conditions, questions, diagnostics and session settings; one import is to be enough for them.
@_exported public import ConfigurationLint
@_exported public import Eligibility
@_exported public import StoreKitSimulator
