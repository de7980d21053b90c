import Foundation
import SegmentedDL
import SegmentedDLMirror

guard CommandLine.arguments.count == 3 else {
    print("usage: mirror-again URL DIRECTORY")
    exit(64)
}
let (source, root) = (try Source(CommandLine.arguments[1]), FilePath(CommandLine.arguments[2]))
let proof = try? String(contentsOfFile: root.appending("SHA256SUMS").string, encoding: .utf8)
for try await check in ChecksumList(proof ?? "").checks(in: root) where !check.isRight {
    print("\(check.entry.name): \(check.isMissing ? "missing" : "damaged")")
}
try await Downloader.withDownloader { downloader in
    var job = MirrorJob(root: root)
    job.state = MirrorJob.defaultState(in: root)
    job.verifiesCopies = true
    job.proof = root
    let report = await downloader.mirror(job, of: downloader.entries(of: .index(source))).report()
    for failure in report.failures { print(failure.message) }
    print("\(report.completed) fetched, \(report.skipped) kept, \(report.failed) failed")
}
