import SegmentedDL
import Testing

@testable import segdl

@Suite("The checks of a run before it starts")
struct ListCheckTests {
    @Test("refuse a list with mostly invalid lines")
    func check() {
        func lines(_ urls: Int, _ others: Int) -> [InputList.Entry] {
            (1...max(urls + others, 1)).map {
                .file(InputList.File(urls: [$0 <= others ? "some words" : "http://host/\($0)"], line: $0))
            }
        }
        for (urls, others) in [(1, 10), (12, 11), (100, 1), (300, 60 - 11)] {
            #expect(throws: Never.self) { try ListCheck.check(lines(urls, others), of: "list") }
        }
        let error = #expect(throws: (any Error).self) { try ListCheck.check(lines(10, 11), of: "list") }
        #expect(
            "\(error.map { "\($0)" } ?? "")".contains(
                "11 of its first 21 entries are not URLs, such as list:1"))
    }

    @Test("name the subcommand for a list of checksums")
    func checksums() {
        let lines = [
            "\(String(repeating: "a", count: 64))  a.iso", "SHA1 (b) = \(String(repeating: "b", count: 40))",
        ]
        let files = lines.map { InputList.Entry.file(InputList.File(urls: [$0], line: 1)) }
        for count in 1...2 {
            let error = #expect(throws: DownloadError.self) {
                try ListCheck.check(Array(files.prefix(count)), of: "SUMS")
            }
            #expect(error?.message.contains("`segdl verify SUMS`") == true)
        }
        let mixed = files + [.file(InputList.File(urls: ["http://host/a"], line: 3))]
        #expect(throws: Never.self) { try ListCheck.check(mixed, of: "SUMS") }
        #expect(throws: Never.self) { try ListCheck.check([InputList.Entry](), of: "SUMS") }
    }

    @Test("suggest -o - only where one file may be meant for standard output")
    func pipe() {
        func hint(_ files: Int = 1, named: Bool = false, taken: Bool = true) -> String? {
            PipeHint.text(files: files, namesOutput: named, outputIsTaken: taken)
        }
        #expect(hint()?.contains("use -o - for standard output") == true)
        #expect(hint(2) == nil && hint(named: true) == nil && hint(taken: false) == nil)
    }

    @Test(
        "do not suggest it for a command line whose file goes to the disk in curl and axel",
        arguments: [
            ("-sSfLO u", true), ("-s -O u", true), ("--remote-name u", true), ("-OJ u", true),
            ("-a -n10 u", true), ("-an 10 u", true), ("-sL u", false), ("-s u -- -O", false),
            ("-sS u", false), ("u", false),
        ])
    func disk(line: String, means: Bool) {
        #expect(PipeHint.meansDisk(line.split(separator: " ").map(String.init)) == means)
    }
}
