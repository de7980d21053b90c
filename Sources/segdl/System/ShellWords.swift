/// Words as a shell reads them.
enum ShellWords {
    /// Returns a word in shell notation: quoted if necessary.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b...0x2f, 0x3a, 0x3d, 0x40, 0x5f: true
                default: byte >= 0x80
                }
            }
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
