internal import SystemPackage

/// The program `gpgv` of GnuPG, which verifies OpenPGP signatures.
enum SignatureProgram {
    /// The result of a run.
    struct Answer: Sendable {
        var status: OpenPGPStatus
        /// The text within an inline signature.
        var text: [UInt8]?
    }

    private static let missing = "missing"

    private static let command = """
        command -v gpgv >/dev/null || { echo \(missing); exit 0; }
        gpgv "$@" 2>/dev/null || :
        """

    /// Verifies a signature. The program reads and writes a temporary directory only, which also replaces the
    /// user's `~/.gnupg`.
    ///
    /// - Parameters:
    ///   - signature: `nil` if it is inline.
    ///   - rings: The trusted keys.
    /// - Returns: `nil` if `gpgv` is not installed.
    /// - Throws: `DownloadError` if it cannot be run; `CancellationError`.
    static func verify(
        _ signature: [UInt8]?, of document: [UInt8], by rings: [[UInt8]]
    ) async throws -> Answer? {
        let files = rings.enumerated().map { ("ring\($0)", $1) }
        let directory = try await DiskThread.run {
            try TemporaryFiles(
                files + [("document", document)] + (signature.map { [("signature", $0)] } ?? []))
        }
        do {
            let answer = try await verify(isInline: signature == nil, files.map(\.0), in: directory)
            await DiskThread.run { directory.remove() }
            return answer
        } catch {
            await DiskThread.run { directory.remove() }
            throw error
        }
    }

    private static func verify(
        isInline: Bool, _ rings: [String], in directory: TemporaryFiles
    ) async throws -> Answer? {
        // SHA-1 is refused, as apt does.
        var arguments = [
            "--homedir", directory.path.string, "--status-fd", "1", "--weak-digest", "SHA1",
        ]
        for ring in rings { arguments += ["--keyring", directory.path(of: ring)] }
        if isInline { arguments += ["--output", directory.path(of: "text")] }
        let names = isInline ? ["document"] : ["signature", "document"]
        let bytes = try await ProgramOutput.read(
            command, arguments: arguments + names.map(directory.path(of:)))
        let printed = String(decoding: bytes, as: UTF8.self)
        guard printed.prefix(while: { !$0.isNewline }) != missing else { return nil }
        let status = OpenPGPStatus(printed, isInline: isInline)
        guard isInline, status.key != nil else { return Answer(status: status) }
        return Answer(status: status, text: try await DiskThread.run { try directory.contents(of: "text") })
    }
}
