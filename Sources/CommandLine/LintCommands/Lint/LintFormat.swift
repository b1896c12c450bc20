import ArgumentParser

/// How `lint` prints what it found.
enum LintFormat: String, ExpressibleByArgument, CaseIterable {
    /// As compilers print it, for people, editors and Xcode.
    case text
    /// One object, whose shape is a contract.
    case json
    /// SARIF 2.1.0, for code scanning (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
    case sarif
    /// Commands of a GitHub workflow, which become annotations.
    case github
    /// JUnit's XML, for CI systems that show tests.
    case junit
}
