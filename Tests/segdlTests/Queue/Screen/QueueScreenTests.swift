import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import SegmentedDLQueue
@testable import segdl

@Suite struct QueueScreenTests {
    // MARK: Selection

    @Test func theSelectionFollowsItsDownload() throws {
        let receipts = try waiting(5)
        var screen = QueueScreen(receipts)
        _ = screen.press("jj")
        #expect(screen.selected == id(3))
        screen.update(receipts.reversed())
        #expect(screen.selected == id(3))
        screen.update([receipts[2], receipts[0]])
        #expect(screen.selected == id(3) && screen.row == 0)
        screen.update([receipts[0], receipts[2]])
        #expect(screen.selected == id(3) && screen.row == 1)
    }

    @Test func whatTakesItsPlaceIsSelectedNext() throws {
        let receipts = try waiting(5)
        var screen = QueueScreen(receipts)
        _ = screen.press("jj")
        screen.update(receipts.filter { $0.id != id(3) })
        #expect(screen.selected == id(4))
        screen.update(Array(receipts[..<2]))
        #expect(screen.selected == id(2))
        screen.update([])
        #expect(screen.selected == nil && screen.selection == nil)
        #expect(screen.press("pxcsKJtbr").isEmpty)
        screen.update(receipts)
        #expect(screen.selected == id(1))
    }

    @Test func scrollingKeepsTheSelectionInView() throws {
        // The list has five rows.
        var screen = QueueScreen(try waiting(100), rows: 9)
        func inView() -> Bool {
            (screen.top..<screen.top + 5).contains(screen.row) && screen.selectedLine != nil
        }
        for key: Key in [
            .end, .pageUp, .up, .home, .pageDown, .down, .character("G"), .character("k"), .character("g"),
        ] {
            _ = screen.press(key)
            #expect(inView(), "\(key)")
        }
        _ = screen.press(.pageDown)
        #expect(screen.row == 4 && screen.top == 0)
        _ = screen.press(.pageDown)
        #expect(screen.row == 8 && screen.top == 4)
        _ = screen.press("G")
        #expect(screen.row == 99 && screen.top == 95)
        screen.size.rows = 24
        #expect(screen.top == 80)
        screen.size.rows = 5
        #expect(screen.selectedLine?.contains("file-100.iso") == true)
    }

    @Test func rowsThatGoAboveDoNotPushTheOthers() throws {
        var receipts = try waiting(100)
        var screen = QueueScreen(receipts, rows: 9)
        _ = screen.press(.end)
        for _ in 0..<50 { _ = screen.press(.up) }
        let before = screen.text[2..<7]
        receipts[3].state = .completed
        receipts[4].state = .completed
        screen.update(receipts)
        #expect(screen.text[2..<7] == before)
        #expect(screen.row == 47)
    }

    @Test func theBeginningStaysInView() throws {
        var receipts = try waiting(3)
        var screen = QueueScreen(receipts, rows: 9)
        receipts.insert(try receipt(9), at: 0)
        screen.update(receipts)
        #expect(screen.top == 0 && screen.row == 1 && screen.selected == id(1))
    }

    @Test func whatIsCompleteIsShownOnRequest() throws {
        var receipts = try waiting(6)
        for index in [0, 1, 3] { receipts[index].state = .completed }
        var screen = QueueScreen(receipts)
        #expect(screen.order == [3, 5, 6])
        _ = screen.press("ja")
        #expect(screen.order == [1, 2, 3, 4, 5, 6])
        #expect(screen.selected == id(5))
        _ = screen.press("k")
        #expect(screen.selected == id(4))
        _ = screen.press("u")
        // The next one is selected.
        #expect(screen.order == [3, 5, 6] && screen.selected == id(5))
    }

    // MARK: Verbs

    @Test func simpleVerbs() throws {
        var receipts = try waiting(2)
        receipts[1].state = .paused
        var screen = QueueScreen(receipts)
        #expect(screen.press("pPRjr") == [.pause(id(1)), .pauseAll, .resumeAll, .start(id(2))])
        #expect(screen.press("q") == [.quit])
        #expect(screen.press(.escape) == nil && screen.press(.enter) == nil && screen.press("zZ1é日").isEmpty)
    }

    @Test(arguments: [DownloadState.failed, .cancelled, .retrying, .paused])
    func whatDoesNotRunIsStarted(state: DownloadState) throws {
        var screen = QueueScreen([try receipt(1, state)])
        #expect(screen.press("r") == [.start(id(1))])
    }

    @Test(arguments: [
        ("p", DownloadState.completed, "is completed already."), ("p", .failed, "is failed already."),
        ("p", .paused, "is paused already."), ("r", .completed, "is complete; s downloads it again."),
        ("r", .queued, "is queued; t moves it to the front."),
        ("r", .probing, "is running already."),
        ("c", .cancelled, "is cancelled already."),
    ])
    func whatMakesNoSenseIsExplained(key: String, state: DownloadState, expected: String) throws {
        var screen = QueueScreen([try receipt(1, state)])
        _ = screen.press("a")
        #expect(screen.press(key).isEmpty)
        #expect(screen.message?.text == "file-1.iso " + expected)
        #expect(screen.text[22] == "file-1.iso " + expected)
        _ = screen.press("z")
        #expect(screen.message == nil)
    }

    @Test(arguments: [
        ("c", Intent.cancel(id(2)), "Cancel file-2.iso? Its bytes are kept. y/n"),
        ("x", .remove(id(2)), "Remove file-2.iso? Its files are kept. y/n"),
        ("s", .restart(id(2)), "Restart file-2.iso? All its bytes are fetched again. y/n"),
    ])
    func whatCannotBeUndoneIsAsked(key: String, intent: Intent, question: String) throws {
        var screen = QueueScreen(try waiting(3))
        _ = screen.press("j")
        #expect(screen.press(key).isEmpty)
        #expect(screen.text[22] == question)
        #expect(screen.press("y") == [intent])
        #expect(screen.question == nil)
        for no: Key in [.character("n"), .enter, .escape, .down, .character(Character(key))] {
            _ = screen.press(key)
            #expect(screen.press(no) == nil)
            #expect(screen.question == nil && screen.selected == id(2))
        }
        #expect(screen.press("y").isEmpty)
    }

    @Test func aQuestionGoesWithItsDownload() throws {
        let receipts = try waiting(3)
        var screen = QueueScreen(receipts)
        _ = screen.press("x")
        screen.update(receipts.reversed())
        #expect(screen.question != nil)
        screen.update(Array(receipts[1...]))
        #expect(screen.question == nil)
        #expect(screen.press("y").isEmpty)
    }

    @Test func questionsFitNarrowWindows() throws {
        for columns in [12, 15, 20, 30, 40, 60] {
            var screen = QueueScreen(
                [try receipt(1, name: "a-very-long-name-of-a-file.iso")], columns: columns, rows: 5)
            _ = screen.press("x")
            let line = try #require(screen.text.last)
            #expect(
                line.hasPrefix("Remove ") && line.contains("?") && line.hasSuffix(" y/n")
                    && line.count <= columns)
        }
    }

    @Test func anErrorStaysUntilAKey() throws {
        var screen = QueueScreen(try waiting(1))
        screen.report(DownloadError(.ioFailed, "The disk is full."))
        screen.note("something else")
        #expect(screen.text[22] == "The disk is full.")
        screen.update(try waiting(2))
        #expect(screen.text[22] == "The disk is full.")
        _ = screen.press("j")
        #expect(screen.message == nil)
        screen.note("one")
        screen.note("two")
        #expect(screen.text[22] == "two")
    }

    @Test func aNoteGoesByItself() throws {
        var screen = QueueScreen(try waiting(1))
        screen.note("one")
        screen.update(screen.receipts, screen.progress, now: screenNow + 4)
        #expect(screen.text[22] == "one")
        screen.update(screen.receipts, screen.progress, now: screenNow + 5)
        #expect(screen.text[22] == "https://example.com/file-1.iso")
        screen.report(DownloadError(.ioFailed, "The disk is full."))
        screen.update(screen.receipts, screen.progress, now: screenNow + 100)
        #expect(screen.text[22] == "The disk is full.")
    }

    // MARK: Moving

    @Test func movesByOneAreSeenAtOnce() throws {
        var screen = QueueScreen(try waiting(4))
        _ = screen.press("j")
        #expect(screen.press("JJJ") == [.moveBefore(id(3), id(2)), .moveBefore(id(4), id(2))])
        #expect(screen.order == [1, 3, 4, 2])
        #expect(screen.selected == id(2) && screen.row == 3)
        #expect(
            screen.press("K++K") == [
                .moveBefore(id(2), id(4)), .moveBefore(id(2), id(3)), .moveBefore(id(2), id(1)),
            ])
        #expect(screen.order == [2, 1, 3, 4] && screen.row == 0)
        #expect(screen.press("-") == [.moveBefore(id(1), id(2))])
    }

    @Test func movesToTheEnds() throws {
        var screen = QueueScreen(try waiting(100), rows: 9)
        _ = screen.press("Gk")
        #expect(screen.press("t") == [.moveToFront(id(99))])
        #expect(screen.order.first == 99 && screen.row == 0 && screen.top == 0)
        #expect(screen.press("b") == [.moveToBack(id(99))])
        #expect(screen.order.last == 99 && screen.row == 99 && screen.top == 95)
    }

    @Test func movesPassWhatIsHidden() throws {
        var receipts = try waiting(5)
        receipts[1].state = .completed
        receipts[2].state = .completed
        var screen = QueueScreen(receipts)
        #expect(screen.order == [1, 4, 5])
        #expect(screen.press("J") == [.moveBefore(id(4), id(1))])
        #expect(screen.order == [4, 1, 5])
        #expect(screen.receipts.map(\.id.rawValue) == [4, 1, 2, 3, 5])
        #expect(screen.press("JK") == [.moveBefore(id(5), id(1)), .moveBefore(id(1), id(5))])
        #expect(screen.receipts.map(\.id.rawValue) == [4, 1, 5, 2, 3])
    }

    // MARK: Many

    /// Work that is quadratic in the number of downloads would not end within this time.
    @Test(.timeLimit(.minutes(10))) func aHundredThousandDownloads() throws {
        let source = try Source("https://example.com/file.iso")
        let receipts = (1...100_000).map { number in
            Receipt(
                QueueRecord(id: id(number), source: source, destination: .directory("out"), added: screenNow))
        }
        var screen = QueueScreen(receipts)
        _ = screen.press("G")
        #expect(screen.selected == id(100_000))
        var progress = QueueProgress()
        for receipt in receipts { progress.add(receipt) }
        screen.update(receipts, progress, now: screenNow)
        #expect(screen.selected == id(100_000))
        #expect(screen.frame.count < 100)
    }
}
