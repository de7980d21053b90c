internal import SystemPackage

/// Determines which names a directory accepts, by creating files with such names.
package enum NameProbe {
    /// The errors that file systems return for a refused name.
    static let refusals: [Errno] = [
        .invalidArgument, .noSuchFileOrDirectory, .illegalByteSequence, .ioError, .notSupported,
        .notPermitted,
    ]

    /// Returns a name that the directory accepts: the name itself, or one with escaped characters. Blocks.
    package static func accepted(_ name: String, in directory: FilePath) -> String {
        let doubtful = EscapedName.doubtful(name)
        guard !doubtful.isEmpty, refuses(doubtful, in: directory) else { return name }
        let foreign = String(String.UnicodeScalarView(doubtful.unicodeScalars.filter { !$0.isASCII }))
        let escapesAll = !foreign.isEmpty && refuses(foreign, in: directory)
        let escaped = EscapedName.make(name, escapesAll: escapesAll)
        return SafeFileName.make(escaped) ?? escaped
    }

    /// Returns true if the file system refuses a name with these characters, but accepts one without them.
    /// Blocks.
    static func refuses(_ characters: String, in directory: FilePath) -> Bool {
        !takes(characters, in: directory) && takes("", in: directory)
    }

    /// Returns true if the file system treats `makefile` and `Makefile` as one name. Blocks.
    ///
    /// - Parameters:
    ///   - directory: If it does not exist, its nearest existing parent is tested.
    ///   - known: The name of a file in it, in lower case. If it exists, usually no file has to be created,
    ///     which a killed process would leave behind.
    package static func mergesLetters(in directory: FilePath, known: String? = nil) -> Bool {
        var directory = directory.isEmpty ? FilePath(".") : directory
        if let known, (try? SystemCalls.status(directory.appending(known))) != nil,
            (try? SystemCalls.status(directory.appending(known.uppercased()))) == nil
        {
            return false
        }
        while (try? SystemCalls.statusFollowingLinks(directory)) == nil, directory.lastComponent != nil {
            directory = directory.directory
        }
        let path = directory.appending(".segdl-name-\(UInt64.random(in: 0 ... .max))")
        guard (try? create(path)) != nil else { return false }
        defer { try? SystemCalls.remove(path) }
        let turned = FilePath(path.string.replacing(".segdl-name-", with: ".SEGDL-NAME-"))
        return (try? SystemCalls.status(turned)) != nil
    }

    /// Returns true unless the file system refuses a name with these characters. Blocks.
    private static func takes(_ characters: String, in directory: FilePath) -> Bool {
        let path = directory.appending(".segdl-name-\(UInt64.random(in: 0 ... .max))\(characters)")
        do {
            try create(path)
            try SystemCalls.remove(path)
            return true
        } catch let error as Errno {
            return !refusals.contains(error)
        } catch {
            return true
        }
    }

    private static func create(_ path: FilePath) throws {
        try FileDescriptor.open(
            path, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
            permissions: [.ownerReadWrite]
        ).close()
    }
}
