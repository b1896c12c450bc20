import CommandSupport
import ExternalPurchaseCore

/// Asks the user for values that are missing in the options.
struct InitQuestions {
    /// Prints a question and returns the answer; nil at the end of the input.
    let ask: (String) -> String?
    var pack: RulePack = .newest

    func family() throws(CommandFailure) -> APIFamily {
        let all = APIFamily.allCases
        let menu = all.enumerated().map { "  \($0.offset + 1)  \($0.element.rawValue): \($0.element.words)" }
        var question = (["What does the app offer?"] + menu + ["Number or name: "]).joined(separator: "\n")
        while true {
            let answer = try self.answer(question, flag: "--api")
            if let number = Int(answer), all.indices.contains(number - 1) { return all[number - 1] }
            if let family = APIFamily(argument: answer) { return family }
            question = "\(answer.shown()) is none of them. Number or name: "
        }
    }

    func countries(_ family: APIFamily) throws(CommandFailure) -> [String] {
        let possible = family.countries(in: pack)
        var question = "In which countries? Possible: \(possible.joined(separator: " "))\nCodes: "
        while true {
            let answer = try self.answer(question, flag: "--country")
            let codes = Self.words(answer)
            guard let unknown = codes.first(where: { !possible.contains(InitRequest.region($0)) }) else {
                if let refusal = InitRequest.refusal(of: codes) {
                    question = "\(refusal)\nCodes: "
                    continue
                }
                if !codes.isEmpty { return codes }
                question = "At least one. Codes: "
                continue
            }
            question = "\(unknown.shown()) is not possible there. Codes: "
        }
    }

    func links(_ family: APIFamily, _ countries: [String]) throws(CommandFailure) -> [String] {
        var links: [String] = []
        for country in Set(countries.map(InitRequest.region)).sorted() {
            let question = "\(family == .link ? "Link" : "Links") for \(country): "
            var urls: [String] = []
            while urls.isEmpty { urls = Self.words(try answer(question, flag: "--link")) }
            links += urls.map { "\(country)=\($0)" }
        }
        return links
    }

    private func answer(_ question: String, flag: String) throws(CommandFailure) -> String {
        guard let answer = ask(question) else { throw Self.missing(flag) }
        return Self.words(answer).joined(separator: " ")
    }

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "," || $0 == "\t" }.map(String.init)
    }

    static func missing(_ flag: String) -> CommandFailure {
        switch flag {
        case "--api":
            .input("--api is missing; choose one of \(APIFamily.allCases.map(\.rawValue).joined(separator: ", "))")
        case "--country": .input("--country is missing; one looks like nl and may be repeated")
        default:
            .input("\(flag) is missing; one looks like https://shop.acme.example or nl=https://shop.acme.example/nl")
        }
    }
}
