/// A user and a password in separate options, as in wget and aria2.
struct PeerLogin {
    static let users: Set<String> = ["--user", "-u", "--http-user"]
    static let passwords: Set<String> = ["--password", "--http-password", "--http-passwd"]

    /// The message for curl's proxy login.
    static let asAgent =
        "-U is --user-agent here, as in wget, and its value looks like a user name and password. Put those in the URL of --proxy, or use --user-agent for the agent."

    /// True for text like `user:password`, which follows `-U` in curl. User agents of tools contain a version
    /// or a space before any colon.
    static func isLogin(_ text: String) -> Bool {
        let user = text.prefix { $0 != ":" }
        return !user.isEmpty && user.count < text.count && !user.contains { $0 == "/" || $0 == " " }
    }

    /// The index of the user among the arguments.
    var place: Int?
    var password: String?

    /// Adds the password to the user's argument.
    ///
    /// - Returns: A sentence if that is not possible. It contains no secret.
    func complete(_ arguments: inout [String]) -> String? {
        guard let password else { return nil }
        guard let place else {
            return
                "A password needs a user name: use --user NAME --password PASSWORD, or --user NAME:PASSWORD."
        }
        guard !arguments[place].contains(":") else {
            return "--user already includes a password; give only one of the two."
        }
        arguments[place] += ":\(password)"
        return nil
    }
}
