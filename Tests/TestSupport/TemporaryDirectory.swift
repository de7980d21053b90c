import Foundation
public import SystemPackage

/// A directory for one test, removed with its content when the test releases it.
public final class TemporaryDirectory: Sendable {
    public let path: String

    /// - Parameter parent: Its parent directory; `nil` for the default.
    public init(in parent: String? = nil) throws {
        path = (parent.map { $0 + "/" } ?? NSTemporaryDirectory()) + "segdl-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    public func file(_ name: String) -> String { path + "/" + name }

    public func filePath(_ name: String) -> FilePath { FilePath(file(name)) }

    /// The names in it, in order.
    public var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    }

    public func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    }

    /// Creates a symbolic link.
    public func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: target)
    }

    public func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: file(name))
    }

    public func rename(_ old: String, to new: String) throws {
        try FilePath(file(old)).rename(to: FilePath(file(new)))
    }

    /// True if an entry with that name exists.
    public func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    public func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: file(name))))
    }
}

extension TemporaryDirectory {
    public struct NeverCame: Error {
        public let name: String
    }

    /// The names in any directory.
    public static func names(of path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
    }

    /// Waits until a file with that name exists.
    public func waitFor(_ name: String) async throws {
        for _ in 0..<3000 {
            if FileManager.default.fileExists(atPath: file(name)) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NeverCame(name: name)
    }
}

extension FilePath {
    /// Renames atomically, replacing an existing file.
    func rename(to new: FilePath) throws {
        struct Failed: Error {}
        guard Foundation.rename(string, new.string) == 0 else { throw Failed() }
    }

    /// The target of a symbolic link.
    public func linkTarget() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: string)
    }
}
