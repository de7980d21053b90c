/// A user and a password in separate options, as in wget and aria2.
struct PeerLogin {
    static let users: Set<String> = ["--user", "-u", "--http-user"]
    static let passwords: Set<String> = ["--password", "--http-password", "--http-passwd"]

    /// The answer to curl's login for a proxy.
    static let asAgent =
        "-U is --user-agent here, as with wget, and its value looks like a user and a password. Write those into the URL of --proxy, or the agent behind --user-agent."

    /// True for a text like `user:password`: in curl it follows `-U`. Tools' user agents have a version or a
    /// blank before any colon.
    static func isLogin(_ text: String) -> Bool {
        let user = text.prefix { $0 != ":" }
        return !user.isEmpty && user.count < text.count && !user.contains { $0 == "/" || $0 == " " }
    }

    /// The index of the user among the arguments.
    var place: Int?
    var password: String?

    /// Adds the password to the user's argument.
    ///
    /// - Returns: A sentence if that is not possible. It reveals no secret.
    func complete(_ arguments: inout [String]) -> String? {
        guard let password else { return nil }
        guard let place else {
            return
                "A password needs a user name: write --user NAME --password PASSWORD, or --user NAME:PASSWORD."
        }
        guard !arguments[place].contains(":") else {
            return "--user has a password already; give one of the two."
        }
        arguments[place] += ":\(password)"
        return nil
    }
}
