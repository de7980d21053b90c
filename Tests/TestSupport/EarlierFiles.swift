import Foundation

/// The files left by each version of segdl, in `Tests/Earlier`. `Tests/Earlier/make.py` creates them.
public enum EarlierFiles {
    /// All versions that have left files.
    public static let versions = ["0.1.0", "0.2.0"]
    /// The version with files of all kinds.
    public static let latest = "0.2.0"
    /// The versions with a daemon, and with a mark on a finished file.
    public static let versionsWithDaemon = ["0.2.0"]
    /// The address of the server that served them.
    public static let server = "http://127.0.0.1:28931"
    /// The directory in which they were created, which no longer exists.
    public static let home = "/srv/segdl-fixture"

    /// Copies the files of a version into a directory.
    public static func copy(_ version: String) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let files = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../Earlier/\(version)")
        for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
            try FileManager.default.copyItem(
                atPath: files.appending(path: name).path, toPath: directory.file(name))
        }
        return directory
    }
}
