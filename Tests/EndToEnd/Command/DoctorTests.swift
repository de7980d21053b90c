import TestSupport
import Testing

@Suite("The description of a machine for bug reports")
struct DoctorTests {
    @Test("lists libraries, limits and the directory, which stays empty")
    func facts() async throws {
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(["doctor", directory.path], in: directory)
        #expect(result.status == 0, "\(result)")
        for name in [
            "segdl", "system", "libcurl", "authorities", "descriptors", "directory", "files", "clock",
        ] {
            #expect(result.output.contains("\n\(name) ") || result.output.hasPrefix("\(name) "), "\(name)")
        }
        #expect(directory.names.isEmpty)
    }

    @Test("a missing directory and missing authorities fail with a remedy")
    func problems() async throws {
        let directory = try TemporaryDirectory()
        let missing = try await Segdl.run(["doctor", "missing"], in: directory)
        #expect(missing.status == 5, "\(missing)")
        #expect(missing.output.contains("! Create it"))
        let bundle = try await Segdl.run(
            ["doctor"], in: directory,
            environment: ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": directory.file("none.pem")])
        #expect(bundle.status == 2, "\(bundle)")
        #expect(bundle.output.contains("! Set SSL_CERT_FILE to a PEM file"))
    }

    @Test(
        "unusable options are reported along with the other facts",
        arguments: [
            ("limit-rate = abc", "config:1: The value 'abc'"), ("xyz = 1", "config:1: --xyz is not"),
            ("retries: 3", "config:1: this is not an option"), (nil, "Cannot read the configuration file"),
        ] as [(String?, String)])
    func configuration(text: String?, says: String) async throws {
        let directory = try TemporaryDirectory()
        if let text { try directory.write(text, to: "config") }
        let result = try await Segdl.run(["doctor", "--conf", "config"], in: directory)
        #expect(result.status == 64, "\(result)")
        #expect(result.output.contains("! ") && result.output.contains(says), "\(result)")
        #expect(result.output.contains("clock "), "\(result)")
        let without = try await Segdl.run(["doctor", "--no-conf"], in: directory)
        #expect(without.status == 0 && !without.output.contains("options"), "\(without)")
        try directory.write("limit-rate = 1M", to: "config")
        let right = try await Segdl.run(["doctor", "--conf", "config"], in: directory)
        #expect(right.status == 0 && right.output.contains("from config"), "\(right)")
    }

    @Test("passwords of proxies are hidden")
    func secrets() async throws {
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["doctor"], in: directory, environment: ["https_proxy": "http://me:hidden@proxy:1"])
        #expect(result.output.contains("set by https_proxy"))
        #expect(!result.output.contains("hidden"))
    }
}
