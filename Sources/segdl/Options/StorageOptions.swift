import ArgumentParser
import SegmentedDL

/// Guarantees for the bytes on disk.
struct StorageOptions: ParsableArguments {
    @Option(
        help:
            "power syncs files to the disk, so that a checkpoint survives a power cut; process does not."
    )
    var durability = Durability.power

    @Flag(
        help:
            "Keep no fingerprints of unfinished files, and trust the bytes of an earlier run without reading them."
    )
    var noResumeCheck = false

    func apply(to configuration: inout Configuration) {
        configuration.durability = durability
        configuration.checksResumedBytes = !noResumeCheck
    }
}
