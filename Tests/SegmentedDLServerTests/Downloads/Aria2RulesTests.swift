import SegmentedDL
import SegmentedDLOptions
import SegmentedDLQueue
import Testing

@testable import SegmentedDLServer

@Suite struct Aria2RulesTests {
    @Test(
        "connections are the smaller of split and the sum over all hosts",
        arguments: [
            (5, 1, 1, 1), (5, 1, 3, 3), (5, 16, 1, 5), (16, 4, 2, 8), (nil, 4, 2, 8), (3, nil, 1, 3),
            (0, 0, 0, 1),
            (1_000, 1_000, 1, 512), (.max, .max, 2, 512),
        ] as [(Int?, Int?, Int, Int)])
    func connections(split: Int?, perServer: Int?, hosts: Int, count: Int) {
        #expect(Aria2Rules.connections(split: split, perServer: perServer, hosts: hosts) == count)
    }

    @Test(
        "an existing name",
        arguments: [
            (true, true, true, .update), (false, true, true, .replace), (false, false, true, .rename),
            (false, false, false, .fail),
        ] as [(Bool, Bool, Bool, ExistingFilePolicy)])
    func existing(isConditional: Bool, mayOverwrite: Bool, mayRename: Bool, policy: ExistingFilePolicy) {
        #expect(
            Aria2Rules.ifExists(
                isConditional: isConditional, mayOverwrite: mayOverwrite, mayRename: mayRename) == policy)
    }

    @Test(
        "the delay of retry-wait does not grow, however many tries exist",
        arguments: [
            (0, 1, Int.max), (5, 1, 4), (1, 60, 0), (0, 600, Int.max), (nil, 7, RetryPolicy().retries),
        ]
            as [(Int?, Int, Int)])
    func wait(tries: Int?, seconds: Int, retries: Int) {
        let policy = FileTries(count: tries, wait: seconds).applied(to: RetryPolicy())
        #expect(policy.retries == retries)
        #expect((1...20).allSatisfy { policy.delay(failures: $0) == Double(seconds) })
        #expect(FileTries().applied(to: RetryPolicy()) == RetryPolicy())
    }

    @Test("max-tries counts the first one", arguments: [(1, 0), (5, 4), (0, Int.max)])
    func tries(tries: Int, retries: Int) {
        let policy = FileTries(count: tries).applied(to: RetryPolicy())
        #expect(policy.retries == retries)
        #expect(policy.retriesAtStart == min(2, retries))
    }

    @Test("a call's options set the tries, and whether the first run starts over")
    func runs() throws {
        func request(_ options: [String: String]) throws -> DownloadRequest {
            let values = RecordAttachment(options: options.mapValues { [$0] }).values
            return try values.request(["http://h/a"], to: .directory(path: "."))
        }
        let plain = try request([:])
        #expect(plain.tries == nil && !plain.startsOver)
        #expect(try request(["max-tries": "1"]).tries == FileTries(count: 1))
        #expect(try request(["retry-wait": "9"]).tries == FileTries(wait: 9))
        #expect(try !request(["remove-control-file": "true"]).startsOver)
        #expect(try request(["remove-control-file": "true", "allow-overwrite": "true"]).startsOver)
    }
}
