public import Foundation

/// The content of a mirror's directory.
public enum MirroredTree {
    /// The names that the mirror creates next to the files.
    public static let own: Set<String> = [
        ".segdl-mirror.sqlite", ".segdl-mirror.sqlite.lock", ".segdl-mirror.sqlite-wal",
        ".segdl-mirror.sqlite-shm", "SHA256SUMS", "segdl-mirror.jsonl",
    ]

    /// The files below a directory by path, without the mirror's own.
    public static func files(_ directory: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) where !own.contains(path) {
            var isDirectory: ObjCBool = false
            let full = directory + "/" + path
            _ = FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory)
            if !isDirectory.boolValue { found[path] = try Data(contentsOf: URL(fileURLWithPath: full)) }
        }
        return found
    }
}
