import SegmentedDL
import Testing

@testable import segdl

@Suite struct BarLayoutTests {
    private func frame(_ files: [FileSnapshot], columns: Int, rows: Int = 24, unicode: Bool = true)
        -> [String]
    {
        BarLayout(columns: columns, rows: rows, unicode: unicode, color: false).frame(Overall(files), files)
    }

    /// Files in every state, with every odd name, with and without a length.
    private var odd: [FileSnapshot] {
        oddNames.enumerated().map { index, name in
            var file = halfway(index, name: name)
            switch index % 4 {
            case 1: file.progress.bytesTotal = nil
            case 2: file.progress.state = .probing
            case 3: file.progress.state = .verifying
            default: break
            }
            return file
        }
    }

    @Test(arguments: [true, false])
    func everyFrameFitsItsWindow(unicode: Bool) {
        for files in [odd, [odd[7]], [odd[8]], [odd[9]], Array(odd[3...6])] {
            for columns in 1...200 {
                for rows in [2, 3, 4, 5, 8, 13, 20, 24, 50] {
                    let layout = BarLayout(columns: columns, rows: rows, unicode: unicode)
                    let lines = layout.lines(Overall(files), files)
                    #expect(!lines.isEmpty && lines.count <= rows - 1, "\(columns)x\(rows)")
                    let widest = lines.map { TextWidth.columns($0.text) }.max() ?? 0
                    #expect(widest <= columns, "\(columns)x\(rows)")
                    #expect(
                        lines.allSatisfy { $0.text == TextWidth.printable($0.text) && $0.text.last != " " })
                }
            }
        }
    }

    @Test func everyHeightIsKept() {
        for rows in 2...50 {
            for count in 1...30 {
                let files = (0..<count).map { halfway($0) }
                let lines = frame(files, columns: 80, rows: rows)
                #expect((1...rows - 1).contains(lines.count), "\(count) files, \(rows) rows")
            }
        }
    }

    @Test func windowsWithoutRoomStayEmpty() {
        #expect(frame([halfway()], columns: 80, rows: 1).isEmpty)
        #expect(frame([halfway()], columns: 80, rows: 0).isEmpty)
        #expect(frame([halfway()], columns: 0).isEmpty)
    }

    @Test func oneFileHasItsMapBelow() {
        let lines = frame([halfway()], columns: 80)
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("disk.iso "))
        #expect(lines[0].hasSuffix(" 45%   450 MiB / 1000 MiB  10.0 MiB/s      0:55   8 conn"))
        #expect(lines[0].count == 80)
        #expect(lines[1].hasPrefix(String(repeating: "█", count: 36) + "►···"))
        #expect(lines[1].count == 80)
    }

    @Test func manyFilesHaveTheirMapsBeside() {
        let lines = frame((0..<6).map { halfway($0) }, columns: 80, rows: 12)
        #expect(lines.count == 7)
        #expect(lines[0].hasPrefix("disk.iso  "))
        #expect(lines[0].contains("██►►►"))
        #expect(lines[0].hasSuffix("   45%  1000 MiB  10.0 MiB/s      0:55   8 conn"))
        #expect(Set(lines[0..<6]).count == 1)
        #expect(lines[6] == "0/6 files  45%  2.64 GiB / 5.86 GiB  60.0 MiB/s  0:55  48 conn")
    }

    @Test func fieldsGoInOrderAsTheWindowNarrows() {
        // The fields still shown in each line, from wide to narrow; a dropped field does not reappear.
        var previous = Set(["0:55", "8 conn", "1000 MiB", "██", "MiB/s", "45%", "disk.iso"])
        var order: [String] = []
        for columns in stride(from: 120, through: 4, by: -1) {
            let line = frame((0..<6).map { halfway($0) }, columns: columns, rows: 9)[0]
            let present = previous.filter { line.contains($0) }
            order += previous.subtracting(present).sorted()
            previous = present
        }
        #expect(order == ["0:55", "8 conn", "1000 MiB", "██", "MiB/s", "disk.iso"])
        #expect(previous == ["45%"])
    }

    @Test func aNarrowWindowHasNameAndPercent() {
        #expect(frame([halfway(name: "a-very-long-name.iso")], columns: 20)[0] == "a-very-…me.iso   45%")
        #expect(frame([halfway(name: "a-very-long-name.iso")], columns: 9)[0] == "a…o   45%")
        #expect(frame([halfway(name: "disk.iso")], columns: 5)[0] == "45%")
        #expect(frame([halfway(name: "disk.iso")], columns: 2)[0] == "d…")
        #expect(frame([halfway(name: "disk.iso")], columns: 1)[0] == "…")
    }

    @Test func moreFilesThanRows() {
        let lines = frame((0..<10).map { halfway($0) }, columns: 80, rows: 6)
        #expect(lines.count == 5)
        #expect(lines[3] == "and 7 more")
        #expect(lines[4].hasPrefix("0/10 files"))
    }

    @Test func oneRowIsForAllFiles() {
        #expect(
            frame((0..<3).map { halfway($0) }, columns: 80, rows: 2).first?.hasPrefix("0/3 files") == true)
        #expect(frame([halfway()], columns: 80, rows: 2).first?.hasPrefix("disk.iso") == true)
    }

    @Test func unknownLengthHasASpinner() {
        let file = snapshot(0, progress(name: "s", done: 3 << 20, speed: 1024, active: [segment(0, 1, .max)]))
        let turns = (0...10).map { tick in
            BarLayout(columns: 80, rows: 24, unicode: false, color: false, tick: tick).frame(
                Overall([file]), [file])
        }
        #expect(turns[0].count == 1)
        #expect(turns[0][0].contains("   |"))
        #expect(turns[0][0].hasSuffix("3.00 MiB  1.00 KiB/s             1 conn"))
        #expect(turns[0] != turns[1])
        #expect(turns[0] == turns[4])
    }

    @Test func statesWithoutBytesAreNamed() {
        #expect(frame([snapshot(0, progress(.probing, name: "a"))], columns: 80)[0].contains("connecting"))
        #expect(frame([snapshot(0, progress(.queued, name: "a"))], columns: 80)[0].contains("waiting"))
        #expect(frame([snapshot(0, progress(.finalizing, name: "a"))], columns: 80)[0].contains("finalizing"))
        #expect(frame([snapshot(0, progress(.completed, name: "a"))], columns: 80).isEmpty)
    }

    @Test func asciiTerminalsGetASCII() {
        for columns in 1...120 {
            #expect(frame(odd, columns: columns, unicode: false).allSatisfy { $0.allSatisfy { $0.isASCII } })
        }
    }

    @Test func failuresAreInTheOverallLine() {
        let overall = Overall([halfway()], unlisted: FileTally(completed: 3, failed: 2))
        let lines = BarLayout(columns: 80, rows: 24, color: false).frame(overall, [halfway()])
        #expect(lines.last?.hasPrefix("3/6 files  2 failed  ") == true)
    }

    @Test func colorChangesNothingButTheLook() {
        let files = odd
        let plain = BarLayout(columns: 70, rows: 30, color: false).frame(Overall(files), files)
        let colored = BarLayout(columns: 70, rows: 30, color: true).frame(Overall(files), files)
        #expect(plain != colored)
        #expect(colored.map(withoutColor) == plain)
        #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
    }

    private func withoutColor(_ text: String) -> String {
        var result = ""
        var isInside = false
        for character in text {
            if character == "\u{1B}" { isInside = true }
            if !isInside { result.append(character) }
            if character == "m" { isInside = false }
        }
        return result
    }
}
