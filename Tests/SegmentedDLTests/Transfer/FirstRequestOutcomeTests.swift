import Testing

@testable import SegmentedDL

@Suite("The meaning of the first response")
struct FirstRequestOutcomeTests {
    private typealias File = Probe.FirstRequestOutcome.File

    private func interpretation(
        _ verdict: ResponseVerdict, asked range: TransferRequest.Range = .from(0),
        copy: Bool? = nil, hasCondition: Bool = true, claimsRanges: Bool = false, arrived: Int64? = nil,
        isPage: Bool = false, mayBeEmpty: Bool = false
    ) -> Probe.FirstRequestOutcome {
        var first = Probe.FirstRange(from: 0)
        first.asked = range
        return Probe.FirstRequestOutcome(
            verdict, asked: first, copy: copy, hasCondition: hasCondition, claimsRanges: claimsRanges,
            arrived: arrived, isPage: isPage, mayBeEmpty: mayBeEmpty)
    }

    private func file(_ meaning: Probe.FirstRequestOutcome) -> File? {
        if case .found(let file) = meaning { file } else { nil }
    }

    private func next(_ meaning: Probe.FirstRequestOutcome) -> TransferRequest.Range? {
        if case .retry(let range) = meaning { range } else { nil }
    }

    private func hasFailed(_ meaning: Probe.FirstRequestOutcome) -> Bool {
        if case .failed = meaning { true } else { false }
    }

    @Test("a range shows the length, and that ranges are supported")
    func range() {
        let found = file(interpretation(.range(100..<200, total: 500), asked: .from(100)))
        #expect(found == File(length: 500, acceptsRanges: true, body: 100..<200))
    }

    @Test("a whole file has the stated length, or that of the body received with it, or none")
    func whole() {
        #expect(file(interpretation(.whole(length: 5))) == File(length: 5, body: 0..<5))
        #expect(file(interpretation(.whole(length: nil), arrived: 7)) == File(length: 7, body: 0..<7))
        #expect(file(interpretation(.whole(length: nil))) == File(body: 0..<Int64.max))
    }

    @Test("304 counts only as an answer to a condition")
    func unchanged() {
        #expect(file(interpretation(.unchanged, copy: false)) == File(isUnchanged: true))
        #expect(hasFailed(interpretation(.unchanged, asked: .none)))
    }

    @Test("400 and 412 may be caused by the condition, which is then omitted", arguments: [400, 412])
    func refusedCondition(status: Int) {
        func isRetried(_ copy: Bool?, hasCondition: Bool) -> Bool {
            let meaning = interpretation(.refused(status: status), copy: copy, hasCondition: hasCondition)
            if case .retryWithoutCondition = meaning { return true }
            return false
        }
        #expect(isRetried(false, hasCondition: true))
        #expect(!isRetried(false, hasCondition: false) && !isRetried(nil, hasCondition: true))
        #expect(file(interpretation(.unchanged, copy: false, hasCondition: false)) == nil)
    }

    @Test("304 without a condition is caused by the range: the file is requested once without")
    func unchangedRange() {
        for offset: Int64 in [0, 100] {
            var first = Probe.FirstRange(from: offset)
            guard case .retryWithoutRange = Probe.FirstRequestOutcome(.unchanged, asked: first) else {
                Issue.record("it is not asked for without a range")
                return
            }
            first.beginTrial(after: .unchanged)
            #expect(hasFailed(Probe.FirstRequestOutcome(.unchanged, asked: first)))
        }
    }

    @Test("an empty file is confirmed without a range, unless something else indicates it")
    func empty() {
        for verdict in [ResponseVerdict.whole(length: 0), .unsatisfiable(total: 0)] {
            guard case .retryWithoutRange = interpretation(verdict) else {
                Issue.record("\(verdict) was not confirmed.")
                continue
            }
            #expect(file(interpretation(verdict, mayBeEmpty: true))?.length == 0)
        }
        #expect(file(interpretation(.whole(length: 0), asked: .none)) == File(length: 0, body: 0..<0))
        guard case .retryWithoutRange = interpretation(.whole(length: nil), arrived: 0) else {
            Issue.record("A body that ended at once was not confirmed.")
            return
        }
    }

    @Test("a page in response to a range is confirmed without one")
    func page() {
        guard case .retryWithoutRange = interpretation(.whole(length: 9), isPage: true) else {
            Issue.record("It was not confirmed.")
            return
        }
        #expect(file(interpretation(.whole(length: 9), asked: .none, isPage: true))?.length == 9)
        #expect(file(interpretation(.range(0..<9, total: 9), isPage: true))?.length == 9)
    }

    @Test(
        "after a wrong range the first byte is requested, then the plain file, and then it has failed",
        arguments: [
            ResponseVerdict.unsatisfiable(total: 50), .unsatisfiable(total: nil), .wrongRange("x"),
        ])
    func wrongRange(verdict: ResponseVerdict) {
        #expect(next(interpretation(verdict, asked: .from(100))) == .from(0))
        #expect(next(interpretation(verdict, asked: .from(0))) == TransferRequest.Range.none)
        #expect(hasFailed(interpretation(verdict, asked: .none)))
    }

    @Test(
        "any other answer is a failure",
        arguments: [
            ResponseVerdict.busy(status: 503, retryAfter: nil), .gone(status: 404), .failing(status: 408),
            .refused(status: 451), .malformed("x"),
        ])
    func failures(verdict: ResponseVerdict) {
        #expect(hasFailed(interpretation(verdict)))
    }

    @Test("encoded content is requested once without a range")
    func encoded() {
        for range in [TransferRequest.Range.from(0), .from(100), .exactly(0..<5)] {
            guard case .retryWithoutRange = interpretation(.encoded("gzip"), asked: range) else {
                Issue.record("\(range)")
                continue
            }
        }
        #expect(hasFailed(interpretation(.encoded("gzip"), asked: .none)))
    }

    @Test("a part without a Content-Range is not the file, after all other requests were refused")
    func boundedWhole() {
        let asked = TransferRequest.Range.exactly(0..<1_048_576)
        #expect(hasFailed(interpretation(.whole(length: nil), asked: asked)))
        #expect(hasFailed(interpretation(.whole(length: nil), asked: asked, arrived: 1_048_576)))
        #expect(file(interpretation(.whole(length: nil), asked: asked, arrived: 9)) != nil)
        #expect(file(interpretation(.whole(length: 2_000_000), asked: asked)) != nil)
    }

    @Test("a total that is the end of the part is confirmed by a shorter part")
    func totalOfPart() {
        func outcome(_ length: Int64, total: Int64) -> Probe.FirstRequestOutcome {
            interpretation(.range(0..<length, total: total), asked: .exactly(0..<length))
        }
        #expect(next(outcome(1_048_576, total: 1_048_576)) == .exactly(0..<65_536))
        #expect(hasFailed(outcome(65_536, total: 65_536)))
        #expect(file(outcome(65_536, total: 1_048_576))?.length == 1_048_576)
    }

    @Test("a response that describes the existing copy means the same as 304")
    func describedCopy() {
        for verdict in [ResponseVerdict.range(0..<5, total: 5), .whole(length: 5)] {
            #expect(file(interpretation(verdict, copy: true)) == File(isUnchanged: true))
            #expect(file(interpretation(verdict, copy: false))?.isUnchanged == false)
        }
    }

    @Test(
        "a server that fails with the first range is queried once without, and again after the next failure")
    func trial() {
        var first = Probe.FirstRange(from: 0)
        func outcome(_ verdict: ResponseVerdict, claimsRanges: Bool = false, arrived: Int64? = nil)
            -> Probe.FirstRequestOutcome
        {
            Probe.FirstRequestOutcome(verdict, asked: first, claimsRanges: claimsRanges, arrived: arrived)
        }
        guard case .retryWithoutRange = outcome(.failing(status: 500)) else {
            Issue.record("It was not asked without a range.")
            return
        }
        first.beginTrial(after: .failing(status: 500))
        #expect(first.asked == .none)
        #expect(file(outcome(.whole(length: 0), arrived: 0)) == File(length: 0, body: 0..<0))
        #expect(file(outcome(.whole(length: 9))) == File(length: 9, body: 0..<9))
        // The failure was temporary: the range is requested again.
        #expect(next(outcome(.whole(length: 9), claimsRanges: true)) == .from(0))
        #expect(file(outcome(.whole(length: 9), claimsRanges: true, arrived: 9)) != nil)
        #expect(hasFailed(outcome(.failing(status: 500))))
        first.begin()
        #expect(first.asked == .from(0))
        #expect(hasFailed(outcome(.failing(status: 500))))
    }

    @Test("a refused range is omitted once, whatever its offset, and then shortened", arguments: [0, 100])
    func refusedRange(offset: Int64) {
        for status in [400, 405, 406, 412, 418] {
            var first = Probe.FirstRange(from: offset, mayTry: false)
            func outcome(_ verdict: ResponseVerdict, claimsRanges: Bool = false) -> Probe.FirstRequestOutcome
            {
                Probe.FirstRequestOutcome(verdict, asked: first, claimsRanges: claimsRanges)
            }
            guard case .retryWithoutRange = outcome(.refused(status: status)) else {
                Issue.record("\(status) was final.")
                continue
            }
            first.beginTrial(after: .refused(status: status))
            #expect(file(outcome(.whole(length: 9), claimsRanges: true)) == File(length: 9, body: 0..<9))
            #expect(next(outcome(.refused(status: status))) == .exactly(0..<1_048_576))
            first.asked = .exactly(0..<1_048_576)
            #expect(
                file(outcome(.range(0..<5, total: 50)))
                    == File(length: 50, acceptsRanges: true, body: 0..<5))
            #expect(hasFailed(outcome(.refused(status: status))))
        }
    }

    @Test("403 may be caused by the range, and is final without one")
    func forbidden() {
        var first = Probe.FirstRange(from: 0)
        let refusal = ResponseVerdict.gone(status: 403)
        guard case .retryWithoutRange = Probe.FirstRequestOutcome(refusal, asked: first) else {
            Issue.record("403 was final.")
            return
        }
        first.beginTrial(after: refusal)
        #expect(hasFailed(Probe.FirstRequestOutcome(refusal, asked: first)))
    }

    @Test("a range is omitted after two failures, and used again where ranges work")
    func losses() {
        var first = Probe.FirstRange(from: 0)
        func meaning(claimsRanges: Bool) -> Probe.FirstRequestOutcome {
            Probe.FirstRequestOutcome(.whole(length: 9), asked: first, claimsRanges: claimsRanges)
        }
        for _ in 0..<2 {
            first.begin()
            #expect(first.asked == .from(0))
        }
        first.begin()
        #expect(first.asked == .none)
        #expect(file(meaning(claimsRanges: false)) == File(length: 9, body: 0..<9))
        #expect(next(meaning(claimsRanges: true)) == .from(0))
        first.ask(.from(0))
        // The range has failed again.
        first.begin()
        #expect(first.asked == .none)
        #expect(file(meaning(claimsRanges: true)) == File(length: 9, body: 0..<9))
    }

    @Test("a range after bytes on disk is requested once more after the whole file has arrived")
    func lossesOfResume() {
        var first = Probe.FirstRange(from: 100)
        func meaning() -> Probe.FirstRequestOutcome {
            Probe.FirstRequestOutcome(.whole(length: 900), asked: first)
        }
        for _ in 0..<2 {
            first.begin()
            #expect(first.asked == .from(100))
        }
        first.begin()
        #expect(first.asked == .none)
        #expect(next(meaning()) == .from(100))
        first.ask(.from(100))
        first.begin()
        #expect(first.asked == .none)
        #expect(file(meaning()) == File(length: 900, body: 0..<900))
    }

    @Test(
        "401, 404, 407, 410, 429 and 451 are never caused by the range",
        arguments: [401, 404, 407, 410, 429, 451])
    func otherRefusals(status: Int) {
        #expect(!RangeRefusal.isPossible(status))
    }

    @Test("the range of the whole file may be omitted if it gets no response, and is not requested again")
    func omitted() {
        #expect(!Probe.FirstRange(from: 100).mayOmit)
        #expect(!Probe.FirstRange(from: 0, asksForAll: true).mayOmit)
        var first = Probe.FirstRange(from: 0)
        #expect(first.mayOmit)
        first.omit()
        let found = file(Probe.FirstRequestOutcome(.whole(length: 9), asked: first, claimsRanges: true))
        #expect(found == File(length: 9, body: 0..<9))
    }

    @Test("a server that fails with a later range is not queried from the start")
    func laterRange() {
        #expect(hasFailed(interpretation(.failing(status: 500), asked: .from(100))))
    }
}
