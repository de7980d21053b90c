import ArgumentParser
import Testing

@testable import segdl

@Suite("Options of a list without effect")
struct IgnoredOptionsTests {
    @Test("are collected if segdl has them for all files")
    func collected() throws {
        var collector = try Fetch.parse(["http://h/f"]).collector()
        let text = """
            http://h/a
             timeout=2
             disable-ipv6=false
             file-allocation=none
            http://h/b
             timeout=3
             min-split-size=1M
            """
        for entry in InputList.parse(text) { collector.add(entry) }
        #expect(collector.ignoredOptions == ["timeout", "min-split-size"])
        #expect(collector.requests.count == 2)
    }

    @Test("are named with the option for all files")
    func sentence() {
        #expect(IgnoredOptions.sentence([]) == nil)
        #expect(
            IgnoredOptions.sentence(["timeout"])
                == "timeout has no effect in a list; --connect-timeout applies to all files.")
        #expect(
            IgnoredOptions.sentence(["timeout", "connect-timeout", "disable-ipv6"])
                == "connect-timeout and disable-ipv6 and timeout have no effect in a list; --connect-timeout and -4 apply to all files."
        )
    }
}
