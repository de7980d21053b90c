import SystemPackage

@testable import SegmentedDL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder for a job's files, gone with the last reference. It is beside what is built: a disk, not memory.
final class Folder {
    let path: FilePath

    init() throws {
        var template = Array(
            FilePath(CommandLine.arguments[0]).directory.appending("job-XXXXXX").string.utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = FilePath(platformString: template)
    }

    deinit {
        guard let directory = opendir(path.string) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink(path.appending(name).string)
        }
        closedir(directory)
        rmdir(path.string)
    }
}
