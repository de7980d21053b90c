import SegmentedDL
import SegmentedDLServer
import Testing

@Suite struct ServerAddressTests {
    @Test("addresses with their pages")
    func addresses() throws {
        #expect(try ServerAddress("127.0.0.1:6800") == .network(host: "127.0.0.1", port: 6_800))
        #expect(try ServerAddress("[::1]:80") == .network(host: "::1", port: 80))
        #expect(try ServerAddress("unix:/run/s") == .unix(path: "/run/s"))
        #expect(try ServerAddress("/run/s") == .unix(path: "/run/s"))
        #expect(try ServerAddress("0.0.0.0:6800").page() == "http://127.0.0.1:6800/")
        #expect(try ServerAddress("[::1]:80").page() == "http://[::1]:80/")
        #expect(try ServerAddress("h:1").page(isEncrypted: true) == "https://h:1/")
        #expect(try ServerAddress("/run/s").page() == nil)
    }

    @Test("only this machine reaches the loopback and sockets of files")
    func local() throws {
        for text in ["127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1", "/s"] {
            #expect(try ServerAddress(text).isLocal)
        }
        for text in ["0.0.0.0:1", "[::]:1", "192.168.0.1:1", "host:1"] {
            #expect(try !ServerAddress(text).isLocal)
        }
    }

    @Test(
        "other strings are refused",
        arguments: ["", "6800", ":6800", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000"])
    func malformed(text: String) {
        #expect(throws: DownloadError.self) { try ServerAddress(text) }
    }
}
