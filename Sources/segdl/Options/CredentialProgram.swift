import SegmentedDL

/// A program that prints a login or keys.
enum CredentialProgram {
    /// Returns the name of the program that a shell command begins with. All other words may contain secrets,
    /// and so may a first word that sets a variable.
    static func name(in command: String) -> String {
        let first = command.split { $0 == " " || $0 == "\t" }.first ?? ""
        return first.isEmpty || first.contains("=") ? "sh" : String(first)
    }

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
