import Testing

@testable import segdl

@Suite("The options of subcommands")
struct CommandOptionsTests {
    @Test("are those of the help")
    func names() {
        let fetch = CommandOptions(of: Fetch.self)
        #expect(
            fetch.names.union(["--version"]) == FetchOptionNames.valued.union(FetchOptionNames.flags))
        for name in FetchOptionNames.valued { #expect(fetch.kind(of: name) == .valued, "\(name)") }
        #expect(fetch.longName(of: "-x") == "--max-connections" && fetch.longName(of: "-4") == "-4")
    }

    @Test(
        "that do not exist are named, with ours if one exists",
        arguments: [
            ("queue add --retry 3 -o x u", "--retry is not an option of segdl queue add."),
            ("queue add --split 3 -o x u", "Use --segments."),
            ("queue start --all-proxy p", "Use --proxy."),
            ("mirror --xyz=1 a b", "--xyz is not an option of segdl mirror."),
            ("mirror --checkers=8 a b", "It is limited by -j, -x and --limit-rate."),
            ("mirror --update a b", "replaces files that differ"),
            ("mirror -w 2 a b", "does not wait between files"),
            ("mirror --max-size 1G a b", "--include, --exclude, --depth"),
            ("mirror report --xyz d", "`segdl mirror report --help` shows them."),
            ("queue add -H A:b u", "Use it with segdl queue start."),
            ("queue add --user a:b u", "Use it with segdl queue start."),
            ("mirror --transfers 4 a b", "Use --max-active-files."),
            ("verify -Z f", "-Z is not an option of segdl verify."),
        ])
    func unknown(line: String, says: String) throws {
        let sentence = UnknownOption.sentence(for: line.split(separator: " ").map(String.init))
        #expect(try #require(sentence).contains(says), "\(sentence ?? "")")
    }

    @Test(
        "that exist are not",
        arguments: ["queue add --segments 3 -o -x u", "mirror -- --xyz", "verify -", "xyz"])
    func known(line: String) {
        #expect(UnknownOption.sentence(for: line.split(separator: " ").map(String.init)) == nil)
    }

    @Test(
        "that took the URL as their value are reported",
        arguments: [
            ("fetch -o http://h/x", "", "-o took the URL http://h/x"),
            (
                "fetch -s http://h/x", "",
                "-s took the URL http://h/x as its value, the number of segments. Use -q"
            ),
            ("fetch --segments=http://h/x", "", "--segments took the URL http://h/x"),
            ("mirror -x http://h/x/ d", "'http://h/x/' is invalid", "-x took the URL http://h/x/"),
            ("queue add -o s3://b/k", "", "-o took the URL s3://b/k"),
        ])
    func swallowed(line: String, message: String, says: String) throws {
        let sentence = MisparsedURL.sentence(
            for: line.split(separator: " ").map(String.init), message: message)
        #expect(try #require(sentence).hasPrefix(says), "\(sentence ?? "")")
    }

    @Test(
        "with a URL as their value, or another fault, are not",
        arguments: [
            "fetch --proxy http://p:1", "fetch -s 4", "fetch --user-agent http://bot/ -s x http://h/x",
        ])
    func notSwallowed(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(MisparsedURL.sentence(for: words, message: "'x' is invalid") == nil)
    }
}
