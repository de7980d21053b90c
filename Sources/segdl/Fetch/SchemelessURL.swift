import SegmentedDL
import SystemPackage

/// Creates URLs from command-line words without a scheme, as accepted by curl, wget and aria2.
enum SchemelessURL {
    /// Returns the word prefixed with `http://`, and prints a notice, if it is an address and not an existing
    /// file; otherwise returns the word unchanged. Blocks.
    static func url(_ word: String, quiet: Bool) -> String {
        guard let guess = guess(word, isThere: isThere) else { return word }
        if !quiet {
            StandardError.write("segdl: \(sentence(word, guess))\n")
        }
        return guess
    }

    /// - Parameter isThere: Returns true for an existing file.
    static func guess(_ word: String, isThere: (String) -> Bool) -> String? {
        guard let url = BareAddress.url(word) else { return nil }
        // An existing directory counts as well: the file name was then mistyped.
        let first = String(word.prefix { $0 != "/" })
        return isThere(word) || isThere(first) ? nil : url
    }

    private static func sentence(_ word: String, _ guess: String) -> String {
        let shown = (try? Source(guess))?.description ?? guess
        return "an address without a scheme is fetched over http: \(TextWidth.printable(shown, ascii: false))"
    }

    private static func isThere(_ name: String) -> Bool {
        (try? SystemCalls.statusFollowingLinks(FilePath(name))) != nil
    }
}
