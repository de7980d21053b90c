import Testing

@testable import SegmentedDL

@Suite("The retries of a request whose Authorization field is refused")
struct FieldRetriesTests {
    /// The number of values that requests of the source can use, and the retries of each request.
    private func retries(of requests: Int, usesOfValue: Int) -> [Int] {
        var (retries, counts) = (
            [FieldRetries](repeating: FieldRetries(), count: requests), [Int](repeating: 0, count: requests)
        )
        var (fields, left) = ([String?](repeating: nil, count: requests), [String: Int]())
        var (worked, newest, waiting) = (Set<String>(), String?.none, Array(0..<requests))
        // All requests that wait are sent at once, and answered in the order in which they were sent.
        while !waiting.isEmpty {
            for request in waiting { fields[request] = newest }
            var refused: [Int] = []
            for request in waiting {
                guard let field = fields[request], let uses = left[field], uses > 0 else {
                    refused.append(request)
                    continue
                }
                left[field] = uses - 1
                worked.insert(field)
            }
            waiting = refused.filter { request in
                let field = fields[request]
                guard retries[request].mayRetry(after: field, hasWorked: field.map(worked.contains) ?? false)
                else { return false }
                counts[request] += 1
                if newest == field {
                    let next = "value \(left.count)"
                    (newest, left[next]) = (next, usesOfValue)
                }
                return true
            }
        }
        return counts
    }

    @Test("suffice if other requests use up each new value")
    func usedUp() {
        // Two requests succeed with each value.
        #expect(retries(of: 8, usesOfValue: 2) == [1, 1, 2, 2, 3, 3, 4, 4])
    }

    @Test("are few if the host refuses every value, with one request and with many")
    func everyValue() {
        #expect(retries(of: 1, usesOfValue: 0) == [1 + FieldRetries.mostUnproven])
        #expect(retries(of: 20, usesOfValue: 0).allSatisfy { $0 == 1 + FieldRetries.mostUnproven })
    }

    @Test("are limited even if each value has worked")
    func limited() {
        var retries = FieldRetries()
        let may = (0..<20).map { retries.mayRetry(after: "\($0)", hasWorked: true) }
        #expect(may.count(where: \.self) == FieldRetries.most && !may[FieldRetries.most])
    }

    @Test(
        "count a value as accepted only if a response proves it",
        arguments: [
            (200, true), (203, true), (206, true), (226, true), (304, true), (416, true), (300, false),
            (301, false), (302, false), (303, false), (307, false), (308, false), (400, false), (401, false),
            (403, false), (404, false), (407, false), (408, false), (410, false), (412, false), (421, false),
            (425, false), (429, false), (500, false), (502, false), (503, false), (504, false),
        ])
    func acceptance(status: Int, isProof: Bool) {
        #expect(FieldRetries.isAcceptance(status: status, leavesOrigin: false) == isProof)
    }

    @Test("count a value as accepted if a redirect leads to another origin", arguments: [301, 302, 307, 308])
    func redirects(status: Int) {
        #expect(FieldRetries.isAcceptance(status: status, leavesOrigin: true))
    }
}
