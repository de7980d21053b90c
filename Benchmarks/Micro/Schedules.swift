import Benchmark

@testable import SegmentedDL

func schedulerBenchmarks() {
    // 10,000 operations: a file is submitted, starts, has one connection, and is finished.
    for hosts in [1, 16] {
        measure("scheduler-10000-files-\(hosts)-hosts") {
            var run = Run(hosts: hosts)
            run.finish(10_000)
            return run
        }
    }
}

/// Files that are finished as soon as they have their connection, the oldest first.
private struct Run {
    private var state: SchedulerState
    private let hosts: [String]
    private var granted: [Int] = []

    init(hosts: Int) {
        var limits = Limits()
        limits.activeFiles = 16
        limits.connections = 16
        limits.connectionsPerHost = 16
        state = SchedulerState(limits: limits)
        self.hosts = (0..<hosts).map { "mirror\($0).example.org:443" }
    }

    mutating func finish(_ files: Int) {
        var actions: [SchedulerState.Action] = []
        for file in 0..<files { actions += state.submit(file, priority: 0, now: 0) }
        while true {
            obey(actions)
            guard let done = granted.first else { break }
            granted.removeFirst()
            // A file's one connection has its number.
            actions = state.release(done, now: 1)
            actions += state.withdraw(done, now: 1)
        }
        precondition(state.activeFiles == 0 && state.openConnections == 0)
    }

    private mutating func obey(_ actions: [SchedulerState.Action]) {
        var left = actions[...]
        while let action = left.popFirst() {
            switch action {
            case .start(let file):
                left += state.request(file, file: file, host: hosts[file % hosts.count], now: 1)
            case .grant(let connection): granted.append(connection)
            case .reclaim: break
            }
        }
    }
}
