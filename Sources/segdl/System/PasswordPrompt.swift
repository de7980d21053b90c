import SystemPackage

/// Prompts for passwords on the terminal.
///
/// Not `getpass`, which treats Ctrl-C as a character of the password.
enum PasswordPrompt {
    enum Answer: Equatable {
        case password(String)
        /// The user pressed Ctrl-D instead of entering a password.
        case nothing
        case interrupted
    }

    /// Prompts without an echo. Blocks.
    ///
    /// - Returns: `nil` if the process has no terminal.
    static func ask(for user: String) -> Answer? { ask("Password for \(TextWidth.printable(user)): ") }

    /// Prompts for the passphrase of a file.
    static func askPassphrase(of file: String) -> Answer? {
        ask("Passphrase for '\(TextWidth.printable(file))': ")
    }

    private static func ask(_ question: String) -> Answer? {
        guard let terminal = try? FileDescriptor.open("/dev/tty", .readWrite) else { return nil }
        defer { try? terminal.close() }
        var modes = termios()
        guard tcgetattr(terminal.rawValue, &modes) == 0 else { return nil }
        var silent = modes
        silent.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        withUnsafeMutableBytes(of: &silent.c_cc) {
            $0[Int(VMIN)] = 1
            $0[Int(VTIME)] = 0
        }
        // Set before the prompt, because input that was typed earlier is discarded.
        tcsetattr(terminal.rawValue, TCSAFLUSH, &silent)
        _ = try? terminal.writeAll(question.utf8)
        defer {
            tcsetattr(terminal.rawValue, TCSAFLUSH, &modes)
            _ = try? terminal.writeAll("\n".utf8)
        }
        var line = TypedLine()
        while true {
            let byte = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
                (try? terminal.read(into: buffer)) == 1 ? buffer[0] : nil
            }
            // The terminal was closed.
            guard let byte else { return .interrupted }
            if let answer = line.type(byte) { return answer }
        }
    }

    /// A line typed without an echo. A plain value.
    struct TypedLine {
        private var bytes: [UInt8] = []

        /// Adds a byte, and returns the line when it has ended.
        mutating func type(_ byte: UInt8) -> Answer? {
            switch byte {
            case 0x0a, 0x0d: return .password(String(decoding: bytes, as: UTF8.self))
            // Ctrl-C and Ctrl-\.
            case 0x03, 0x1c: return .interrupted
            // Ctrl-D.
            case 0x04: return bytes.isEmpty ? .nothing : .password(String(decoding: bytes, as: UTF8.self))
            // Ctrl-U.
            case 0x15: bytes = []
            case 0x08, 0x7f: eraseCharacter()
            default: bytes.append(byte)
            }
            return nil
        }

        private mutating func eraseCharacter() {
            // The continuation bytes of a UTF-8 character.
            while let last = bytes.last, last & 0xc0 == 0x80 { bytes.removeLast() }
            _ = bytes.popLast()
        }
    }
}
