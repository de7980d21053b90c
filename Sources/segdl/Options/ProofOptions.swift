import ArgumentParser
import SegmentedDL
import SystemPackage

/// The search for digests that publishers list.
struct ProofOptions: ParsableArguments {
    @Flag(
        help:
            "Do not look for the digest of a file of 4 MiB or more in NAME.sha256, SHA256SUMS and similar files next to it, nor at GitHub and PyPI."
    )
    var noProof = false

    @Option(
        help: ArgumentHelp(
            "Fail if no digest of the file is found (digest), none on a host that sent none of its bytes (other-host), or none in a list signed by a --proof-key (signature).",
            valueName: "level"))
    var requireProof: ProofPolicy.Level?

    @Option(
        help: ArgumentHelp(
            "Also look for a signature of the list by this key: a minisign, OpenPGP or PEM (cosign) key file, or a minisign key itself. May be repeated.",
            valueName: "key"),
        completion: .file(), transform: Self.key)
    var proofKey: [ProofKey] = []

    func validate() throws {
        if noProof, requireProof != nil {
            throw ValidationError("--no-proof and --require-proof cannot be combined.")
        }
        if noProof, !proofKey.isEmpty {
            throw ValidationError("--no-proof and --proof-key cannot be combined.")
        }
        if requireProof == .signature, proofKey.isEmpty {
            throw ValidationError("--require-proof=signature needs the signer's key: --proof-key.")
        }
    }

    var policy: ProofPolicy {
        if noProof { return .none }
        var policy = requireProof.map { ProofPolicy.require($0) } ?? .search
        policy.keys = proofKey
        return policy
    }

    /// Reads a key, or the file with that name.
    private static func key(_ text: String) throws -> ProofKey {
        if !text.isEmpty, text.utf8.count == 56, let key = try? ProofKey(text) { return key }
        let shown = Printable.text(text)
        do {
            guard text != "-" else { throw Errno.invalidArgument }
            let options: FileDescriptor.OpenOptions = [.nonBlocking, .closeOnExec]
            return try ProofKey(
                TextFile.bytes(text, atMost: ProofKey.maximumBytes, options: options))
        } catch let error as DownloadError {
            throw ValidationError("'\(shown)': \(error.message)")
        } catch is TextFile.TooLong {
            throw ValidationError("'\(shown)' is too long for a key; export only one key.")
        } catch {
            throw ValidationError("Cannot read the key '\(shown)': \(error).")
        }
    }
}
