import SegmentedDL
import SegmentedDLMirror
import SystemPackage

/// The examples of registries. They are compiled but not run, because their registry is public.
/// `RegistryTests` runs the same calls through the command.
enum RegistryExamples {
    static func reference(_ downloader: Downloader, _ directory: FilePath) async throws {
        // example begins
        var source = try RegistrySource(RegistryLocation("oci://docker.io/library/alpine:3.20"))
        source.layout = directory
        var job = MirrorJob(root: directory)
        job.access = source.access(with: downloader)
        let entries = downloader.entries(of: .registry(source), access: job.access)
        let layout = ImageLayout(of: source, at: directory)
        let report = await downloader.mirror(job, of: layout.entries(entries)).report()
        if report.isComplete { try layout.publish() }
        // example ends
    }
}
