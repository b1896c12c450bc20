import ArgumentParser

/// The output format of `lint`.
enum LintFormat: String, ExpressibleByArgument, CaseIterable {
    /// The format of compilers, for people, editors and Xcode.
    case text
    /// One JSON object in a stable format.
    case json
    /// SARIF 2.1.0, for code scanning (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
    case sarif
    /// GitHub workflow commands, which create annotations.
    case github
    /// JUnit XML, for CI systems that display test results.
    case junit
}
