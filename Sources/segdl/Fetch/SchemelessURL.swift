import SegmentedDL
import SystemPackage

/// The URL for a command-line word without a scheme, as users of curl, wget and aria2 type it.
enum SchemelessURL {
    /// Returns the word with `http://` in front, with a notice, if it is an address and not an existing file;
    /// otherwise the word. Blocks.
    static func url(_ word: String, quiet: Bool) -> String {
        guard let guess = guess(word, isThere: isThere) else { return word }
        if !quiet {
            StandardError.write("segdl: \(sentence(word, guess))\n")
        }
        return guess
    }

    /// - Parameter isThere: True for an existing file.
    static func guess(_ word: String, isThere: (String) -> Bool) -> String? {
        guard let url = BareAddress.url(word) else { return nil }
        // An existing directory counts, too: the file name was mistyped then.
        let first = String(word.prefix { $0 != "/" })
        return isThere(word) || isThere(first) ? nil : url
    }

    private static func sentence(_ word: String, _ guess: String) -> String {
        let shown = (try? Source(guess))?.description ?? guess
        return "an address without a scheme is fetched by http: \(TextWidth.printable(shown, ascii: false))"
    }

    private static func isThere(_ name: String) -> Bool {
        (try? SystemCalls.statusFollowingLinks(FilePath(name))) != nil
    }
}
