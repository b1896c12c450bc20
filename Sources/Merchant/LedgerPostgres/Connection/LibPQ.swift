import Ledger

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The functions of libpq, which is opened when a process opens its first ledger in PostgreSQL.
///
/// One build therefore serves both engines, and a machine without PostgreSQL needs no libpq. Names and signatures are
/// those of `libpq-fe.h`: https://www.postgresql.org/docs/15/libpq.html
struct LibPQ: Sendable {
    /// A connection, `PGconn *`.
    typealias Connection = OpaquePointer
    /// A result, `PGresult *`.
    typealias Result = OpaquePointer
    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
    typealias Numbers = UnsafePointer<Int32>
    typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, Result?) -> Void

    /// Values of `ConnStatusType`, `ExecStatusType` and `PGTransactionStatusType`.
    enum Status {
        static let connectionOK: UInt32 = 0
        static let commandOK: UInt32 = 1
        static let tuplesOK: UInt32 = 2
        static let transactionIdle: UInt32 = 0
    }

    /// The library of this process; ``LedgerError/inaccessible(_:)`` says where it cannot be had.
    static let opened: Swift.Result<LibPQ, LedgerError> = .init { () throws(LedgerError) in try LibPQ(names) }

    let connectdbParams: @convention(c) (Texts?, Texts?, Int32) -> Connection?
    let conninfoParse: @convention(c) (UnsafePointer<CChar>?, OpaquePointer?) -> OpaquePointer?
    let conninfoFree: @convention(c) (OpaquePointer?) -> Void
    let finish: @convention(c) (Connection?) -> Void
    let status: @convention(c) (Connection?) -> UInt32
    let errorMessage: @convention(c) (Connection?) -> UnsafePointer<CChar>?
    let serverVersion: @convention(c) (Connection?) -> Int32
    let socket: @convention(c) (Connection?) -> Int32
    let transactionStatus: @convention(c) (Connection?) -> UInt32
    let setNoticeReceiver: @convention(c) (Connection?, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?
    let exec: @convention(c) (Connection?, UnsafePointer<CChar>?) -> Result?
    let execParams:
        @convention(c) (
            Connection?, UnsafePointer<CChar>?, Int32, UnsafePointer<UInt32>?, Texts?, Numbers?, Numbers?, Int32
        ) -> Result?
    let sendPrepare:
        @convention(c) (Connection?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32, UnsafePointer<UInt32>?)
            -> Int32
    let execPrepared:
        @convention(c) (Connection?, UnsafePointer<CChar>?, Int32, Texts?, Numbers?, Numbers?, Int32) -> Result?
    let sendQueryParams:
        @convention(c) (
            Connection?, UnsafePointer<CChar>?, Int32, UnsafePointer<UInt32>?, Texts?, Numbers?, Numbers?, Int32
        ) -> Int32
    let sendQueryPrepared:
        @convention(c) (Connection?, UnsafePointer<CChar>?, Int32, Texts?, Numbers?, Numbers?, Int32) -> Int32
    let getResult: @convention(c) (Connection?) -> Result?
    let enterPipelineMode: @convention(c) (Connection?) -> Int32
    let exitPipelineMode: @convention(c) (Connection?) -> Int32
    let pipelineSync: @convention(c) (Connection?) -> Int32
    let clear: @convention(c) (Result?) -> Void
    let resultStatus: @convention(c) (Result?) -> UInt32
    let resultErrorField: @convention(c) (Result?, Int32) -> UnsafePointer<CChar>?
    let ntuples: @convention(c) (Result?) -> Int32
    let nfields: @convention(c) (Result?) -> Int32
    let fname: @convention(c) (Result?, Int32) -> UnsafePointer<CChar>?
    let ftype: @convention(c) (Result?, Int32) -> UInt32
    let getvalue: @convention(c) (Result?, Int32, Int32) -> UnsafePointer<CChar>?
    let getlength: @convention(c) (Result?, Int32, Int32) -> Int32
    let getisnull: @convention(c) (Result?, Int32, Int32) -> Int32
    let cmdTuples: @convention(c) (Result?) -> UnsafePointer<CChar>?
    let cmdStatus: @convention(c) (Result?) -> UnsafePointer<CChar>?

    /// Opens the first library that is there of some names; it is never closed.
    init(_ names: [String]) throws(LedgerError) {
        let library = try Library(names)
        connectdbParams = try library.function("PQconnectdbParams")
        conninfoParse = try library.function("PQconninfoParse")
        conninfoFree = try library.function("PQconninfoFree")
        finish = try library.function("PQfinish")
        status = try library.function("PQstatus")
        errorMessage = try library.function("PQerrorMessage")
        serverVersion = try library.function("PQserverVersion")
        socket = try library.function("PQsocket")
        transactionStatus = try library.function("PQtransactionStatus")
        setNoticeReceiver = try library.function("PQsetNoticeReceiver")
        exec = try library.function("PQexec")
        execParams = try library.function("PQexecParams")
        sendPrepare = try library.function("PQsendPrepare")
        execPrepared = try library.function("PQexecPrepared")
        sendQueryParams = try library.function("PQsendQueryParams")
        sendQueryPrepared = try library.function("PQsendQueryPrepared")
        getResult = try library.function("PQgetResult")
        enterPipelineMode = try library.function("PQenterPipelineMode")
        exitPipelineMode = try library.function("PQexitPipelineMode")
        pipelineSync = try library.function("PQpipelineSync")
        clear = try library.function("PQclear")
        resultStatus = try library.function("PQresultStatus")
        resultErrorField = try library.function("PQresultErrorField")
        ntuples = try library.function("PQntuples")
        nfields = try library.function("PQnfields")
        fname = try library.function("PQfname")
        ftype = try library.function("PQftype")
        getvalue = try library.function("PQgetvalue")
        getlength = try library.function("PQgetlength")
        getisnull = try library.function("PQgetisnull")
        cmdTuples = try library.function("PQcmdTuples")
        cmdStatus = try library.function("PQcmdStatus")
    }

    /// The library's file on Linux, and on macOS with Homebrew's folders, which the loader does not search.
    private static let names = [
        "libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
    ]
}

/// A library that the process has opened.
private struct Library {
    private let handle: UnsafeMutableRawPointer

    init(_ names: [String]) throws(LedgerError) {
        for name in names {
            if let handle = dlopen(name, RTLD_NOW) {
                self.handle = handle
                return
            }
        }
        throw .inaccessible("PostgreSQL's client library \(names[0]) is not there: install Debian's libpq5")
    }

    /// Finds a function; the caller names its type, which the library cannot check.
    func function<Function>(_ name: String) throws(LedgerError) -> Function {
        guard let symbol = dlsym(handle, name) else {
            throw .inaccessible("PostgreSQL's client library has no \(name): it is older than version 14")
        }
        return unsafeBitCast(symbol, to: Function.self)
    }
}
