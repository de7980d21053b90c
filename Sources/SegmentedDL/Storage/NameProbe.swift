internal import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
        let refusesDevice = EscapedName.device(name).map { refuses(device: $0, in: directory) } ?? false
        guard refusesDevice || (!doubtful.isEmpty && refuses(doubtful, in: directory)) else { return name }
        let foreign = String(String.UnicodeScalarView(doubtful.unicodeScalars.filter { !$0.isASCII }))
        let escapesAll = !foreign.isEmpty && refuses(foreign, in: directory)
        let escaped = EscapedName.make(name, escapesAll: escapesAll, escapesDevice: refusesDevice)
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
        let directory = directory.isEmpty ? FilePath(".") : directory
        if let known, (try? SystemCalls.status(directory.appending(known))) != nil,
            (try? SystemCalls.status(directory.appending(known.uppercased()))) == nil
        {
            return false
        }
        return isOneFile(in: directory) { (".segdl-name-\($0)", ".SEGDL-NAME-\($0)") }
    }

    /// Returns true if the file system treats two letters as one in names. Blocks.
    ///
    /// - Parameter directory: If it does not exist, its nearest existing parent is tested.
    package static func merges(_ one: Character, _ other: Character, in directory: FilePath) -> Bool {
        isOneFile(in: directory) { (".segdl-name-\($0)\(one)", ".segdl-name-\($0)\(other)") }
    }

    /// Creates a file with the first name, and returns true if it has the second one too.
    ///
    /// - Parameter names: Returns the names with a number in them.
    private static func isOneFile(
        in directory: FilePath, named names: (UInt64) -> (String, String)
    ) -> Bool {
        var directory = directory.isEmpty ? FilePath(".") : directory
        while (try? SystemCalls.statusFollowingLinks(directory)) == nil, directory.lastComponent != nil {
            directory = directory.directory
        }
        let (one, other) = names(UInt64.random(in: 0 ... .max))
        let path = directory.appending(one)
        guard (try? create(path)) != nil else { return false }
        defer { discard(path) }
        return (try? SystemCalls.status(directory.appending(other))) != nil
    }

    /// Returns true if the file system refuses the names of a Windows device, and accepts others. Blocks.
    private static func refuses(device: String, in directory: FilePath) -> Bool {
        let name = "\(device).segdl-name-\(UInt64.random(in: 0 ... .max))"
        return !takes(directory.appending(name)) && takes("", in: directory)
    }

    /// Removes a file that was created for a test: a mount that is still uploading it may refuse that for a
    /// moment. Blocks.
    package static func discard(_ path: FilePath) {
        for _ in 0..<20 {
            do throws(Errno) {
                return try SystemCalls.remove(path)
            } catch {
                guard error == .ioError || error == .resourceBusy else { return }
                usleep(50_000)
            }
        }
    }

    /// Returns true unless the file system refuses a name with these characters. Blocks.
    private static func takes(_ characters: String, in directory: FilePath) -> Bool {
        takes(directory.appending(".segdl-name-\(UInt64.random(in: 0 ... .max))\(characters)"))
    }

    /// Returns true unless the file system refuses the name of a new file. Blocks.
    private static func takes(_ path: FilePath) -> Bool {
        do {
            try create(path)
            discard(path)
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
