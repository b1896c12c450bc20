import Eligibility
import ExternalPurchaseCore

/// A StoreKit method with the data that the usage rules need.
struct Member: Hashable, Sendable {
    /// The name, `ExternalPurchaseLink.open()`.
    let name: String
    /// The property that an app should read before it calls the method.
    let property: EligibilityQuestion
    /// The question that determines whether the call succeeds.
    let question: EligibilityQuestion
    /// The name in the table of members, which distinguishes overloads.
    let tableName: String
    /// The replacement from OS 27.2; nil if the method is not deprecated.
    var replacement: String?

    static let presentNoticeSheet = Member("ExternalPurchase.presentNoticeSheet()", of: .canPresent)
    static let open = Member("ExternalPurchaseLink.open()", of: .canOpen)
    static let openURL = Member("ExternalPurchaseLink.open(url:)", of: .eligibleURLs)
    static let showNoticeOfType = Member(
        "ExternalPurchaseCustomLink.showNotice(type:)",
        of: .isEligible,
        replacement: "showNotice(for:)"
    )
    static let showNotice = Member("ExternalPurchaseCustomLink.showNotice(for:)", of: .isEligible)
    static let tokenOfString = Member(
        "ExternalPurchaseCustomLink.token(for:)",
        of: .isEligible,
        asking: .token,
        overload: "-String",
        replacement: "the overload of token(for:) that takes a TokenType"
    )
    static let tokenOfType = Member(
        "ExternalPurchaseCustomLink.token(for:)",
        of: .isEligible,
        asking: .token,
        overload: "-TokenType"
    )

    private init(
        _ name: String,
        of property: EligibilityQuestion,
        asking question: EligibilityQuestion? = nil,
        overload: String = "",
        replacement: String? = nil
    ) {
        self.name = name
        self.property = property
        self.question = question ?? property
        tableName = name + overload
        self.replacement = replacement
    }

    /// Returns the first system version with the method; nil if the platform lacks it.
    func firstVersion(on platform: Platform) -> OSVersion? {
        RegionTables.builtIn.members[tableName]?.availability[platform]
    }

    /// Evaluates the eligibility for the method.
    ///
    /// For the methods of the older families the availability of their properties counts: `presentNoticeSheet()`
    /// existed before `canPresent`, but its result of that time no longer exists (SK-42).
    func evaluate(_ engine: EligibilityEngine) -> Evaluation {
        engine.evaluate(question, asking: question.group == .customLink ? tableName : nil)
    }
}
