import Testing

@testable import SegmentedDL

@Suite("Addresses without a scheme")
struct BareAddressTests {
    @Test(
        "with a port, or with a host name and a path, mean an http URL",
        arguments: [
            "localhost:8080/x", "localhost/x", "localhost:8080", "example.com/file", "example.com:80",
            "127.0.0.1/f", "127.0.0.1:8080/a?b#c", "[::1]:8080/x", "[::1]/x", "build-7:8080/x", "my_host:1/x",
            "example.com/a@b:c",
        ])
    func addresses(text: String) {
        #expect(BareAddress.url(text) == "http://\(text)")
    }

    @Test(
        "are not inferred for probable files or typing errors",
        arguments: [
            "", "disk.iso", "example.com", "dir/disk.iso", "./a.b/c", "../x", "/a.com/b", "a..com/b",
            ".com/x",
            "v1.2/x", "1.2.3/x", "host:/x", "host:x/y", "host:0/x", "host:99999/x", "a b.com/x", "me@h.com/x",
            "me:1@h.com/x", "http://host/x", "magnet:?xt=1", "s3://bucket/key", "-x.com/y", "[::1",
            "[zz]:1/x",
            "C:\\x", "500.500.500.500/x",
        ])
    func others(text: String) {
        #expect(BareAddress.url(text) == nil)
    }
}
