import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The order of a mirror's steps")
struct MirrorAgendaTests {
    private func name(_ action: MirrorAgenda<Int>.Action) -> String {
        switch action {
        case .begin(let step): "\(step)"
        case .read(let turn): "read \(turn)"
        case .awaitListing: "await"
        case .wait: "wait"
        case .end: "end"
        }
    }

    private func next(_ agenda: inout MirrorAgenda<Int>, _ count: Int, atMost most: Int = 2) -> [String] {
        (0..<count).map { _ in name(agenda.next(atMost: most)) }
    }

    @Test("files are read once all steps have started, within the maximum of steps")
    func capped() {
        var agenda = MirrorAgenda<Int>()
        var actions = next(&agenda, 1)
        agenda.add([1, 2, 3], last: 30, isAll: false)
        actions += next(&agenda, 4)
        agenda.end(followedBy: [], later: [])
        actions += next(&agenda, 2)
        #expect(actions == ["read 0", "1", "2", "wait", "wait", "3", "read 30"])
    }

    @Test("follow-up steps take precedence, except revalidation")
    func followers() {
        var agenda = MirrorAgenda<Int>()
        agenda.add([1, 2, 3], last: 3, isAll: true)
        var actions = next(&agenda, 1, atMost: 1)
        agenda.end(followedBy: [11, 12], later: [13])
        for _ in 0..<5 {
            actions += next(&agenda, 1, atMost: 1)
            agenda.end(followedBy: [], later: [])
        }
        #expect(actions == ["1", "11", "12", "2", "3", "13"])
    }

    @Test("an empty database is read again after the listing has changed, and the run ends once all was read")
    func listing() {
        var agenda = MirrorAgenda<Int>()
        agenda.add([], last: nil, isAll: false)
        var actions = next(&agenda, 2)
        agenda.listingHasChanged()
        actions += next(&agenda, 1)
        agenda.add([1], last: 1, isAll: false)
        actions += next(&agenda, 2)
        agenda.add([], last: nil, isAll: true)
        actions += next(&agenda, 1)
        agenda.end(followedBy: [], later: [])
        actions += next(&agenda, 1)
        #expect(actions == ["await", "wait", "read 0", "1", "read 1", "wait", "end"])
    }

    @Test("steps that join the last one count as one, up to the first that does not")
    func joined() {
        var agenda = MirrorAgenda<Int>()
        agenda.add([1, 3, 5, 6, 7], last: 5, isAll: true)
        func takeOdd() -> Int? { agenda.take { $0 % 2 == 1 ? $0 * 10 : nil } }
        #expect(next(&agenda, 1, atMost: 1) == ["1"])
        #expect([takeOdd(), takeOdd(), takeOdd()] == [30, 50, nil])
        #expect(next(&agenda, 1, atMost: 1) == ["wait"])
        agenda.end(followedBy: [], later: [])
        #expect(next(&agenda, 1, atMost: 1) == ["6"])
    }

    @Test("a stopped run starts nothing, and ends with its active steps")
    func stopped() {
        var agenda = MirrorAgenda<Int>()
        agenda.add([1, 2], last: 2, isAll: false)
        var actions = next(&agenda, 1, atMost: 1)
        agenda.stop()
        actions += next(&agenda, 1)
        agenda.end(followedBy: [], later: [])
        actions += next(&agenda, 1)
        #expect(actions == ["1", "wait", "end"])
    }
}
