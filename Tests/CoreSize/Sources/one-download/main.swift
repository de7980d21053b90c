// Downloads one file into this directory: one-download https://example.com/disk.iso
import SegmentedDL

let downloader = try Downloader()
let result = try await downloader.download(DownloadRequest(CommandLine.arguments[1], to: .directory(".")))
print(result.path ?? "", result.length, "bytes")
await downloader.shutdown()
