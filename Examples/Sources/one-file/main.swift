import Foundation
import SegmentedDL

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    print("usage: one-file URL DIRECTORY [PERCENT]")
    exit(64)
}
let stop = arguments.dropFirst(3).first.flatMap { Int($0) }
let request = try DownloadRequest(arguments[1], to: .directory(path: arguments[2]))
let handle = try Downloader().start(request)
for await progress in handle.progress() {
    let percent = Int((progress.fraction ?? 0) * 100)
    print("\(percent) %")
    if let stop, percent >= stop { handle.cancel() }
}
do {
    let result = try await handle.result
    print("\(result.length) bytes, \(result.bytesWritten) of them in this run")
} catch let error as DownloadError where error.code == .cancelled {
    print("Stopped; the next run continues from here.")
}
