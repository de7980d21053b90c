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
}
