import CommandSupport
import ExternalPurchaseCore
import Foundation
import Reporting

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Sends alerts as mail by the machine's `sendmail`, a program that many mail systems have.
///
/// It is run directly, without a shell, with the recipients as arguments and the mail on its standard input. It gets none of the
/// server's open files and no secret of its environment, and is ended with everything it started when it takes too long.
struct Sendmail: AlertReceiver {
    let mail: ServeConfiguration.Mail
    /// The maximum time to wait for the program.
    var patience = Duration.seconds(30)

    /// Why the program cannot be run; nil where nothing is known against it.
    var problem: String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: mail.sendmail, isDirectory: &isFolder) else {
            return "is not there"
        }
        if isFolder.boolValue { return "is no file" }
        return FileManager.default.isExecutableFile(atPath: mail.sendmail) ? nil : "may not be run"
    }

    func deliver(_ body: [UInt8], messageId: String) async -> String? {
        guard let text = AlertText(body) else { return "the message cannot be read" }
        let mail = AlertMail(text: text, messageId: messageId, from: mail.from, to: mail.to)
        return await run(["-i", "-f", mail.from] + mail.to, mail.bytes)
    }

    /// Runs the program and waits for its end.
    ///
    /// - Returns: nil after exit code 0; otherwise the reason in plain words.
    private func run(_ arguments: [String], _ input: [UInt8]) async -> String? {
        // Files, because a pipe that the program does not read would block.
        guard let standardInput = tmpfile() else { return "a temporary file: \(Self.words(errno))" }
        defer { fclose(standardInput) }
        guard let standardError = tmpfile() else { return "a temporary file: \(Self.words(errno))" }
        defer { fclose(standardError) }
        guard fwrite(input, 1, input.count, standardInput) == input.count, fflush(standardInput) == 0,
            lseek(fileno(standardInput), 0, SEEK_SET) == 0
        else { return "a temporary file: \(Self.words(errno))" }
        var child: pid_t = 0
        let failure = Self.spawn(
            mail.sendmail,
            arguments,
            input: fileno(standardInput),
            error: fileno(standardError),
            as: &child
        )
        guard failure == 0 else { return "\(mail.sendmail): \(Self.words(failure))" }
        guard let status = await Self.end(of: child, within: patience) else {
            kill(-child, SIGKILL)
            var status: Int32 = 0
            waitpid(child, &status, 0)
            return "\(mail.sendmail) did not end within \(patience.components.seconds) s"
        }
        if status == 0 { return nil }
        let code = status & 0x7F == 0 ? "ended with \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
        return "\(mail.sendmail) \(code)\(Self.said(standardError))"
    }

    /// - Returns: the status of a process that ended; nil for one that did not end in time, or whose waiter was cancelled.
    private static func end(of child: pid_t, within patience: Duration) async -> Int32? {
        let begin = ContinuousClock.now
        while true {
            var status: Int32 = 0
            if waitpid(child, &status, WNOHANG) == child { return status }
            guard begin.duration(to: .now) < patience else { return nil }
            do {
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                return nil
            }
        }
    }

    /// Starts the program in a process group of its own.
    ///
    /// - Returns: 0, or the number of the error.
    private static func spawn(
        _ path: String,
        _ arguments: [String],
        input: Int32,
        error: Int32,
        as child: inout pid_t
    ) -> Int32 {
        #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, error, 2)
        var flags = Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        #if canImport(Darwin)
        flags |= Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
        // Not everything that is open is closed by itself; a number that is free by then is no error.
        for file in 3...(openFiles.max() ?? 3) + 256 { posix_spawn_file_actions_addclose(&actions, file) }
        #endif
        // A server ignores signals that its programs must not ignore.
        var (all, none) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&all)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM] { sigaddset(&all, signal) }
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, flags)
        let own = ProcessInfo.processInfo.environment
        let environment = ["HOME", "LANG", "LOGNAME", "PATH", "USER"].compactMap { name in
            own[name].map { "\(name)=\($0)" }
        }
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        return posix_spawn(&child, path, &actions, &attributes, words, variables)
    }

    /// The numbers of the files that the server has open.
    private static var openFiles: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
    }

    /// What the program said first, after a colon.
    private static func said(_ file: UnsafeMutablePointer<FILE>) -> String {
        var bytes = [UInt8](repeating: 0, count: 300)
        let count = pread(fileno(file), &bytes, bytes.count, 0)
        guard count > 0 else { return "" }
        let line =
            String(decoding: bytes.prefix(count), as: UTF8.self)
            .split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return line.isEmpty ? "" : ": \(line.shown())"
    }

    private static func words(_ error: Int32) -> String { String(cString: strerror(error)) }
}
