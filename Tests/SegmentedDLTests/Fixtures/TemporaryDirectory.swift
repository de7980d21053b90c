import FoundationEssentials
import SystemPackage

/// A directory of a test's own, removed with everything in it when the test lets go of it.
final class TemporaryDirectory: Sendable {
    let path: FilePath

    init() throws {
        let base = FileManager.default.temporaryDirectory.path
        path = FilePath(base).appending("segdl-unit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.string)
    }

    func file(_ name: String) -> FilePath { path.appending(name) }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: file(name).string))
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: file(name).string)))
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name).string)
    }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: file(name).string, withIntermediateDirectories: true)
    }

    func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: file(name).string, withDestinationPath: file(target).string)
    }

    /// The names in it, in order.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path.string).sorted()
    }
}
