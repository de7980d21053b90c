import SegmentedDL
import SystemPackage

/// The URL of a word of the command line that has no scheme, as users of curl, wget and aria2 type it.
enum GuessedURL {
    /// Returns the word with `http://` in front if it is an address and no file of the disk, and says so; else
    /// the word. Blocks.
    static func url(_ word: String, quiet: Bool) -> String {
        guard let guess = guess(word, isThere: isThere) else { return word }
        if !quiet {
            StandardError.write("segdl: \(sentence(word, guess))\n")
        }
        return guess
    }

    /// - Parameter isThere: True for a name on the disk.
    static func guess(_ word: String, isThere: (String) -> Bool) -> String? {
        guard let url = BareAddress.url(word) else { return nil }
        // The directory tells as well: it is the file that was mistyped then.
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
