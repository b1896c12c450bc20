import Foundation

// A correct program that AddressSanitizer of Swift 6.3 on Linux ends with a report: with more open files than one buffer of
// readdir holds, Foundation's Process reads behind the buffer while it looks for the largest number of a file.
var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
for _ in 0..<3_000 { dup(0) }
let process = Process()
process.executableURL = URL(filePath: "/bin/true")
try process.run()
process.waitUntilExit()
print(process.terminationStatus)
