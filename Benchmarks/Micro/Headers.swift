import Benchmark

@testable import SegmentedDL

private let head = [
    "HTTP/1.1 206 Partial Content",
    "Date: Sat, 01 Nov 2025 10:00:00 GMT",
    "Server: nginx/1.22.1",
    "Content-Type: application/octet-stream",
    "Content-Length: 1048576",
    "Last-Modified: Fri, 31 Oct 2025 09:00:00 GMT",
    "Connection: keep-alive",
    "ETag: \"6904c2a0-40000000\"",
    "Content-Range: bytes 536870912-537919487/1073741824",
    "Content-Disposition: attachment; filename=\"image.iso\"; filename*=UTF-8''image%20%C3%BC.iso",
    "Repr-Digest: sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:",
    "Cache-Control: public, max-age=31536000, immutable",
    "Accept-Ranges: bytes",
    "Vary: Accept-Encoding",
    "X-Cache: HIT",
    "Age: 1234",
]

private let lines = head.map { Array($0.utf8) }

func headerBenchmarks() {
    // 1,000 operations each: a head of 16 lines.
    measure("header-parse-1000") {
        var sum = 0
        for _ in 0..<1000 { sum += parsed().status }
        return sum
    }
    measure(
        "header-interpret-1000", prepare: { parsed() },
        job: { head in
            var sum: Int64 = 0
            for _ in 0..<1000 {
                guard case .range(let range, _) = head["content-range"].flatMap({ ContentRange($0) }),
                    Validators(head).hasStrongETag,
                    ServerDigest.strongest(in: head, bodyIsWhole: false) != nil,
                    head["content-disposition"].flatMap(ContentDisposition.fileName) != nil
                else { preconditionFailure("The head was not understood.") }
                sum += range.length
            }
            return sum
        })
}

private func parsed() -> ResponseHead {
    var result = ResponseHead(status: 0)
    for line in lines {
        line.withUnsafeBytes { bytes in
            if let started = ResponseHead(statusLine: bytes) {
                result = started
            } else {
                result.append(line: bytes)
            }
        }
    }
    return result
}
