import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation

extension PurchaseFlow {
    /// A method that shows a sheet, with its argument.
    enum Call: Sendable {
        /// `ExternalPurchase.presentNoticeSheet()`.
        case presentNoticeSheet
        /// `ExternalPurchaseLink.open()`.
        case open
        /// `ExternalPurchaseLink.open(url:)`.
        case openURL(URL)
        /// `ExternalPurchaseCustomLink.showNotice(type:)`.
        case showNoticeOfType(ExternalPurchaseCustomLink.NoticeType)
        /// `ExternalPurchaseCustomLink.showNotice(for:)`.
        case showNotice(ExternalPurchaseCustomLink.ExternalPurchaseType)

        /// The method.
        var member: Member {
            switch self {
            case .presentNoticeSheet: .presentNoticeSheet
            case .open: .open
            case .openURL: .openURL
            case .showNoticeOfType: .showNoticeOfType
            case .showNotice: .showNotice
            }
        }

        /// The sheet that the method shows.
        var sheet: SheetRequest.Kind {
            switch self {
            case .presentNoticeSheet: .notice
            case .open, .openURL: .continuation
            case .showNoticeOfType, .showNotice: .disclosure
            }
        }

        /// Where the customer buys.
        var flow: ProgrammeTerms.Flow {
            switch self {
            case .presentNoticeSheet, .showNotice(.withinApp): .withinApp
            case .showNoticeOfType(let type): type == .withinApp ? .withinApp : .outOfApp
            case .open, .openURL, .showNotice(.outOfApp): .outOfApp
            }
        }

        /// Checks the argument, C10.
        func argument(_ evaluation: Evaluation, _ engine: EligibilityEngine, _ policy: IneligibleURLPolicy) -> Argument
        {
            switch self {
            case .presentNoticeSheet, .showNoticeOfType, .showNotice(.withinApp):
                return .accepted(shown: nil, link: nil)
            case .open:
                guard let link = evaluation.links.first?.url else { return .urlNotEligible("", opened: nil) }
                return .accepted(shown: Self.url(link), link: link)
            case .openURL(let url):
                // URLs are compared by `absoluteString` (SK-55), and the text of the configuration is opened.
                let text = url.absoluteString
                let link = evaluation.links.first { Self.url($0.url)?.absoluteString == text }
                if let link { return .accepted(shown: url, link: link.url) }
                return .urlNotEligible(text, opened: policy == .open ? text : nil)
            case .showNotice(.outOfApp(let destination)):
                if destination == nil, !engine.isInEuropeanUnion { return .destinationMissing }
                return .accepted(shown: destination, link: nil)
            }
        }

        private static func url(_ text: String) -> URL? { URL(exactly: text) }
    }

    /// The result of the argument check.
    enum Argument {
        /// The URL that the sheet shows, and the link exactly as configured.
        case accepted(shown: URL?, link: String?)
        /// The URL is not among `eligibleURLs`.
        ///
        /// With the setting of D5 it is opened nevertheless.
        case urlNotEligible(String, opened: String?)
        /// A destination is required outside the EU (SK-64).
        case destinationMissing
    }
}

extension EligibilityEngine {
    /// True in the storefronts of the 27 EU countries (SK-64, SK-67).
    var isInEuropeanUnion: Bool { region.map(EuropeanUnion.regions.contains) ?? false }

    /// True where custom links have the periods of `ACQUISITION` and `SERVICES`.
    var hasTokenPeriods: Bool { customLinkTokenTypes.contains(.services) }

    /// True where custom links have one token per transaction: Japan and Brazil.
    var hasTransactionTokens: Bool { customLinkTokenTypes.contains(.inApp) }
}
