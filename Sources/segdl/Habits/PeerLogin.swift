/// A user and a password in options of their own, as wget and aria2 have them.
struct PeerLogin {
    static let users: Set<String> = ["--user", "-u", "--http-user"]
    static let passwords: Set<String> = ["--password", "--http-password", "--http-passwd"]

    /// The place of the user among the arguments.
    var place: Int?
    var password: String?

    /// Adds the password to the user's argument.
    ///
    /// - Returns: A sentence if that is not possible. It shows no secret.
    func complete(_ arguments: inout [String]) -> String? {
        guard let password else { return nil }
        guard let place else {
            return "A password wants a user: write --user NAME --password PASSWORD, or --user NAME:PASSWORD."
        }
        guard !arguments[place].contains(":") else {
            return "--user has a password already; give one of the two."
        }
        arguments[place] += ":\(password)"
        return nil
    }
}
