internal import SegmentedDL

/// The text of the help page.
enum ScreenHelp {
    static func lines(_ terminal: Terminal) -> [String] {
        let marks = DownloadState.allCases.map { "\(StateMark($0).text(terminal)) \($0.rawValue)" }
        return [
            "p     pause",
            "r     resume, or try again",
            "P R   pause all, resume all",
            "c     cancel; r resumes",
            "s     restart from byte 0",
            "x     remove; keeps its files",
            "K +   earlier in the queue",
            "J -   later in the queue",
            "t b   to front, to back",
            "",
            "j k   down, up; also arrows",
            "g G   first, last; Home, End",
            "PgUp PgDn  a page up, down",
            "a u   all, unfinished only",
            "^L    draw again",
            "q     quit; all bytes are kept",
            "",
        ]
            + stride(from: 0, to: marks.count, by: 2).map { index in
                TextWidth.padded(marks[index], to: 14) + marks[index + 1]
            }
    }
}
