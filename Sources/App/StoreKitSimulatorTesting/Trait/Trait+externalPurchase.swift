public import Eligibility
public import StoreKitSimulator
public import Testing

extension Trait where Self == ExternalPurchaseTrait {
    /// Creates a trait from session settings.
    ///
    /// An omitted setting has the value of an outer trait, or the session's default.
    ///
    /// ```swift
    /// @Test(
    ///     .externalPurchase(
    ///         storefront: "JPN",
    ///         os: "iOS 26.4",
    ///         configuration: .files(infoPlist: "../App/Info.plist", entitlements: "../App/App.entitlements")
    ///     )
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - storefront: the alpha-3 code. Any other text counts as unknown and records `storefront-not-alpha-3` (SK-11).
    ///   - os: the system, `iOS 26.4`.
    ///   - mode: how the app runs.
    ///   - configuration: Info.plist and entitlements.
    ///   - sheets: the steps of the sheets; the last step repeats. With an empty list no sheet is expected: one that is
    ///     shown fails and is an issue, `sheet-not-expected`. Without a list sheets cannot be shown.
    ///   - seed: replaces time and randomness, so that every run gets the same tokens.
    ///   - diagnostics: the diagnostics that fail the test; the default is errors.
    ///   - configure: sets further inputs, after the others.
    public static func externalPurchase(
        storefront: String? = nil,
        os: String? = nil,
        mode: AppMode? = nil,
        configuration: AppFiles? = nil,
        sheets: [ScriptedPresenter.Step]? = nil,
        seed: UInt64? = nil,
        diagnostics: DiagnosticReporting? = nil,
        configure: (@Sendable (inout StoreKitSession.SessionInputs) throws -> Void)? = nil
    ) -> Self {
        ExternalPurchaseTrait(
            settings: SessionSettings(
                storefront: storefront,
                os: os,
                mode: mode,
                app: configuration,
                sheets: sheets,
                seed: seed,
                diagnostics: diagnostics,
                configure: configure
            )
        )
    }

    /// Creates a trait from a session file.
    ///
    /// - Parameters:
    ///   - path: the session file, relative to the folder of the test's source file.
    ///   - seed: replaces time and randomness, after the file.
    ///   - diagnostics: the diagnostics that fail the test; the default is errors.
    ///   - testFile: the test's source file.
    ///   - configure: sets further inputs, after the file.
    public static func externalPurchase(
        session path: String,
        seed: UInt64? = nil,
        diagnostics: DiagnosticReporting? = nil,
        testFile: String = #filePath,
        configure: (@Sendable (inout StoreKitSession.SessionInputs) throws -> Void)? = nil
    ) -> Self {
        ExternalPurchaseTrait(
            settings: SessionSettings(
                sessionFile: SourceFolder.resolve(path, beside: testFile),
                seed: seed,
                diagnostics: diagnostics,
                configure: configure
            )
        )
    }
}
