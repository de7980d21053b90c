import ArgumentParser
import SegmentedDL

/// The search for digests that publishers list.
struct ProofOptions: ParsableArguments {
    @Flag(
        help:
            "Do not look for the digest of a file of 4 MiB or more in NAME.sha256, SHA256SUMS and the like beside it, nor at GitHub and PyPI."
    )
    var noProof = false

    @Option(
        help: ArgumentHelp(
            "Fail if no digest of the file is found (digest), or none on a host that sent none of its bytes (other-host).",
            valueName: "level"))
    var requireProof: ProofPolicy.Level?

    func validate() throws {
        if noProof, requireProof != nil {
            throw ValidationError("--no-proof and --require-proof exclude each other.")
        }
    }

    var policy: ProofPolicy {
        if let requireProof { return .require(requireProof) }
        return noProof ? .none : .search
    }
}
