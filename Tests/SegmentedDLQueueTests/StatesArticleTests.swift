import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("The article on the states of a download")
struct StatesArticleTests {
    /// The rows of the article's tables, without the headings: the text in code font in each cell.
    private static func rows(ofTable number: Int) throws -> [[[String]]] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let page = root.appendingPathComponent(
            "Sources/SegmentedDLQueue/SegmentedDLQueue.docc/StatesOfADownload.md")
        var tables: [[Substring]] = [[]]
        for line in try String(contentsOf: page, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("|") {
                tables[tables.count - 1].append(line)
            } else if tables.last?.isEmpty == false {
                tables.append([])
            }
        }
        try #require(number < tables.count)
        return tables[number].dropFirst(2).map { line in
            line.split(separator: "|").map { cell in
                // Every second part is between backticks.
                cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
            }
        }
    }

    @Test("shows exactly the allowed steps")
    func steps() throws {
        var shown: [DownloadState: [DownloadState]] = [:]
        for row in try Self.rows(ofTable: 0) {
            let state = try #require(DownloadState(rawValue: row[0].joined()))
            #expect(shown[state] == nil, "\(state) has two rows")
            shown[state] = try row[2].map { try #require(DownloadState(rawValue: $0)) }
        }
        #expect(Set(shown.keys) == Set(DownloadState.allCases))
        for (state, successors) in shown {
            #expect(Set(successors) == state.successors, "\(state)")
            #expect(successors.count == Set(successors).count, "\(state) names a successor twice")
        }
    }

    /// A queue with one download, in which one may run.
    private static func queue(in state: DownloadState) throws -> (queue: QueueState, id: Receipt.ID) {
        var limits = Limits()
        limits.activeFiles = 1
        var queue = QueueState(limits: limits, isRunning: state.isActive)
        let id = queue.makeID()
        var record = QueueRecord(
            id: id, source: try Source("http://host/file"), destination: .directory("/d"), added: Date())
        if !state.isActive { record.state = state }
        if state == .retrying { record.retriesAt = .distantFuture }
        _ = queue.add(record)
        queue.admit([id])
        _ = queue.reschedule(now: Date())
        if state.isActive { _ = queue.edit(id) { $0.state = state } }
        return (queue, id)
    }

    @Test("shows the effect of each operation", arguments: 0..<5)
    func verbs(column: Int) throws {
        let verbs: [(inout QueueState, Receipt.ID) -> [QueueState.Action]] = [
            { $0.start($1) }, { $0.pause($1) }, { $0.resume($1) },
            { $0.cancel($1, now: Date()) }, { $0.restart($1) },
        ]
        var seen: Set<DownloadState> = []
        for row in try Self.rows(ofTable: 1) {
            for name in row[0] {
                let state = try #require(DownloadState(rawValue: name))
                seen.insert(state)
                var (queue, id) = try Self.queue(in: state)
                let actions = verbs[column](&queue, id)
                if actions.contains(.stop(id)) {
                    // A download started afterwards is not an effect of this verb.
                    queue.isRunning = false
                    _ = queue.ended(id, run: 1, .stopped, now: Date(), jitter: 0)
                }
                let expected = try row[column + 1].first.map { try #require(DownloadState(rawValue: $0)) }
                #expect(queue.records[id]?.state == expected ?? state, "\(state)")
            }
        }
        #expect(seen == Set(DownloadState.allCases))
    }
}
