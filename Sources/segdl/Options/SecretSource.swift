import SegmentedDL
import SegmentedDLServer
import SystemPackage

/// The source of the daemon's secret.
enum SecretSource: Sendable, Equatable {
    /// The secret, given by the user.
    case given(String)
    /// A file given by the user.
    case file(FilePath)
    /// A file with a random secret that the daemon creates.
    case kept(FilePath)
    /// None: every caller on this machine is admitted.
    case none

    /// Chooses the source: the option, the file, the environment, or a file next to the queue.
    init(option: String?, file: String?, environment: String?, queue: FilePath) {
        if let option {
            self = .given(option)
        } else if let file {
            self = .file(FilePath(file))
        } else if let environment, !environment.isEmpty {
            self = .given(environment)
        } else {
            self = .kept(FilePath(queue.string + ".secret"))
        }
    }

    /// The file with the secret.
    var path: FilePath? {
        switch self {
        case .file(let path), .kept(let path): path
        case .given, .none: nil
        }
    }

    /// A description of the location of the secret; `nil` if none is required.
    var place: String? {
        switch self {
        case .given: "it is the value of --rpc-secret or $SEGDL_RPC_SECRET"
        case .file(let path), .kept(let path): "it is the first line of \(path)"
        case .none: nil
        }
    }

    /// Reads the secret, creating it if the daemon manages it and there is none.
    ///
    /// - Returns: The secret, and true if it was just created.
    /// - Throws: `DownloadError`: `badPath` if the file cannot be read or written, `invalidSetting` for an
    ///   empty secret.
    func read() throws(DownloadError) -> (text: String, isNew: Bool) {
        switch self {
        case .given(let text):
            return (
                try Self.checked(text, "The secret is empty; choose one, or remove the option."), false
            )
        case .none: return ("", false)
        case .file(let path): return (try Self.content(of: path), false)
        case .kept(let path):
            do {
                let text = Secret.random()
                let file = try FileDescriptor.open(
                    path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: [.ownerReadWrite])
                try file.closeAfter { _ = try file.writeAll((text + "\n").utf8) }
                return (text, true)
            } catch Errno.fileExists {
                return (try Self.content(of: path), false)
            } catch {
                throw DownloadError(
                    .badPath,
                    "Cannot write the secret to '\(path)': \(error); specify a file (--rpc-secret-file).")
            }
        }
    }

    /// Returns the secret for a text from this source.
    func secret(_ text: String) -> Secret { Secret(text, isNeeded: self != .none) }

    private static func content(of path: FilePath) throws(DownloadError) -> String {
        let text: String
        do {
            text = try TextFile.read(path.string)
        } catch {
            throw DownloadError(.badPath, "Cannot read the secret from '\(path)': \(error).")
        }
        let line = text.prefix { !$0.isNewline }
        return try checked(
            String(line), "The file '\(path)' begins with an empty line; its first line is the secret.")
    }

    private static func checked(_ text: String, _ sentence: String) throws(DownloadError) -> String {
        guard !text.isEmpty else { throw DownloadError(.invalidSetting, sentence) }
        return text
    }
}
