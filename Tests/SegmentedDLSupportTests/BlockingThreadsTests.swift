import Foundation
import SegmentedDLSupport
import Testing

@Suite("Threads for blocking calls")
struct BlockingThreadsTests {
    #if os(Linux)
        /// The name of the thread that runs it.
        private static func threadName() -> String {
            (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
        }

        @Test("are separate from those of Swift's tasks")
        func apart() async {
            let threads = BlockingThreads(label: "test", limit: 4)
            let blocking = await withCheckedContinuation { continuation in
                threads.run { continuation.resume(returning: Self.threadName()) }
            }
            let task = await Task.detached { Self.threadName() }.value
            #expect(blocking != task && blocking.contains("overcommit"), "\(blocking), \(task)")
        }
    #endif

    @Test("run at most their limit of calls at a time, and finally each one")
    func limit() async {
        let threads = BlockingThreads(label: "test", limit: 2)
        let counts = Lock((running: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        threads.run {
                            counts.withLock {
                                $0.running += 1
                                $0.most = max($0.most, $0.running)
                            }
                            for _ in 0..<100 { sched_yield() }
                            counts.withLock { $0.running -= 1 }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        #expect(counts.withLock { $0.running == 0 && (1...2).contains($0.most) })
    }
}
