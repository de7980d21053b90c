/// The secret that every caller must send.
package struct Secret: Sendable {
    /// The minimum length of a secret if other machines can connect.
    package static let lengthForOthers = 16

    private let bytes: [UInt8]
    private let isNeeded: Bool

    /// - Parameter isNeeded: False to admit every caller, like aria2 without a secret.
    package init(_ text: String, isNeeded: Bool = true) {
        bytes = Array(text.utf8)
        self.isNeeded = isNeeded
    }

    /// The length of the secret in bytes.
    package var length: Int { bytes.count }

    /// Returns true if a text is the secret. The time depends only on the text, so that it does not reveal
    /// how much of a guess is right.
    package func matches(_ text: String?) -> Bool {
        guard isNeeded else { return true }
        guard let text, !bytes.isEmpty else { return false }
        let guess = Array(text.utf8)
        var difference = UInt8(guess.count == bytes.count ? 0 : 1)
        for (index, byte) in guess.enumerated() { difference |= byte ^ bytes[index % bytes.count] }
        return difference == 0
    }

    /// Returns 40 random hexadecimal digits.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<20).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
