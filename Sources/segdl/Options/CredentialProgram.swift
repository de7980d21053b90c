import SegmentedDL

/// A program that prints a login or keys.
enum CredentialProgram {
    /// Runs a shell command and returns its output. If it takes long, a note names the program, which may be
    /// waiting for input.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - note: Shows a message.
    /// - Throws: The errors of `ProgramOutput.read`.
    static func output(
        of command: String, named name: String, note: @escaping @Sendable (String) -> Void
    ) async throws -> [UInt8] {
        try await ProgramOutput.read(command) {
            let (slow, end) = (Int(ProgramOutput.slowSeconds), Int(ProgramOutput.usualSeconds))
            note(
                "the program '\(Printable.text(name))', which prints a login, has not ended after \(slow) s; it is stopped after \(end) s"
            )
        }
    }
}
