import Foundation
import SegmentedDL

struct UnpackFailed: Error {
    var status: Int32
}

/// Unpacks an archive into its own directory. After a kill it runs again, over the existing files.
func unpack(_ archive: FilePath) async throws {
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    tar.arguments = ["tar", "-xf", archive.string, "-C", archive.removingLastComponent().string]
    let status = try await withCheckedThrowingContinuation { continuation in
        tar.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do {
            try tar.run()
        } catch {
            continuation.resume(throwing: error)
        }
    }
    guard status == 0 else { throw UnpackFailed(status: status) }
}
