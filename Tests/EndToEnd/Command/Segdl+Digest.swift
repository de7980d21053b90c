import TestSupport

extension Segdl {
    /// Returns the digest of a URL's file, computed by the system's tool.
    static func sha256(of url: String) async throws -> String {
        let directory = try TemporaryDirectory()
        _ = try await Segdl.run(["fetch", "-q", "-o", "copy", url], in: directory)
        let sum = try await ChildProcess("/usr/bin/sha256sum", [directory.file("copy")]).result()
        return String(sum.output.prefix(64))
    }
}
