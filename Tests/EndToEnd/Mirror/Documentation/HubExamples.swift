import SegmentedDL
import SegmentedDLMirror
import SystemPackage

/// The guide's examples of hubs. They are compiled but not run, because their hub is public. `HubTests` runs
/// the same calls through the command.
enum HubExamples {
    static func mirror(_ downloader: Downloader, _ filter: PathFilter, _ directory: FilePath) async throws {
        // example begins
        let settings = try HubSettings()
        let source = HubSource(try HubLocation("hf://org/model@main"), settings)
        var job = MirrorJob(root: directory)
        job.state = MirrorJob.defaultState(in: directory)
        job.access = source.access(settings)
        let entries = downloader.entries(of: .hub(source), filter: filter, access: job.access)
        for await event in downloader.mirror(job, of: entries) {
            switch event {
            case .listed(let listing): print("\(listing)")
            case .failed(let failure): print(failure.message)
            case .ended(let report): print("\(report.completed) fetched, \(report.skipped) kept")
            default: break
            }
        }
        // example ends
    }

    static func cache(
        _ downloader: Downloader, _ source: HubSource, _ entries: MirrorEntries, _ usual: MirrorJob,
        _ directory: FilePath
    ) async throws {
        var job = usual
        // example begins
        let cache = try HubCache(of: source, in: directory)
        job.root = cache.blobs
        job.state = cache.directory.appending(".segdl-mirror.sqlite")
        let report = await downloader.mirror(job, of: cache.entries(entries)).report()
        if report.isComplete { try cache.publish() }
        // example ends
    }

    static func reference(_ downloader: Downloader, _ directory: FilePath) async throws {
        // example begins
        let settings = try HubSettings()
        let source = HubSource(try HubLocation("hf://org/model"), settings)
        var job = MirrorJob(root: directory)
        job.access = source.access(settings)
        let entries = downloader.entries(of: .hub(source), access: job.access)
        let report = await downloader.mirror(job, of: entries).report()
        // example ends
        _ = report
    }
}
