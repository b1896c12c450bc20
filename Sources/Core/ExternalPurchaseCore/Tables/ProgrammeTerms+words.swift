// One wording for explain, the matrix and the device page (SK-89).

extension ProgrammeTerms {
    /// What is known of minors: the rule, or that nothing was found, with the source and its day.
    ///
    /// - Parameters:
    ///   - storefront: the alpha-3 code, for the country's age of consent; nil for all countries of the programme.
    ///   - age: the customer's age; nil for the rules of every age.
    package func minorsInWords(storefront: String? = nil, age: AgeBand? = nil) -> String {
        let customer = age.map { ", for a customer of \($0.words)" } ?? ""
        guard !minors.isEmpty else { return "nothing found\(customer) (\(minorsSource.dayAndPage))" }
        let rules: String
        if let age, let storefront {
            let flows = Flow.allCases.map { "\($0.words) \(treatment(of: $0, age: age, storefront: storefront).words)" }
            rules = "a customer of \(age.words): \(flows.joined(separator: ", "))"
        } else {
            rules = minors.map { $0.words(storefront, isFirst: $0 == minors.first) }.joined(separator: "; ")
        }
        return "\(rules) (\(minorsSource.words))"
    }
}

extension ProgrammeTerms.AgeRule {
    fileprivate func words(_ storefront: String?, isFirst: Bool) -> String {
        let years = storefront.map { self.age(in: $0) }
        let consent =
            switch (isRaisedToAgeOfConsent, years) {
            case (false, _): ""
            case (true, let years?): years > below ? ", the country's age of consent," : ""
            case (true, nil): ", or the country's age of consent where it is higher,"
            }
        let flows = "in the app \(withinApp.words), outside \(outOfApp.words)"
        return "below \(years ?? below)\(consent)\(isFirst ? " and in the Kids category" : ""): \(flows)"
    }
}

extension ProgrammeTerms.Flow {
    fileprivate var words: String {
        switch self {
        case .withinApp: "in the app"
        case .outOfApp: "outside"
        }
    }
}

extension ProgrammeTerms.Treatment {
    fileprivate var words: String {
        switch self {
        case .offered: "offered"
        case .parentalGate: "behind a parental gate"
        case .notOffered: "not offered"
        }
    }
}

extension ProgrammeTerms.Source {
    /// The day and the page of a search that found nothing.
    package var dayAndPage: String { [confidence.asOf, page].compactMap(\.self).joined(separator: ", ") }

    /// The kind and the day of the source, its page, and what is missing.
    package var words: String {
        let kind =
            switch confidence.level {
            case .apple: "Apple's text"
            case .secondHand: "second-hand"
            case .assumed: "assumed"
            case .overlay: "overlay"
            }
        let dated = confidence.asOf.map { "\(kind) \($0)" } ?? kind
        return ([dated] + [page, confidence.note].compactMap(\.self)).joined(separator: "; ")
    }
}

extension AgeBand {
    fileprivate var words: String {
        highest.map { $0 == lowest ? "\(lowest)" : "\(lowest) to \($0)" } ?? "\(lowest) or more"
    }
}
