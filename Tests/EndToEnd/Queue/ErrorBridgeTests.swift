import Foundation
import SegmentedDL
import SegmentedDLProgress
import Testing

@Suite("An error as Foundation's NSError")
struct ErrorBridgeTests {
    @Test("has the code's number, the message and the cause")
    func bridged() {
        let cause = DownloadError(.cannotResolve, "No such host.")
        let error = DownloadError(.closureFailed, "The closure failed.", cause: cause)
        let bridged = error as NSError
        #expect(bridged.domain == "SegmentedDL.DownloadError")
        #expect(bridged.code == 702)
        #expect(bridged.localizedDescription == "The closure failed.")
        #expect(bridged.userInfo[NSUnderlyingErrorKey] as? DownloadError == cause)
    }

    @Test("has the parts of the message")
    func parts() {
        let bridged = DownloadError(.locked, "'a' is open already; end that process.") as NSError
        #expect(bridged.localizedDescription == "'a' is open already.")
        #expect(bridged.localizedFailureReason == "The file is in use.")
        #expect(bridged.localizedRecoverySuggestion == "End that process.")
    }

    @Test("without a cause has none")
    func causeless() {
        #expect((DownloadError(.locked, "It is locked.") as NSError).userInfo[NSUnderlyingErrorKey] == nil)
    }
}
