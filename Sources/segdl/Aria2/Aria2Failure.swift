/// The reason why an aria2 command line cannot be executed.
struct Aria2Failure: Error, Equatable {
    /// aria2's status for an invalid option or value (aria2's manual, EXIT STATUS).
    static let wrongOption: Int32 = 28

    /// Complete lines for the user, without the last newline.
    let message: String
    var status = Self.wrongOption
}
