import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror

/// The value of `--shard`.
enum ShardOption: Equatable, ExpressibleByArgument {
    case one(index: Int, count: Int)
    /// The shard of this array task.
    case task(count: Int?)

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let numbers = parts.map { Int($0) }
        switch (parts.count, parts.first) {
        case (1, "auto"): self = .task(count: nil)
        case (2, "auto"):
            guard let count = numbers[1] else { return nil }
            self = .task(count: count)
        case (2, _):
            guard let index = numbers[0], let count = numbers[1] else { return nil }
            self = .one(index: index, count: count)
        default: return nil
        }
    }

    /// - Throws: `DownloadError` with code `invalidSetting` if the shard does not exist, or this is not an
    ///   array task.
    func shard(in environment: [String: String]) throws(DownloadError) -> Shard {
        switch self {
        case .one(let index, let count): try Shard(index, of: count)
        case .task(let count): try Shard(ofTaskIn: environment, count: count)
        }
    }
}
