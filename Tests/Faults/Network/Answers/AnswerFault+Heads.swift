import SegmentedDL

extension AnswerFault {
    static let heads: [AnswerFault] = [
        .init("An interim answer before each head", "interim"),
        .init("Twenty interim answers before each head", "interim", "n=20"),
        .init("Endless interim answers", "interim", "n=10000", .error(.badResponse, .nothing)),
        .init("A status line that is garbage, twice", "garbage-head", "times=2"),
        .init("A status line that is always garbage", "garbage-head", "", .error(.badResponse, .nothing))
            .requests(3),
        AnswerFault(
            "A status line that is garbage in every answer to a later range", "garbage-head", "later=1"
        ).interrupted(),
        .init("A body without a head, twice", "no-head", "times=2"),
        .init("Bodies without a head", "no-head", "", .error(.badResponse, .nothing)).requests(3),
        .init("The connection closes within the head, twice", "cut-head", "times=2"),
        .init("Every connection closes within the head", "cut-head", "", .error(.badResponse, .nothing)),
        .init("A head of 280 KB before each answer", "long-head"),
        .init("A head of a megabyte without an end, twice", "endless-head", "times=2"),
        .init("Heads without an end", "endless-head", "", .error(.badResponse, .nothing)),
        // The response from the first byte on has a regular head.
        .init("Heads without an end in every later answer", "endless-head", "later=1"),
        .init("A field of a megabyte without an end, twice", "long-field", "times=2"),
        .init("Fields without an end", "long-field", "", .error(.badResponse, .nothing)),
        .init("A zero byte in a field, twice", "nul-in-head", "times=2"),
        .init("A zero byte in a field of every answer", "nul-in-head", "", .error(.badResponse, .nothing))
            .requests(3),
        .init("A line that is no field, twice", "extra-field", "times=2&field=X-A:b%0D%0Agarbage"),
        .init(
            "A line that is no field in every answer", "extra-field", "field=X-A:b%0D%0Agarbage",
            .error(.badResponse, .nothing)
        ).requests(3),
        .init("Lines that end with LF alone", "bare-lf"),
        .init("A Content-Range that continues in the next line", "folded"),
        .init("HTTP/1.0", "http10"),
        .init("HTTP/1.0 without ranges", "http10", "whole=1").requests(1),
        .init("A version that does not exist", "odd-version", "", .error(.badResponse, .nothing)).requests(3),
    ]
}
