import SegmentedDL

extension AnswerFault {
    /// Situations reported in the issue trackers of other programs, each with its report.
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
        .init("Each later range is the file's first bytes, under a right head", "no-seek"),
        AnswerFault("The same in answer to a resume", "no-seek").interrupted(),
        .init(
            "Each later range is all of the file, in chunks (inbasic/turbo-download-manager #43)", "no-seek",
            "chunked=1"),
        .init("The same, ended by closing", "no-seek", "closed=1"),
        AnswerFault("The same in answer to a resume (owncloud/client #2708)", "no-seek", "chunked=1")
            .interrupted(),
        .init(
            "Content-Length is the whole file's in each part (DaveRandom/Resume #3)", "garbled-length",
            "later=1&value=1000000"),
        .init("503 to each range (bezzad/Downloader #220)", "ranges-refused", "code=503"),
        .init("Each connection closes at a range (cherokee/webserver #463)", "ranges-refused", "code=0"),
        .init("404 without a range (rockdaboot/wget2 #278)", "short-ranges", "most=1000000&bare=404"),
        .init(
            "Further connections get a short message under 200 (filecxx/FileCentipede #463)", "status",
            "code=200&later=1&type=application/json&text=too_many_requests"),
        AnswerFault(
            "A length beside Transfer-Encoding: identity, on a kept connection (croservices/cro-http #89)",
            "extra-field", "whole=1&field=Transfer-Encoding:identity"
        ).requests(1),
        .init("The same in parts", "extra-field", "field=Transfer-Encoding:identity"),
        AnswerFault("The same of an empty file", "extra-field", "whole=1&field=Transfer-Encoding:Identity")
            .sized(0).requests(2),
        AnswerFault("400 to a range of an empty file (houtianze/bypy #143)", "ranges-refused", "code=400")
            .sized(0).requests(2),
        AnswerFault(
            "416 without a total to a range of an empty file (kurin/blazer #71)", "ranges-refused", "code=416"
        ).sized(0).requests(2),
        .init(
            "Content-Range of an empty file is 0-0/0, and its length 1 (tower-rs/tower-http #556)",
            "garbled-content-range", "first=1&value=bytes%200-0/0"),
        .init(
            "Content-Range is a negative fraction (diversen/http-send-file #4)", "garbled-content-range",
            "first=1&value=-0.99999998516848"),
        .init(
            "Content-Range ends behind its total (restlet/restlet-framework-java #604)",
            "garbled-content-range", "first=1&value=bytes%200-40960/1569"),
        .init(
            "A date of the year 114322 (ytdl-org/youtube-dl #27603)", "plain",
            "lm=Mon,%2013%20Nov%20114322%2014:12:21%20GMT"),
        .init(
            "The date is 0 in Unix time (browscap/browscap #2274)", "plain",
            "etag=none&lm=Thu,%2001%20Jan%201970%2000:00:00%20GMT"),
        .init(
            "A date before that (wimpysworld/ia-get #181)", "plain",
            "etag=none&lm=Wed,%2031%20Dec%201969%2000:00:00%20GMT"),
        .init(
            "A date in a time zone of its own (indieweb/chat.indieweb.org #23)", "plain",
            "etag=none&lm=Fri,%2002%20Sep%202016%2006:22:16%20%2B0200"),
    ]
}
