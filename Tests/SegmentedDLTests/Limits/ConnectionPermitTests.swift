import Testing

@testable import SegmentedDL

@Suite("A permit for a connection to a host with a quota")
struct ConnectionPermitTests {
    private let scheduler = GlobalScheduler(limits: Limits())

    /// Returns a permit whose first request was answered, and its file's slot.
    private func permit(left: Int) async throws -> (ConnectionPermit, FileSlot) {
        let slot = scheduler.submit(priority: 0)
        let permit = try await slot.connect(to: "a")
        let mayAsk = permit.mayAsk("", needsProof: true)
        #expect(mayAsk)
        _ = permit.told(RequestQuota(left: left, resetSeconds: 60), isRefusal: false)
        return (permit, slot)
    }

    @Test("counts a reserved request once")
    func once() async throws {
        let (permit, slot) = try await permit(left: 2)
        for _ in 0..<3 { #expect(permit.reserve("", needsProof: true)) }
        #expect(permit.mayAsk("", needsProof: true))
        #expect(slot.room(at: "a") > 0)
        #expect(permit.reserve("", needsProof: true))
        #expect(slot.room(at: "a") < 1)
        permit.release()
    }

    @Test("returns a reserved request that was not sent")
    func unused() async throws {
        let (permit, slot) = try await permit(left: 1)
        #expect(permit.reserve("", needsProof: true))
        #expect(slot.room(at: "a") < 1)
        permit.release()
        #expect(slot.room(at: "a") > 0)
    }

    @Test("reserves nothing once the quota is exhausted")
    func exhausted() async throws {
        let (permit, slot) = try await permit(left: 1)
        #expect(permit.mayAsk("", needsProof: true))
        _ = permit.told(RequestQuota(left: 0, resetSeconds: 60), isRefusal: false)
        #expect(!permit.reserve("", needsProof: true))
        permit.release()
        #expect(slot.room(at: "a") < 1)
    }
}
