/// The command line as seen by other users of the machine, for example in `ps`.
enum ProcessTitle {
    /// Overwrites secrets in the memory that the system shows as the arguments of this process. Copies made
    /// earlier are unaffected.
    static func hideSecrets() {
        guard let area = argumentArea() else { return }
        let arguments = area.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
        let masked = Array(masked(arguments).joined(separator: [0]))
        // If the length differed, the bytes would belong to other arguments.
        if masked.count == area.count { area.copyBytes(from: masked) }
    }

    private static let secretOptions = [
        "--user", "-u", "--header", "-H", "--proxy", "--all-proxy", "--http-proxy", "--https-proxy",
        "--referer", "-e", "--remote", "--cookie", "-b", "--bearer", "--oauth2-bearer", "--http-user",
        "--http-passwd", "--http-password", "--password", "--pass", "--cert", "--certificate", "-E",
        "--rpc-secret", "--rpc-passwd", "--ftp-passwd", "--http-proxy-passwd", "--https-proxy-passwd",
        "--all-proxy-passwd",
    ]

    /// The short secret options, whose values may be attached, even after other letters.
    private static let secretLetters: [UInt8] = Array("HubeE".utf8)
    /// The letters of all options with a value: the rest of a group is the value of the first of them.
    private static let valuedLetters: [UInt8] = Array("ACEHOPTUYbdeijknostuxy".utf8)

    /// Returns the arguments with secrets replaced by as many asterisks: the values of secret options, and
    /// user names, passwords and queries in URLs.
    static func masked(_ arguments: [[UInt8]]) -> [[UInt8]] {
        var isSecret = false
        return arguments.map { argument in
            let start = secretStart(argument)
            defer { isSecret = isSecretOption(argument) || start == argument.count }
            if isSecret { return stars(argument.count) }
            if let start { return argument[..<start] + stars(argument.count - start) }
            if let equals = argument.firstIndex(of: UInt8(ascii: "=")), isSecretOption(argument[..<equals]) {
                return argument[...equals] + stars(argument.count - equals - 1)
            }
            return maskedURL(argument)
        }
    }

    /// aria2's long options may be abbreviated: a prefix of at least this length counts as the whole name.
    private static let shortestBeginning = 6

    private static func isSecretOption(_ argument: some Collection<UInt8>) -> Bool {
        let name = String(decoding: argument, as: UTF8.self)
        if secretOptions.contains(name) { return true }
        return name.utf8.count >= shortestBeginning && name.hasPrefix("--")
            && secretOptions.contains { $0.hasPrefix(name) }
    }

    /// Returns the index of the secret value in a group of short options, as in `-LuVALUE`: the end if it is
    /// the next argument.
    private static func secretStart(_ argument: [UInt8]) -> Int? {
        let dash = UInt8(ascii: "-")
        guard argument.count > 1, argument[0] == dash, argument[1] != dash,
            let letter = argument.dropFirst().firstIndex(where: { valuedLetters.contains($0) }),
            secretLetters.contains(argument[letter])
        else { return nil }
        return letter + 1
    }

    /// Masks everything before an @ and after a ?, because the argument may be a URL without a scheme.
    private static func maskedURL(_ argument: [UInt8]) -> [UInt8] {
        var result = argument
        let mark = argument.firstIndex(of: UInt8(ascii: "?")) ?? argument.endIndex
        let begin = schemeEnd(argument[..<mark])
        if let at = argument[begin..<mark].lastIndex(of: UInt8(ascii: "@")) {
            result.replaceSubrange(begin..<at, with: stars(at - begin))
        }
        if mark < argument.endIndex {
            result.replaceSubrange((mark + 1)..., with: stars(argument.count - mark - 1))
        }
        return result
    }

    private static func schemeEnd(_ argument: ArraySlice<UInt8>) -> Int {
        guard let slashes = argument.firstRange(of: Array("://".utf8)),
            argument[..<slashes.lowerBound].allSatisfy({ (0x61...0x7a).contains($0 | 0x20) })
        else { return argument.startIndex }
        return slashes.upperBound
    }

    private static func stars(_ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "*"), count: count)
    }

    #if os(Linux)
        /// Returns the memory from `arg_start` to `arg_end` of `proc_pid_stat(5)`.
        private static func argumentArea() -> UnsafeMutableRawBufferPointer? {
            guard let status = try? TextFile.read("/proc/self/stat").utf8,
                let end = status.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            // The list begins at the third field.
            let fields = status[end...].split(separator: UInt8(ascii: " ")).dropFirst().map(Substring.init)
            guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]), start < end
            else { return nil }
            return UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(bitPattern: start), count: Int(end - start))
        }
    #else
        private static func argumentArea() -> UnsafeMutableRawBufferPointer? {
            guard let first = CommandLine.unsafeArgv[0] else { return nil }
            let bytes = CommandLine.arguments.reduce(0) { $0 + $1.utf8.count + 1 }
            return UnsafeMutableRawBufferPointer(start: first, count: bytes)
        }
    #endif
}
