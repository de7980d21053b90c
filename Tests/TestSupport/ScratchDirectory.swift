import FoundationEssentials
public import SystemPackage

/// An in-memory directory of a test, whose names are paths; removed with its content when the test releases
/// it.
public final class ScratchDirectory: Sendable {
    public let path: FilePath

    public init() throws {
        let base = FileManager.default.temporaryDirectory.path
        path = FilePath(base).appending("segdl-unit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.string)
    }

    public func file(_ name: String) -> FilePath { path.appending(name) }

    public func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: file(name).string))
    }

    public func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: file(name).string)))
    }

    public func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name).string)
    }

    public func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: file(name).string, withIntermediateDirectories: true)
    }

    public func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: file(name).string, withDestinationPath: file(target).string)
    }

    /// The names in it, in order.
    public func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path.string).sorted()
    }
}
