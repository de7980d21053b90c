import Testing

@testable import SegmentedDLServer

@Suite struct RPCPageTests {
    @Test(
        "a page of a list; from the end it is reversed",
        arguments: [
            (0, 2, [1, 2]), (1, 5, [2, 3]), (3, 1, []), (0, 0, []), (-1, 2, [3, 2]), (-3, 9, [1]),
            (-4, 1, []),
            (Int.min, 1, []), (Int.max, 1, []), (0, Int.max, [1, 2, 3]),
        ])
    func parts(offset: Int, count: Int, part: [Int]) {
        #expect(RPCPage.of([1, 2, 3], offset: offset, count: count) == part)
    }
}
