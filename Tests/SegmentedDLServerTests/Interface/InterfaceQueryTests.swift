import Foundation
import SegmentedDL
import SegmentedDLQueue
import Testing

@testable import SegmentedDLServer

@Suite struct InterfaceQueryTests {
    private func receipt(_ number: Int, _ state: String, ended: Double? = nil) throws -> Receipt {
        var fields: [String: Any] = [
            "id": number, "source": "https://example.com/\(number)", "destination": ["directory": "/d"],
            "state": state, "priority": 0, "bytesCompleted": 0, "bytesPerSecond": 0, "connections": 0,
            "attempts": 1, "seconds": 0, "added": 0, "checksums": [String](),
        ]
        fields["ended"] = ended
        return try JSONDecoder().decode(Receipt.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    private func all() throws -> [Receipt] {
        try [
            receipt(1, "completed", ended: 10), receipt(2, "queued"), receipt(3, "failed", ended: 30),
            receipt(4, "downloading"), receipt(5, "cancelled", ended: 30), receipt(6, "paused"),
        ]
    }

    @Test(
        "the order by activity has unfinished ones first, and then the latest",
        arguments: [
            ("", [1, 2, 3, 4, 5, 6]), ("order=queue", [1, 2, 3, 4, 5, 6]),
            ("order=work", [2, 4, 6, 5, 3, 1]), ("order=work&state=failed", [5, 3]),
            ("order=work&search=COM/6", [6]),
        ] as [(String, [Int64])])
    func order(query: String, numbers: [Int64]) throws {
        #expect(try InterfaceQuery(query).select(from: all()).map(\.id.rawValue) == numbers)
    }

    @Test("the page around a download contains it")
    func around() throws {
        let list = try all()
        let query = try InterfaceQuery("limit=2&offset=1&around=0000000000000004")
        #expect(query.around == "0000000000000004")
        #expect(query.offset(of: list[3].id, in: list) == 2)
        #expect(query.offset(of: list[4].id, in: list) == 4)
        #expect(query.offset(of: list[3].id, in: [list[0]]) == 1)
    }

    @Test("another order is refused")
    func refused() {
        #expect(throws: InterfaceError.self) { try InterfaceQuery("order=size") }
    }
}
