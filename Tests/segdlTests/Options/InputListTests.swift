import Testing

@testable import segdl

@Suite("Lists of files in aria2's format")
struct InputListTests {
    private func file(_ urls: String..., line: Int, name: String? = nil) -> InputList.Entry {
        var file = InputList.File(urls: urls, line: line)
        file.options.name = name
        return .file(file)
    }

    @Test("have a file in each line, its mirrors after tabs, and its options below it")
    func files() {
        let text = "\u{feff}# a list\nhttp://h/a\thttp://m/a\n  out=b\n\n http://h/c\n"
        // A URL after a blank is accepted, as by wget.
        #expect(
            InputList.parse(text) == [
                file("http://h/a", "http://m/a", line: 2, name: "b"), file("http://h/c", line: 5),
            ])
        let right = "\u{feff}# a list\r\nhttp://h/a\t http://m/a\r\n\tout=b\r\n\r\nhttp://h/c"
        #expect(
            InputList.parse(right) == [
                file("http://h/a", "http://m/a", line: 2, name: "b"), file("http://h/c", line: 5),
            ])
    }

    @Test("may have a comment behind a URL and a blank, but a fragment is no comment")
    func comments() {
        let text = "http://h/a # first\nhttp://h/b\t#x\thttp://h/c\n  header=X: a #1\nhttp://h/d#e f\n#\n"
        var second = InputList.File(urls: ["http://h/b"], line: 2)
        try? second.options.take("header=X: a #1")
        #expect(
            InputList.parse(text) == [
                file("http://h/a", line: 1), .file(second), file("http://h/d#e f", line: 4),
            ])
    }

    @Test("report the invalid line, whatever options follow it")
    func wrong() {
        #expect(
            InputList.parse("http://h/a\n  nonsense\n  out=b\nhttp://h/c\n") == [
                .wrong("an indented line is not an option; write NAME=VALUE", line: 2),
                file("http://h/c", line: 4),
            ])
    }

    @Test("do not begin with an option")
    func optionFirst() {
        guard case .wrong(_, line: 1)? = InputList.parse("  out=b\nhttp://h/a\n").first else {
            Issue.record("the option is taken")
            return
        }
    }
}
