import CSegSystem

enum ProcessArguments {
    /// The name by which the command was called.
    static var name: String { all.first ?? "" }

    /// The arguments after the command's name.
    static var withoutName: [String] { Array(all.dropFirst()) }

    /// Swift's runtime searches for them in the memory before the environment, within bounds from
    /// `/proc/self/maps`. It finds none if `/proc` is missing, as in a bare chroot, or if a preloaded library
    /// has changed the environment. The C library always provides them.
    private static let all: [String] = {
        guard let texts else { return CommandLine.arguments }
        return texts.map { String(cString: $0) }
    }()

    /// The first argument that is not UTF-8: with its bytes replaced it would name another file.
    static var unreadable: String? {
        texts?.first { String(validatingCString: $0) == nil }.map { String(cString: $0) }
    }

    private static var texts: [UnsafePointer<CChar>]? {
        var count: Int32 = 0
        guard let texts = seg_arguments(&count) else { return nil }
        return (0..<Int(count)).compactMap { texts[$0] }
    }
}
