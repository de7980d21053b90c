import SegmentedDL
import SegmentedDLOptions
import SystemPackage

/// The list for --save-session: the incomplete files, for use with --input-file.
enum Aria2Session {
    private static let notFound: Set<Int32> = [3, 4]

    /// Returns the list.
    ///
    /// - Parameter status: Returns aria2's status of a file that has succeeded or failed, or `nil`.
    static func text(of downloads: [Aria2Download], status: (Int) -> Int32?) -> String {
        var text = ""
        for (id, download) in downloads.enumerated() where isKept(download, status(id)) {
            text += download.uris.joined(separator: "\t") + "\t\n gid=\(download.gid)\n"
            for (name, values) in download.values.given.sorted(by: { $0.key < $1.key })
            where name != "gid" && Aria2Options.named[name]?.scope == .file {
                for value in values { text += " \(name)=\(value)\n" }
            }
        }
        return text
    }

    private static func isKept(_ download: Aria2Download, _ status: Int32?) -> Bool {
        switch status {
        case nil: true
        case 0: download.values.flag("force-save")
        case let status? where notFound.contains(status): download.values.flag("save-not-found")
        default: true
        }
    }

    /// Writes the list, readable only by its owner, because it may contain passwords.
    ///
    /// - Throws: `StorageError`.
    static func write(_ text: String, to path: String) throws {
        let file = try ListFile(FilePath(path), isPrivate: true)
        try file.add(text.utf8)
        try file.finish()
    }
}
