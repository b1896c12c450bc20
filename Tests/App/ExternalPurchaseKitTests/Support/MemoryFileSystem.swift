import Foundation
import Synchronization

@testable import ExternalPurchaseKit

/// A file system in memory that knows what survives a killed process and what survives a power failure.
///
/// A file's content is durable after `synchronize`, a name after `synchronizeFolder`: what POSIX promises, and no more.
final class MemoryFileSystem: OutboxFileSystem {
    fileprivate struct State {
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var contents: [Int: [UInt8]] = [:]
        var durableContents: [Int: [UInt8]] = [:]
        var nextFile = 0
        var isFull = false
        var lockedPaths: Set<String> = []
        /// Fails this operation, counted from the moment it was set.
        var failing: (after: Int, code: Int32)?
        var operations = 0
    }

    private let state = Mutex(State())
    private let life: Mutex<ProcessLife>

    init(life: ProcessLife = ProcessLife()) {
        self.life = Mutex(life)
    }

    // MARK: What tests do

    /// Another process uses the same disk.
    func start(_ process: ProcessLife) { life.withLock { $0 = process } }

    /// Loses everything that is not durable.
    ///
    /// Of content that was never synchronized the first half reached the medium.
    func losePower() {
        state.withLock { state in
            state.names = state.durableNames
            for (file, content) in state.contents where state.durableContents[file] != content {
                state.contents[file] = state.durableContents[file] ?? Array(content.prefix(content.count / 2))
            }
        }
    }

    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// Paths that cannot be read, as before the first unlock.
    var lockedPaths: Set<String> {
        get { state.withLock { $0.lockedPaths } }
        set { state.withLock { $0.lockedPaths = newValue } }
    }

    func failOnce(afterOperations count: Int, code: Int32 = EIO) {
        state.withLock { state in
            state.failing = (count, code)
            state.operations = 0
        }
    }

    /// Every file with its content, by path.
    var files: [String: [UInt8]] {
        get { state.withLock { state in state.names.mapValues { state.contents[$0] ?? [] } } }
        set {
            state.withLock { state in
                state.names = [:]
                for (path, content) in newValue { state.put(content, at: path) }
                state.durableNames = state.names
                state.durableContents = state.contents
            }
        }
    }

    // MARK: Operations

    /// Runs one step of the process; a write of a killed process may have happened in part.
    private func perform<Result>(
        _ operation: StorageFailure.Operation,
        torn: ((inout State) -> Void)? = nil,
        _ body: (inout State) throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> Result {
        let process = life.withLock { $0 }
        let wasAlive = process.isAlive
        let isAlive = process.tick()
        return try state.withLock { (state) throws(StorageFailure) in
            if wasAlive, !isAlive { torn?(&state) }
            guard isAlive else { throw StorageFailure(operation, code: EINTR, reason: "killed") }
            state.operations += 1
            if let failing = state.failing, state.operations > failing.after {
                state.failing = nil
                throw StorageFailure(operation, code: failing.code, reason: "failed")
            }
            return try body(&state)
        }
    }

    func createFolder(_ path: String) throws(StorageFailure) {
        try perform(.createFolder) { _ in }
    }

    func names(in folder: String) throws(StorageFailure) -> [String] {
        try perform(.list) { state in
            state.names.keys.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }
        }
    }

    func read(_ path: String) throws(StorageFailure) -> [UInt8] {
        try perform(.read) { (state) throws(StorageFailure) in
            if state.lockedPaths.contains(path) { throw StorageFailure(.read, code: EPERM, reason: "locked") }
            guard let file = state.names[path] else { throw StorageFailure(.read, code: ENOENT, reason: "missing") }
            return state.contents[file] ?? []
        }
    }

    func write(_ bytes: [UInt8], to path: String) throws(StorageFailure) {
        try perform(.write, torn: { $0.put(Array(bytes.prefix(bytes.count / 2)), at: path) }) {
            (state) throws(StorageFailure) in
            if state.isFull {
                // A full disk still makes the name.
                state.put([], at: path)
                throw StorageFailure(.write, code: ENOSPC, reason: "no space")
            }
            state.put(bytes, at: path)
        }
    }

    func synchronize(_ path: String) throws(StorageFailure) {
        try perform(.synchronize) { state in
            if let file = state.names[path] { state.durableContents[file] = state.contents[file] }
        }
    }

    func synchronizeFolder(_ folder: String) throws(StorageFailure) {
        try perform(.synchronize) { state in
            func isInside(_ path: String) -> Bool {
                path.split(separator: "/").dropLast().joined(separator: "/") == folder
            }
            let others = state.durableNames.filter { !isInside($0.key) }
            state.durableNames = others.merging(state.names.filter { isInside($0.key) }) { $1 }
        }
    }

    func rename(_ path: String, to destination: String) throws(StorageFailure) {
        try perform(.rename) { (state) throws(StorageFailure) in
            guard let file = state.names.removeValue(forKey: path) else {
                throw StorageFailure(.rename, code: ENOENT, reason: "missing")
            }
            state.names[destination] = file
        }
    }

    func remove(_ path: String) throws(StorageFailure) {
        try perform(.remove) { (state) throws(StorageFailure) in
            guard state.names.removeValue(forKey: path) != nil else {
                throw StorageFailure(.remove, code: ENOENT, reason: "missing")
            }
        }
    }
}

extension MemoryFileSystem.State {
    fileprivate mutating func put(_ bytes: [UInt8], at path: String) {
        if let file = names[path] {
            contents[file] = bytes
        } else {
            names[path] = nextFile
            contents[nextFile] = bytes
            nextFile += 1
        }
    }
}
