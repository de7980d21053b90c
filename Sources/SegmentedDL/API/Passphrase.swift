/// A secret text. Printing or dumping it shows only asterisks.
public struct Passphrase: Sendable, Hashable {
    let text: String

    /// Creates a passphrase, which may be empty.
    public init(_ text: String) {
        self.text = text
    }
}

extension Passphrase: CustomStringConvertible, CustomReflectable {
    /// Asterisks, the same number for any passphrase.
    public var description: String { "***" }

    /// An empty mirror: a dump of settings must not show it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
