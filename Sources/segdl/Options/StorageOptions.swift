import ArgumentParser
import SegmentedDL

/// The durability options.
struct StorageOptions: ParsableArguments {
    @Option(
        help:
            "power syncs files to the disk, so that a checkpoint survives a power cut; process does not."
    )
    var durability = Durability.power

    @Flag(
        help:
            "Do not store fingerprints of unfinished files, and trust the bytes of an earlier run without checking them."
    )
    var noResumeCheck = false

    func apply(to configuration: inout Configuration) {
        configuration.durability = durability
        configuration.checksResumedBytes = !noResumeCheck
    }
}
