/// curl's `-O`, alone or in a group of letters.
enum RemoteNameOption {
    /// curl's letters without a value that users combine with it, before or after it.
    static let flags = "fsSLJRgkOvNZ46#"
    /// Further letters that may precede it, as in wget's `-qO NAME`.
    static let flagsBefore = "qcI"

    /// Returns true if an argument includes the option.
    static func isIn(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), !argument.hasPrefix("--") else {
            return ["--remote-name", "--remote-name-all"].contains(argument)
        }
        let letters = argument.dropFirst()
        return letters.contains("O") && letters.allSatisfy { (flags + flagsBefore).contains($0) }
    }
}
