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
        let closed = (1...10).filter { _ in shared.remove(upTo: 8) }
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
        let closed = (1...30).filter { _ in shared.remove(upTo: 8) }
        #expect(closed == [22, 26, 30])
        #expect(shared == SharedConnections())
    }

    @Test("are fewer with each request that ends, if fewer are allowed, but one remains")
    func fewer() {
        var shared = SharedConnections()
        for _ in 1...40 { _ = shared.add(mayOpen: true) }
        #expect(shared.connections == 10)
        let closed = (1...40).filter { _ in shared.remove(upTo: 0) }
        #expect(closed == [1, 2, 3, 4, 5, 6, 7, 8, 9, 40])
        #expect(shared == SharedConnections())
    }
}
