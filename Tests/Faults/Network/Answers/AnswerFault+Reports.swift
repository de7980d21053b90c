import SegmentedDL

extension AnswerFault {
    /// Circumstances that the trackers of other programs tell of, each with its report.
    static let reports: [AnswerFault] = [
        .init("A cache begins each range at a block (xroche/httrack #198)", "aligned-start"),
        AnswerFault("The same in answer to a resume (xroche/httrack #198)", "aligned-start", "block=150001")
            .interrupted(),
        .init("The end of each range is ignored (apache/couchdb #2244)", "open-end"),
        .init("Each later range gets all of the file (aria2/aria2 #1129)", "whole-range"),
        AnswerFault("The answer to a resume is all of the file (jizhi0v0/duo-updater #225)", "whole-range")
            .interrupted(),
        .init(
            "A whole file has a Content-Range (xroche/httrack #7)", "extra-field",
            "whole=1&field=Content-Range:bytes%200-999999/1000000"),
        .init("No blank is behind the status (elastic/beats #6740)", "status-line"),
        .init("Tabs are in the status line (chansen/p5-http-tiny #119)", "status-line", "end=%09OK"),
        .init(
            "A wait in fractions of a second (wojtekmach/req #464)", "status",
            "code=429&times=1&retry-after=0.314"
        ).sees(206, 429),
    ]
}
