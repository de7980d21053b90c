import Testing

@testable import SegmentedDL

@Suite("Codings implied by a file's name")
struct ContentCodingTests {
    @Test(
        "are those of its last extension only",
        arguments: [
            ("gzip", "a.xz"), ("xz", "a.gz"), ("br", "a.zst"), ("bzip2", "a.gz"), ("gzip", "a.gz.txt"),
            ("gzip", "gz"), ("gzip", ""), ("deflate", "a.gz"), ("", "a.gz"), ("identity", "a.gz"),
        ])
    func others(coding: String, name: String) {
        #expect(!ContentCoding.isOfName(coding, name))
    }

    @Test(
        "do not matter if no client decodes them",
        arguments: ["xz", "lzma", "pack200-gzip", "bzip2", "lz4"])
    func undecoded(coding: String) {
        #expect(!ContentCoding.isDecodedSomewhere(coding))
        #expect(ContentCoding.isDecodedSomewhere("\(coding), gzip"))
    }

    @Test(
        "are those of formats built on them", arguments: ["a.vcf.bgz", "a.APK", "a.bam", "a.crate"])
    func formats(name: String) {
        #expect(ContentCoding.isOfName("gzip", name))
    }

    @Test("are case-insensitive", arguments: [("GZIP", "a.gz"), ("gzip", "A.TAR.GZ"), ("X-GZip", "a.TGZ")])
    func cases(coding: String, name: String) {
        #expect(ContentCoding.isOfName(coding, name))
    }

    @Test(
        "can be implied by the media type, with or without x-",
        arguments: [
            ("gzip", "application/gzip"), ("x-gzip", "application/x-gzip"),
            ("x-gzip", "Application/GZIP; a=b"),
            ("gzip", "application/x-tgz"), ("bzip2", "application/x-bzip2"), ("xz", "application/x-xz"),
            ("zstd", "application/zstd"), ("x-compress", "application/x-compress"),
        ])
    func types(coding: String, type: String) {
        #expect(ContentCoding.isOfType(coding, type))
    }

    @Test(
        "are not implied by another media type",
        arguments: [
            ("gzip", "application/x-tar"), ("gzip", "text/html"), ("gzip", "application/octet-stream"),
            ("gzip", "application/x-xz"), ("br", "application/gzip"), ("gzip", "gzip"), ("gzip", ""),
            ("", "application/"), ("gzip", "text/gzip"),
        ])
    func otherTypes(coding: String, type: String) {
        #expect(!ContentCoding.isOfType(coding, type))
    }

    @Test("are not decoded for a compressed file")
    func compressed() {
        for name in ["a.gz", "A.TAR.XZ", "a.tgz", "a.zst", "a.br", "a.bz2"] {
            #expect(EncodedContentPolicy.decode.forFile(named: ["get", name]) == .fail, "\(name)")
            #expect(EncodedContentPolicy.store.forFile(named: ["get", name]) == .store)
        }
        for name in ["a", "gz", "a.gz.txt", "a.html", ""] {
            #expect(EncodedContentPolicy.decode.forFile(named: ["get", name]) == .decode, "\(name)")
        }
    }

    @Test("do not excuse a second one, which would encode the file once more")
    func twice() {
        func verdict(_ codings: String...) -> ResponseVerdict {
            let fields = codings.map { HTTPHeader("Content-Encoding", $0) }
            let head = ResponseHead(status: 200, fields: fields + [HTTPHeader("Content-Length", "9")])
            return ResponseVerdict(head, asked: .none, now: 0, names: ["a.tar.gz"])
        }
        #expect(verdict("gzip") == .whole(length: 9))
        #expect(verdict("gzip", "gzip") == .encoded("gzip"))
        #expect(verdict("br", "gzip") == .encoded("br"))
        #expect(verdict("gzip, gzip") == .encoded("gzip, gzip"))
    }
}
