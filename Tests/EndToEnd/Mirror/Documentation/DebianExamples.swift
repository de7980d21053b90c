import SegmentedDL
import SegmentedDLMirror

/// The example of Debian repositories. It is compiled but not run, because its repository is public.
/// `DebianTests` runs the same calls through the command.
enum DebianExamples {
    static func mirror(_ job: MirrorJob, _ downloader: Downloader) async throws -> MirrorReport {
        // example begins
        var source = DebianSource(try Source("https://deb.debian.org/debian/dists/bookworm/"))
        source.components = ["main"]
        source.architectures = ["amd64"]
        let report = await downloader.mirror(job, of: downloader.entries(of: .debian(source))).report()
        // example ends
        return report
    }
}
