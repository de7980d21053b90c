/// A file as the command line or a list names it.
struct NamedFile: Sendable {
    var url: String
    /// Further sources of the same file.
    var mirrors: [String] = []
    /// The options that its list gives it.
    var options = InputOptions()
    /// The list and the line that name it.
    var place: String?
    /// True if the line of the list cannot be read; `url` is the reason then.
    var isWrong = false
}
