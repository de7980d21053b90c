import ArgumentParser
import SegmentedDL

/// The headers and credentials of requests.
struct AccessOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "A header to send to each URL's host; 'Name;' sends an empty one, 'User-Agent:' sends none. May be repeated.",
            valueName: "'name: value'"))
    var header: [String] = []

    @Option(
        name: [.customShort("u"), .long],
        help: ArgumentHelp(
            "The login for HTTP authentication (default: basic). A missing password is prompted for on a terminal.",
            valueName: "user:password"))
    var user: String?

    mutating func validate() throws {
        for (index, text) in header.enumerated() where HeaderLine(text) == nil {
            throw ValidationError("--header number \(index + 1) is not a header; use 'Name: value'.")
        }
        if user?.isEmpty ?? false { throw ValidationError("--user needs user:password.") }
        if let user, !user.contains(":") { self.user = try Self.withPassword(user) }
    }

    private static func withPassword(_ user: String) throws -> String {
        switch PasswordPrompt.ask(for: user) {
        case .password(let password): return "\(user):\(password)"
        case .interrupted: throw ExitCode(128 + SIGINT)
        case .nothing: throw ValidationError("No password was entered; --user needs user:password.")
        case nil:
            throw ValidationError(
                "--user needs user:password, because there is no terminal to ask for the password.")
        }
    }

    // Not in a transform, whose error would show the value, which may contain a secret.

    private var lines: [HeaderLine] { header.compactMap { HeaderLine($0) } }

    var headers: [HTTPHeader] {
        Self.withoutRepetitions(lines.compactMap(\.sent).filter { !$0.isOfConnection })
    }

    /// Returns headers with one Cookie field (RFC 6265, section 5.4) and one Authorization field: an option
    /// of the settings file and one of the command line may both become such a field.
    private static func withoutRepetitions(_ headers: [HTTPHeader]) -> [HTTPHeader] {
        var result: [HTTPHeader] = []
        for header in headers {
            let name = header.name.lowercased()
            let earlier = result.firstIndex { $0.name.lowercased() == name }
            switch (name, earlier) {
            case ("cookie", let earlier?): result[earlier].value += "; \(header.value)"
            case ("authorization", let earlier?): result[earlier] = header
            default: result.append(header)
            }
        }
        return result
    }

    /// The names of the headers that are omitted, because each request sets them itself.
    var omittedHeaders: [String] { lines.compactMap(\.sent).filter(\.isOfConnection).map(\.name) }

    /// Returns true if the user suppresses fields of this name.
    func leavesOut(_ name: String) -> Bool { lines.contains { $0.isLeftOut(name) } }

    var credentials: Credentials? {
        guard let parts = user?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) else {
            return nil
        }
        return Credentials(user: String(parts[0]), password: parts.count > 1 ? String(parts[1]) : "")
    }
}

/// Trust settings for servers.
struct TrustOptions: ParsableArguments {
    @Flag(help: "Do not verify the server's certificate. Any machine on the path can then modify the file.")
    var insecure = false
}
