// region emulator
// Tests/BookShopTests/EmulatorTokens.swift
import Foundation

#if canImport(Darwin)
import StoreKitSimulator
#else
import FoundationNetworking
import StoreKit
#endif

/// Makes tokens that the emulator at an address knows: `inputs.tokenIssuer = emulatorTokens(at: emulator)`.
func emulatorTokens(at emulator: URL) -> RegisteringTokenIssuer {
    RegisteringTokenIssuer { issued in
        var request = URLRequest(url: emulator.appending(path: "emulator/v1/tokens"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(["token": issued.text])
        let (_, response) = try await URLSession.shared.data(for: request)
        guard let answer = response as? HTTPURLResponse, answer.statusCode < 300 else {
            throw URLError(.badServerResponse)
        }
    }
}
// endregion
