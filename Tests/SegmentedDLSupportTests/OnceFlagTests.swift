import SegmentedDLSupport
import Testing

@Suite("A flag that is raised once")
struct OnceFlagTests {
    @Test("is raised by the first caller only, and copies share it")
    func first() {
        let flag = OnceFlag()
        let copy = flag
        #expect(!flag.isRaised)
        let answers = [flag.raise(), copy.raise(), flag.raise()]
        #expect(answers == [true, false, false])
        #expect(copy.isRaised)
    }

    @Test("is raised by one of many tasks")
    func concurrent() async {
        let flag = OnceFlag()
        let firsts = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { flag.raise() } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(firsts == 1)
    }
}
