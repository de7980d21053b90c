import SegmentedDL
import SystemPackage
import Testing

@testable import SegmentedDLOptions

@Suite("The options of a file in a list")
struct ListedOptionTests {
    private func changed(
        _ given: [String: String], from policy: ExistingFilePolicy = .fail
    ) throws -> DownloadRequest {
        var request = try DownloadRequest("http://h/a", to: .directory("."))
        request.ifExists = policy
        Aria2Values(given.mapValues { [$0] }, defaults: .call).change(&request)
        return request
    }

    @Test(
        "set the policy for existing files, and leave the command line's if unset",
        arguments: [
            ([:], .skip, .skip), (["allow-overwrite": "true"], .skip, .replace),
            (["allow-overwrite": "true", "conditional-get": "true"], .fail, .update),
            (["auto-file-renaming": "true"], .replace, .rename),
            (["auto-file-renaming": "false"], .rename, .fail),
            (["auto-file-renaming": "false"], .replace, .replace),
            (["allow-overwrite": "false"], .replace, .fail),
        ] as [([String: String], ExistingFilePolicy, ExistingFilePolicy)])
    func existing(given: [String: String], policy: ExistingFilePolicy, result: ExistingFilePolicy) throws {
        #expect(try changed(given, from: policy).ifExists == result)
    }

    @Test("limit the connections to one host only if set")
    func segments() throws {
        #expect(try changed([:]).segments == nil)
        #expect(try changed(["split": "3"]).segments == .fixed(3))
        #expect(try changed(["split": "8", "max-connection-per-server": "2"]).segments == .fixed(2))
    }

    @Test("leave the configuration's tries if unset, or with a wait of zero")
    func tries() throws {
        #expect(try changed(["retry-wait": "0"]).tries == nil)
        #expect(try changed(["retry-wait": "9"]).tries == FileTries(wait: 9))
        #expect(try changed(["max-tries": "0"]).tries == FileTries(count: 0))
        #expect(try changed(["max-download-limit": "0"]).rate == nil)
    }
}
