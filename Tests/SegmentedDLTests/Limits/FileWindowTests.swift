import Testing

@testable import SegmentedDL

@Suite("The automatic number of active files")
struct FileWindowTests {
    @Test("each small file allows three more, up to the caps, and a large one halves the number")
    func window() {
        var window = FileWindow()
        #expect(window.size == 4)
        for _ in 0..<4 { window.found(isLarge: false, upTo: 32) }
        #expect(window.size == 16)
        for _ in 0..<100 { window.found(isLarge: false, upTo: 32) }
        #expect(window.size == 32)
        window.found(isLarge: true, upTo: 32)
        #expect(window.size == 16)
        for _ in 0..<10 { window.found(isLarge: true, upTo: 32) }
        #expect(window.size == 4)
    }

    @Test("if requests share a connection, the first four allow all")
    func shared() {
        var window = FileWindow()
        for _ in 0..<4 { window.found(isLarge: false, isShared: true, upTo: 132) }
        #expect(window.size >= 100)
        for _ in 0..<4 { window.found(isLarge: false, isShared: true, upTo: 132) }
        #expect(window.size == 132)
    }

    /// Files fetched in sequence in simulated time: a small one ends with its response, one round trip after
    /// its request; a large one takes ten, and uses all connections that it can get.
    private struct Line {
        var scheduler: SchedulerDriver
        let isLarge: (Int) -> Bool
        /// The files of the open connections, sorted by their end.
        var under: [(end: Double, connection: Int, file: Int)] = []
        var mostFiles = 0
        var mostConnections = 0
        var ended = 0

        init(_ limits: Limits = Limits(), isLarge: @escaping (Int) -> Bool) {
            self.isLarge = isLarge
            scheduler = SchedulerDriver()
            scheduler.set { $0 = limits }
        }

        mutating func act(_ actions: [SchedulerState.Action]) {
            for action in actions {
                switch action {
                case .start(let file): act(scheduler.request(file * 10, file: file))
                case .grant(let id):
                    scheduler.state.responded(id / 10)
                    under.append((scheduler.now + (isLarge(id / 10) ? 10 : 1), id, id / 10))
                case .end, .reclaim: break
                }
            }
            mostFiles = max(mostFiles, scheduler.state.activeFiles)
            mostConnections = max(mostConnections, under.count)
        }

        /// Returns the number of round trips taken.
        mutating func run(_ count: Int) -> Double {
            for file in 1...count { act(scheduler.submit(file)) }
            while let next = under.indices.min(by: { under[$0].end < under[$1].end }) {
                let (end, connection, file) = under.remove(at: next)
                scheduler.now = end
                act(
                    scheduler.state.found(
                        file, isLarge: isLarge(file), isShared: false, now: end
                    ).actions)
                act(scheduler.release(connection))
                act(scheduler.withdraw(file))
                ended += 1
            }
            return scheduler.now
        }
    }

    @Test("small files keep all connections to a host busy, after a few round trips")
    func small() {
        var line = Line { _ in false }
        let roundTrips = line.run(800)
        #expect(line.ended == 800)
        #expect(line.mostConnections == 8)
        #expect(roundTrips <= 103)
        // Additional files wait for a connection.
        #expect(line.mostFiles <= 12)
    }

    @Test("four large files are active")
    func large() {
        var line = Line { _ in true }
        _ = line.run(40)
        #expect(line.ended == 40)
        #expect(line.mostFiles == 4)
    }

    @Test("large files among small ones leave most connections to these")
    func mixed() {
        var line = Line { $0.isMultiple(of: 20) }
        let roundTrips = line.run(400)
        #expect(line.ended == 400)
        // 380 small and 20 large ones take 580 round trips on one connection.
        #expect(roundTrips <= 580 / 8 * 1.3)
    }

    @Test("a cap on connections is a cap on files, and a fixed number is kept")
    func caps() {
        var limits = Limits()
        limits.connections = 2
        var line = Line(limits) { _ in false }
        _ = line.run(100)
        #expect(line.mostConnections == 2 && line.mostFiles <= 6)
        limits = Limits()
        limits.activeFiles = 3
        line = Line(limits) { _ in false }
        _ = line.run(100)
        #expect(line.mostFiles == 3 && line.ended == 100)
    }
}
