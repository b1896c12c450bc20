public import Eligibility
public import StoreKitSimulator
public import Testing

extension Trait where Self == ExternalPurchaseTrait {
    /// A session of parameters; what is left out has the session's default, or the value of an outer trait.
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
    ///   - storefront: the alpha-3 code; any other text counts as unknown and records `storefront-not-alpha-3` (SK-11).
    ///   - os: the system, `iOS 26.4`.
    ///   - mode: how the app runs.
    ///   - configuration: Info.plist and entitlements.
    ///   - sheets: what happens at each sheet, the last step repeats; without any list sheets cannot be shown.
    ///   - seed: replaces time and randomness, so that every run yields the same tokens.
    ///   - diagnostics: which of the session's diagnostics fail the test; errors unless set.
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

    /// A session that a file describes.
    ///
    /// - Parameters:
    ///   - path: the session file, relative to the folder of the test's source file.
    ///   - seed: replaces time and randomness, after the file.
    ///   - diagnostics: which of the session's diagnostics fail the test; errors unless set.
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
