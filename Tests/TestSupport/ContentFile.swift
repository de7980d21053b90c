import Foundation
public import TestContent

extension TestContent {
    /// Writes the first `length` bytes to a file, for servers that send files.
    public func write(to path: String, length: Int64) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        var offset: Int64 = 0
        while offset < length {
            let end = min(offset + 4 * 1024 * 1024, length)
            try handle.write(contentsOf: Data(bytes(offset..<end)))
            offset = end
        }
    }
}
