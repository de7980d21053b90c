/// A user's login for a registry.
///
/// Printing or dumping it shows only the user name.
public struct RegistryLogin: Sendable, Hashable {
    /// The user name; empty for an identity token.
    public let user: String

    /// The password, or the identity token.
    let secret: String

    /// True if the secret is an identity token that the registry's token service exchanges for an access
    /// token (OAuth 2.0, RFC 6749, section 6).
    let isIdentityToken: Bool

    /// Creates a login with a password or a personal access token.
    public init(user: String, password: String) {
        (self.user, secret, isIdentityToken) = (user, password, false)
    }

    /// Creates a login with an identity token, as stored by `az acr login` and credential helpers.
    public init(identityToken: String) {
        (user, secret, isIdentityToken) = ("", identityToken, true)
    }
}

extension RegistryLogin: CustomStringConvertible, CustomReflectable {
    /// The user name.
    public var description: String { user }

    /// An empty mirror: a dump must not show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
