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

    /// Returns stored options with the password added to the user's value.
    ///
    /// - Throws: `UsageFault`, which contains no secret.
    static func joining(_ options: [StoredOption]) throws(UsageFault) -> [StoredOption] {
        guard let given = options.last(where: { passwords.contains($0.name) }), let password = given.value,
            let user = options.lastIndex(where: { users.contains($0.name) && $0.value != nil }),
            let name = options[user].value
        else { return options }
        guard !name.contains(":") else {
            throw UsageFault(reason: "\(given.place): \(twice) Correct it, or run with --no-conf.")
        }
        var joined = options
        joined[user].value = "\(name):\(password)"
        joined.removeAll { passwords.contains($0.name) }
        return joined
    }

    private static let twice = "--user already includes a password; give only one of the two."

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
            return Self.twice
        }
        arguments[place] += ":\(password)"
        return nil
    }
}
