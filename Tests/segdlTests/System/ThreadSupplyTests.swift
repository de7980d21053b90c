import SystemPackage
import Testing

@testable import segdl

@Suite("The supply of threads")
struct ThreadSupplyTests {
    @Test("suffices where tests run")
    func there() {
        #expect(ThreadSupply.fault == nil)
    }

    @Test("is reported with the remedy for its cause")
    func causes() {
        #expect(ThreadSupply.sentence(.resourceTemporarilyUnavailable).contains("raise the limit (ulimit -u"))
        #expect(ThreadSupply.sentence(.notPermitted).contains("seccomp=unconfined"))
    }
}
