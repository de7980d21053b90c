internal import SegmentedDL

/// The error response to an API call.
struct InterfaceError: Error, Equatable {
    var status: Int
    /// A code for programs.
    var code: String
    /// A sentence for people.
    var message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let error as InterfaceError: self = error
        case let error as RPCFailure: self.init(400, "badRequest", error.message)
        case let error as DownloadError:
            let status = error.code == .notFound ? 404 : error.code == .duplicate ? 409 : 400
            self.init(status, error.code.word, error.message)
        default: self.init(400, "badRequest", "\(error)")
        }
    }

    static func bad(_ message: String) -> InterfaceError { InterfaceError(400, "badRequest", message) }
}
