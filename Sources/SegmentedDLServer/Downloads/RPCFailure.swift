internal import SegmentedDL

/// An error in aria2's terms.
struct RPCFailure: Error, Equatable {
    /// 1 for all failures of methods, or a code of JSON-RPC 2.0, section 5.1.
    var code: Int64 = 1
    var message: String

    init(_ message: String) {
        self.message = message
    }

    private init(code: Int64, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: any Error) {
        self = error as? RPCFailure ?? RPCFailure((error as? DownloadError)?.message ?? "\(error)")
    }

    /// Clients compare the text, so do not change it.
    static let unauthorized = RPCFailure("Unauthorized")
    static let invalidRequest = RPCFailure(code: -32_600, "Invalid Request.")
    static let invalidParameters = RPCFailure(code: -32_602, "Invalid params.")
    static let parseError = RPCFailure(code: -32_700, "Parse error.")

    static func notFound(_ gid: String) -> RPCFailure { RPCFailure("GID \(gid) is not found") }

    /// The HTTP status of a single failed call: not 200, which front-ends treat as success.
    var status: Int { code == 1 || code == -32_600 ? 400 : 500 }

    var value: JSONValue { ["code": .integer(code), "message": .string(message)] }
}
