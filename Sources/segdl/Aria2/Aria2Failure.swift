/// The reason why a command line of aria2 cannot be carried out.
struct Aria2Failure: Error, Equatable {
    /// aria2's status for a wrong option or value (aria2's manual, EXIT STATUS).
    static let wrongOption: Int32 = 28

    /// Whole lines for the user, without the last newline.
    let message: String
    /// The exit status.
    var status = Self.wrongOption
}
