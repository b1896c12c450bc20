// A correct program that ThreadSanitizer of Swift 6.3 on Linux ends with SEGV: the caller gives a variable of an empty type,
// such as SystemRandomNumberGenerator, no address, and the sanitizer reads that of the parameter, which is whatever the
// register had.
struct Password {
    let salt: [UInt8]
    let text: String

    init(of text: String, using generator: inout some RandomNumberGenerator) {
        salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.text = text
    }
}

func wait(_ text: String) async throws {
    try await Task.sleep(for: .milliseconds(1))
    if text.isEmpty { print(text) }
}

func make(_ text: String) async throws -> Int {
    try await wait(text)
    var generator = SystemRandomNumberGenerator()
    let text = Password(of: "correct horse", using: &generator).text
    try await wait(text)
    return text.count
}

for _ in 0..<100 { _ = try await make("correct horse battery staple") }
