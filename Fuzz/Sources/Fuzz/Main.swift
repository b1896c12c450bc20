import AppArtifacts
import AppConfiguration
import LibFuzzer

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Hands the inputs of libFuzzer to the reader that the environment variable READER names.
///
/// An argument would not do: libFuzzer starts the program again with its own arguments when it merges a corpus.
@main
enum Main {
    static func main() {
        let callback: (@convention(c) (UnsafePointer<UInt8>?, Int) -> Int32)?
        switch getenv("READER").map({ String(cString: $0) }) {
        case "plist": callback = { read($0, $1, propertyList) }
        case "zip": callback = { read($0, $1, archive) }
        case "cms": callback = { read($0, $1, profile) }
        case "macho": callback = { read($0, $1, executable) }
        default:
            print("READER must be plist, zip, cms or macho")
            exit(2)
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, callback))
    }
}

private func read(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int,
    _ reader: ([UInt8]) throws(ConfigurationReadError) -> Void
) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(ConfigurationReadError) {
        try reader(bytes)
    } catch {
        // A refusal must name its cause; an empty one would be a finding.
        precondition(!error.reason.isEmpty)
    }
    return 0
}

private func propertyList(_ bytes: [UInt8]) throws(ConfigurationReadError) {
    let file = try PropertyListFile.parse(bytes, path: "Info.plist")
    // Reading again must give the same.
    let again = try PropertyListFile.parse(bytes, path: "Info.plist")
    precondition(file.format == again.format)
}

private func archive(_ bytes: [UInt8]) throws(ConfigurationReadError) {
    let archive = try ZipArchive.open(MemoryBytes(bytes, path: "App.ipa"))
    for entry in archive.entries.prefix(16) {
        let whole: [UInt8]?
        do throws(ConfigurationReadError) {
            whole = try archive.read(entry, limit: 1 << 20)
        } catch {
            whole = nil
        }
        do throws(ConfigurationReadError) {
            let stream = try archive.stream(entry, limit: 1 << 20)
            var pieces: [UInt8] = []
            while pieces.count < stream.count {
                pieces += try stream.bytes(at: pieces.count, count: min(1000, stream.count - pieces.count))
            }
            if let whole { precondition(pieces == whole) }
            _ = try stream.bytes(at: 0, count: min(4, stream.count))
        } catch {
            // An empty entry has nothing to stream; every other fault of a stream is one of the whole.
            precondition(whole == nil)
        }
    }
}

private func profile(_ bytes: [UInt8]) throws(ConfigurationReadError) {
    _ = try ProvisioningProfile.read(bytes, path: "embedded.mobileprovision")
}

private func executable(_ bytes: [UInt8]) throws(ConfigurationReadError) {
    let file = try MachOFile.read(MemoryBytes(bytes, path: "App"))
    precondition(!file.architectures.isEmpty)
}
