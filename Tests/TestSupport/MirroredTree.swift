public import Foundation

/// What lies in a mirror's directory.
public enum MirroredTree {
    /// What the mirror has beside the files.
    public static let own: Set<String> = [
        ".segdl-mirror.sqlite", ".segdl-mirror.sqlite.lock", ".segdl-mirror.sqlite-wal",
        ".segdl-mirror.sqlite-shm", "SHA256SUMS", "segdl-mirror.jsonl",
    ]

    /// The files below a directory by their paths, without the mirror's own.
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
