import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The connections that requests to one host share")
struct SharedConnectionsTests {
    @Test("are one, until its last request ends, if no other may be opened")
    func one() {
        var shared = SharedConnections()
        let opened = (1...10).filter { _ in shared.add(mayOpen: false) }
        #expect(opened == [1])
        #expect(shared.connections == 1 && shared.requestsOnEach() == 10)
        let closed = (1...10).filter { _ in shared.remove() }
        #expect(closed == [10])
        #expect(shared == SharedConnections())
    }

    @Test("are one for each four requests, and as many as there were if no other may be opened")
    func several() {
        var shared = SharedConnections()
        let opened = (1...12).filter { _ in shared.add(mayOpen: true) }
        #expect(opened == [1, 5, 9])
        #expect(shared.requestsOnEach() == 4)
        #expect(!shared.opensAnother(mayOpen: false) && shared.opensAnother(mayOpen: true))
        for _ in 0..<18 { _ = shared.add(mayOpen: false) }
        #expect(shared.connections == 3 && shared.requestsOnEach() == 10)
        let closed = (1...30).filter { _ in shared.remove() }
        #expect(closed == [28, 29, 30])
        #expect(shared == SharedConnections())
    }

    @Test("are never fewer than those in use, whichever requests end", arguments: 0..<100)
    func inUse(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var shared = SharedConnections()
        // The requests on each connection.
        var open: [Int] = []
        for _ in 0..<500 {
            if Bool.random(using: &random) {
                if shared.add(mayOpen: Bool.random(using: &random)) {
                    open.append(1)
                } else if let index = open.indices.randomElement(using: &random) {
                    open[index] += 1
                }
            } else if let index = open.indices.filter({ open[$0] > 0 }).randomElement(using: &random) {
                open[index] -= 1
                if shared.remove(), let idle = open.firstIndex(of: 0) { open.remove(at: idle) }
            }
            #expect(open.count == shared.connections)
        }
    }
}
