import Testing

@testable import SegmentedDL

@Suite("Comparing later responses with the file")
struct RemoteIdentityTests {
    private func identity(_ etag: String?, _ date: String?, length: Int64? = 100) -> RemoteIdentity {
        RemoteIdentity(
            ResourceInfo(
                length: length, acceptsRanges: true, validators: Validators(etag: etag, lastModified: date),
                fileName: nil))
    }

    @Test("equal validators and lengths mean the same file")
    func same() {
        #expect(identity("S", "D").check(total: 100, Validators(etag: "S", lastModified: "D")) == .same)
        #expect(identity(nil, "D").check(total: 100, Validators(etag: nil, lastModified: "D")) == .same)
    }

    @Test("another length means another file", arguments: [0, 99, 101, Int64.max] as [Int64])
    func length(total: Int64) {
        let later = Validators(etag: "S", lastModified: "D")
        #expect(identity("S", "D").check(total: total, later) == .changed("its length"))
    }

    @Test("another date or ETag means another file")
    func changed() {
        let verdict = RemoteIdentity.Verdict.changed("its ETag or Last-Modified")
        #expect(identity("S", "D").check(total: 100, Validators(etag: "S", lastModified: "E")) == verdict)
        #expect(identity("S", nil).check(total: 100, Validators(etag: "T", lastModified: nil)) == verdict)
    }

    @Test("only another ETag must be proved by bytes, once")
    func etagOnly() {
        let identity = identity("S", "D")
        let later = Validators(etag: "T", lastModified: "D")
        #expect(identity.check(total: 100, later) == .compare)
        identity.trustAnyETag()
        #expect(identity.check(total: 100, later) == .same)
        // Only a different ETag is tolerated, not a different date or length.
        #expect(identity.check(total: 100, Validators(etag: "T", lastModified: "E")) != .same)
        #expect(identity.check(total: 99, later) == .changed("its length"))
    }

    @Test("a server without validators is trusted, one that stops or begins to send them is not")
    func unknown() {
        let none = Validators(etag: nil, lastModified: nil)
        #expect(identity(nil, nil).check(total: 100, none) == .same)
        #expect(identity(nil, nil).check(total: 100, Validators(etag: "S", lastModified: nil)) == .compare)
        #expect(identity("S", "D").check(total: 100, Validators(etag: nil, lastModified: "D")) == .compare)
        #expect(identity("S", nil).check(total: 100, none) == .compare)
        #expect(identity("W/S", nil).check(total: 100, Validators(etag: "W/S", lastModified: nil)) == .same)
    }

    @Test("a whole response of another file is reported")
    func whole() {
        let identity = identity("S", "D")
        let same = Validators(etag: "S", lastModified: "D")
        #expect(throws: Never.self) { try identity.checkWhole(length: 100, type: nil, same) }
        #expect(throws: Never.self) { try identity.checkWhole(length: nil, type: "text/plain", same) }
        #expect(throws: TransferFailure.self) { try identity.checkWhole(length: 99, type: nil, same) }
        #expect(throws: TransferFailure.self) {
            try identity.checkWhole(length: 100, type: nil, Validators(etag: "S", lastModified: "E"))
        }
    }

    @Test("a short response without the file's validators is not a version of it")
    func message() {
        func failure(_ stated: Int64, _ later: Validators, type: String? = nil, of file: String? = nil)
            -> String
        {
            var resource = ResourceInfo(
                length: 1_000_000, acceptsRanges: true, validators: Validators(etag: "S", lastModified: "D"))
            resource.contentType = file
            do throws(TransferFailure) {
                try RemoteIdentity(resource).checkWhole(length: stated, type: type, later)
                return "none"
            } catch {
                switch error {
                case .page: return "page"
                case .changed: return "changed"
                default: return "\(error)"
                }
            }
        }
        let new = Validators(etag: "T", lastModified: "E")
        let none = Validators(etag: nil, lastModified: nil)
        for later in [
            none, Validators(etag: "T", lastModified: nil), Validators(etag: nil, lastModified: "E"),
        ] {
            #expect(failure(17, later) == "page" && failure(0, later) == "page")
            #expect(failure(500_000, later) == "changed" && failure(2_000_000, later) == "changed")
            #expect(failure(17, later, of: "application/json") == "changed")
        }
        #expect(failure(17, new) == "changed")
        #expect(failure(17, new, type: "application/json") == "page")
        #expect(failure(17, new, type: "application/json", of: "text/json") == "changed")
    }

    @Test(
        "a web page is not a version of a file that was not one",
        arguments: ["text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml"])
    func page(type: String) throws {
        let none = Validators(etag: nil, lastModified: nil)
        let error = #expect(throws: TransferFailure.self) {
            try identity("S", "D").checkWhole(length: 80, type: type, none)
        }
        guard case .page? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        var resource = ResourceInfo(length: 100, acceptsRanges: true, validators: none)
        resource.contentType = "text/html"
        let changed = #expect(throws: TransferFailure.self) {
            try RemoteIdentity(resource).checkWhole(length: 80, type: type, none)
        }
        guard case .changed? = changed else {
            Issue.record("\(String(describing: changed))")
            return
        }
    }
}
