/// The marks that some editors put at the start of a text (Unicode, section 23.8).
package enum ByteOrderMark {
    /// The mark of UTF-8.
    package static let utf8: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Returns true for a text in UTF-16, which no list is.
    package static func isUTF16(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    }
}
