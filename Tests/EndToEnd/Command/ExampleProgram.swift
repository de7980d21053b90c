import Foundation
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

/// A program of the `Examples` package, which `Scripts/test` builds with this package.
enum ExampleProgram: String, CaseIterable {
    case asBefore = "as-before"
    case mirrorAgain = "mirror-again"
    case modelDownloader = "model-downloader"
    case oneFile = "one-file"
    case queueTwenty = "queue-twenty"
    case untilTerminated = "until-terminated"
    /// The package's own tests.
    case tests = "ExamplesPackageTests.xctest"

    struct NeverCame: Error {
        var last: [String]
    }

    var path: String { BuiltProducts.path(of: rawValue) }

    /// Waits until the queue in a store has the expected state, and returns it.
    @discardableResult
    static func wait(_ store: FilePath, until isMet: ([Receipt]) -> Bool) async throws -> [Receipt] {
        for _ in 0..<12_000 {
            if let receipts = try? DownloadManager.receipts(inStoreAt: store), isMet(receipts) {
                return receipts
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NeverCame(
            last: (try? DownloadManager.receipts(inStoreAt: store))?.map {
                "\($0.state) \($0.bytesCompleted)"
            } ?? [])
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of the programs of `Examples`.
    static var withExamples: Self {
        .enabled(
            if: ExampleProgram.allCases.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) },
            "Examples is not built with this package, as Scripts/test does")
    }
}
