import ArgumentParser
import TestSupport
import Testing

@testable import segdl

@Suite("Arguments of other tools")
struct ArgumentTranslationTests {
    private func own(_ line: String) -> [String]? {
        guard case .arguments(let own) = ArgumentTranslation.translate(words(line)) else { return nil }
        return own
    }

    private func words(_ line: String) -> [String] {
        line.split(separator: " ").map(String.init)
    }

    @Test(
        "keep https if --proto allows only that",
        arguments: [
            ("--proto =https", false), ("--proto=-all,https", false), ("--proto =https,http", true),
            ("--proto=-ftp", true), ("--proto=-http", false), ("--proto =all", true),
        ])
    func protocols(option: String, allows: Bool) {
        for url in ["http://a.example/f", "a.example/f", "HTTP://a.example/f"] {
            #expect((own("\(option) \(url)") != nil) == allows, "\(url)")
            #expect((own("\(option) -- \(url)") != nil) == allows, "\(url)")
        }
        #expect(own("\(option) https://a.example/f") == ["fetch", "https://a.example/f"])
    }

    @Test(
        "are refused if segdl would follow a redirect that --proto-redir forbids, or fetch an unchecked URL",
        arguments: [
            ("--proto-redir =https http://a.example/f", "redirects to http, which segdl follows from"),
            ("--proto-redir -all,https a.example/f", "redirects to http, which segdl follows from"),
            ("--proto-redir -http https://a.example/f --mirror http://b.example/f", "b.example"),
            ("--proto =https https://a.example/f --mirror=http://b.example/f", "b.example"),
            ("--proto-redir =https --insecure-redirects https://a.example/f", "give one of them"),
            ("--proto -http --insecure-redirects https://a.example/f", "--proto forbids the redirects"),
            ("--proto-redir =https -i list", "are not checked"),
            ("--proto =https --input=list", "not checked"),
            ("--proto-redir -all https://a.example/f", "--max-redirects 0"),
            ("--proto-redir =http http://a.example/f", "--max-redirects 0"),
            ("--always-resume=false -c u", "-c --if-exists replace"),
        ])
    func redirectProtocols(line: String, says: String) {
        guard case .refused(let sentence) = ArgumentTranslation.translate(words("fetch \(line)")) else {
            Issue.record("\(line) is accepted")
            return
        }
        #expect(sentence.contains(says), "\(sentence)")
    }

    @Test(
        "are translated",
        arguments: [
            // aria2
            ("fetch -x16 -s16 -j5 -k1M u", "fetch -x 16 -s 16 -j 5 --min-segment-size 1M u"),
            ("-c -d out --out=f u", "fetch -c -d out --output f u"),
            (
                "fetch --max-connection-per-server=4 --split 8 u",
                "fetch --max-connections-per-host 4 --segments 8 u"
            ),
            ("fetch --file-allocation=none --summary-interval 0 u", "fetch u"),
            ("fetch --check-certificate=false --continue=true u", "fetch --insecure --continue u"),
            ("fetch --allow-overwrite=false u", "fetch u"),
            ("fetch --allow-overwrite=true --auto-file-renaming=true u", "fetch --if-exists replace u"),
            ("fetch --auto-file-renaming --allow-overwrite u", "fetch --if-exists replace u"),
            ("fetch --conditional-get --allow-overwrite=true u", "fetch --if-exists update u"),
            ("fetch --allow-overwrite=false --auto-file-renaming=true u", "fetch --if-exists rename u"),
            ("fetch --allow-overwrite --if-exists fail u", "fetch --if-exists replace --if-exists fail u"),
            ("fetch --quiet=true --compressed=false u", "fetch --quiet u"),
            ("fetch --proto =https --tlsv1.2 -sSf u", "fetch --progress=none u"),
            ("--proto-redir =https https://a/b", "fetch https://a/b"),
            ("--proto -all,https --proto-redir -all,https https://a/b", "fetch https://a/b"),
            ("--proto-redir =all,-ftp http://a/b", "fetch http://a/b"),
            ("--always-resume=true -c http://a/b", "fetch -c http://a/b"),
            // curl
            ("http://a/b", "fetch http://a/b"),
            ("fetch -fsSL -o f u", "fetch --progress=none -o f u"),
            ("fetch -Lo f u", "fetch --output f u"),
            ("fetch -sI u", "fetch --progress=none --dry-run u"), ("fetch --spider u", "fetch --dry-run u"),
            ("fetch -LO -C - u", "fetch --continue u"),
            (
                "fetch -k -A agent -e ref -u a:b u",
                "fetch --insecure --user-agent agent --referer ref -u a:b u"
            ),
            ("fetch -x http://p:1 --retry 3 u", "fetch --proxy http://p:1 --retries 3 u"),
            ("fetch -b a=1 -b jar u", "fetch --header Cookie:_a=1 --cookie-file jar u"),
            ("fetch -b a=1 -b jar -b b=2 u", "fetch --header Cookie:_a=1;_b=2 --cookie-file jar u"),
            (
                "fetch -b a=1 -H cookie:b=2 --bearer t u",
                "fetch -H cookie:b=2 --header Authorization:_Bearer_t u"
            ),
            ("fetch --header=Authorization:x --bearer t u", "fetch --header Authorization:x u"),
            ("fetch --bearer t -H Authorization: --bearer=v u", "fetch -H Authorization: u"),
            ("fetch --limit-rate 0 u", "fetch --limit-rate 0 u"),
            ("fetch --http1.1 --http2 u", "fetch u"), ("fetch --http2 --http1.1 u", "fetch --http1.1 u"),
            // rclone
            ("fetch --transfers 4 --bwlimit=10M u", "fetch --max-active-files 4 --limit-rate 10M u"),
            // wget, axel
            ("fetch -nc -P out --tries=2 u", "fetch --no-clobber --directory out --retries 1 u"),
            ("fetch -N --no-check-certificate u", "fetch --if-exists update --insecure u"),
            ("fetch -n 8 u", "fetch --segments 8 u"),
            ("fetch -a http://a/b", "fetch --progress bar http://a/b"),
            ("fetch http://a/b -a", "fetch http://a/b --progress bar"),
            ("fetch -a log http://a/b", "fetch --log log http://a/b"),
            ("fetch --user=a --password=b u", "fetch --user a:b u"),
            ("fetch --password b u -qu a", "fetch u -q -u a:b"),
            ("fetch --http-user a --http-passwd=b:c u", "fetch --user a:b:c u"),
            ("fetch --user=a --ask-password -- u", "fetch --user a -- u"),
            ("fetch --http-password= --user a -- u", "fetch --user a: -- u"),
            ("fetch -qO- u", "fetch -q --output - u"), ("fetch -O - u", "fetch --output - u"),
            ("fetch -qOa.iso u", "fetch -q --output a.iso u"),
            ("fetch -qO - u", "fetch -q --output - u"), ("fetch -cO - u", "fetch -c --output - u"),
            ("fetch -so- u", "fetch --progress=none --output - u"),
            ("fetch -sSLo- u", "fetch --progress=none --output - u"),
            ("fetch -O http://h/f", "fetch http://h/f"), ("fetch -LO http://h/f", "fetch http://h/f"),
            // flags in one word, then an option with its value
            ("fetch -Lu a:b u", "fetch -u a:b u"), ("fetch -Lua:b u", "fetch -u a:b u"),
            ("fetch -ku a:b -Ld dir u", "fetch --insecure -u a:b -d dir u"),
            ("fetch -4x16 -qH X:1 u", "fetch -4 -x 16 -q -H X:1 u"),
            ("fetch --tries=0 -T 5 u", "fetch --retries 2147483647 --connect-timeout 5 --low-speed-time 5 u"),
            ("fetch --timeout=0 u", "fetch --connect-timeout 86400 --low-speed-time 0 u"),
            ("fetch --waitretry=0 u", "fetch --retry-delay 0.001 u"),
            ("fetch --waitretry 3 --retry-wait=0 u", "fetch --retry-delay 3 --retry-delay 0 u"),
            ("fetch --no-proxy http://a/b", "fetch --no-proxy * http://a/b"),
            ("fetch --noproxy a,b --no-proxy=c u", "fetch --no-proxy a,b --no-proxy c u"),
            ("fetch --enable-color http://a/b", "fetch http://a/b"),
            ("fetch -m 30 --max-filesize=1M u", "fetch --max-time 30 --max-filesize 1M u"),
            ("fetch --stream-piece-selector inorder u", "fetch --stream-order u"),
            ("fetch --stream-piece-selector=random u", "fetch u"),
            ("fetch -a -n 4 http://a/b", "fetch --progress bar --segments 4 http://a/b"),
            ("fetch --read-timeout=20 --dns-timeout 3 http://a/b", "fetch --low-speed-time 20 http://a/b"),
            ("fetch --progress=dot:giga u", "fetch --progress plain u"),
            ("fetch --progress dot u", "fetch --progress plain u"),
            ("fetch --progress=bar:force:noscroll u", "fetch --progress bar u"),
            ("fetch --progress=bar:noscroll u", "fetch --progress auto u"),
            ("fetch -q --show-progress u", "fetch u"), ("fetch -nv --show-progress -cq u", "fetch -c u"),
            ("fetch --show-progress -qO- u", "fetch --output - u"),
            ("fetch --show-progress -o -q u", "fetch -o -q u"),
            ("fetch -q -- --show-progress", "fetch -q -- --show-progress"),
            ("fetch --output=-y --user-agent=- u", "fetch --output=-y --user-agent - u"),
            ("fetch -U Moz/5.0(X11;rv:1) u", "fetch --user-agent Moz/5.0(X11;rv:1) u"),
            ("fetch -O example.com/f", "fetch example.com/f"), ("fetch -O h:80/f", "fetch h:80/f"),
            // segdl's own, unchanged
            ("fetch -vv -qc -o - -d - u", "fetch -vv -q -c -o - -d - u"),
            ("fetch --progress=json -H X:1 -4 u", "fetch --progress json -H X:1 -4 u"),
            ("fetch -s 4 -- -x16", "fetch -s 4 -- -x16"),
            ("queue add -s16 -x8 u", "queue add -s 16 -x 8 u"),
            ("queue help", "help queue"), ("queue help add", "help queue add"), ("-V", "--version"),
            ("version", "--version"), ("--help", "--help"), ("help fetch", "help fetch"),
        ])
    func translated(typed: String, meant: String) {
        let expected = words(meant).map { $0.replacing("_", with: " ") }
        #expect(own(typed) == expected)
    }

    @Test("that are unsupported get advice", arguments: Array(ForeignOptions.missing))
    func missing(name: String, sentence: String) {
        guard name != "-V" else { return }
        // With a value -b is curl's cookie.
        let words = name == "-b" ? ["u", name] : [name, "x", "u"]
        guard case .refused(let text) = ArgumentTranslation.translate(["fetch"] + words) else {
            Issue.record("\(name) is not answered")
            return
        }
        #expect(text.contains(sentence))
    }

    @Test(
        "with a letter that several tools use get advice for each of them",
        arguments: [
            ("-w", ["--progress json", "does not wait between files"]),
            ("-D", ["-vv", "segdl serve", "segdl mirror"]), ("-l", ["--log FILE", "--depth N"]),
            ("-m", ["segdl mirror URL", "--tries N"]), ("-p", ["segdl mirror URL", "tunnel"]),
            ("-X", ["use curl", "--exclude GLOB"]), ("-Q", ["--max-filesize"]), ("-G", ["use curl"]),
            ("-V", ["--version", "--checksum"]),
        ])
    func severalTools(letter: String, says: [String]) {
        guard case .refused(let text) = ArgumentTranslation.translate(["fetch", letter, "x", "u"]) else {
            Issue.record("\(letter) is accepted")
            return
        }
        #expect(says.allSatisfy { text.contains($0) }, "\(text)")
    }

    @Test(
        "with a password, but not one user for it, are refused without showing the secret",
        arguments: ["--password secret u", "--user a:secret --password=secret u", "u --http-password"])
    func password(line: String) {
        guard case .refused(let text) = ArgumentTranslation.translate(words("fetch \(line)")) else {
            Issue.record("\(line) is accepted")
            return
        }
        #expect(!text.contains("secret"))
    }

    @Test(
        "with curl's login for a proxy are refused without showing the secret",
        arguments: ["-x http://p:1 -U joe:secret u", "-U joe:secret u", "-LUjoe:secret -x p:1 u"])
    func proxyLogin(line: String) {
        guard case .refused(let text) = ArgumentTranslation.translate(words("fetch \(line)")) else {
            Issue.record("\(line) is accepted")
            return
        }
        #expect(text.contains("in the URL of --proxy") && !text.contains("secret"))
    }

    @Test(
        "with a path for wget's -O suggest -o",
        arguments: ["/dev/null", "dir/x", "./x", "../x", "x.bin", "a:b", "C:/x"])
    func outputPath(path: String) {
        for line in ["-O \(path) http://a/b", "-qO \(path) http://a/b"] {
            guard case .refused(let text) = ArgumentTranslation.translate(words(line)) else {
                Issue.record("\(line) is accepted")
                continue
            }
            #expect(text.contains("write -o \(path)."))
        }
    }

    @Test("unknown to all tools are reported first", arguments: ["--xyz", "--xyz=1", "-y1", "-Ü"])
    func unknown(name: String) {
        guard case .refused(let text) = ArgumentTranslation.translate(["fetch", "-o", "f", name, "3", "u"])
        else {
            #expect(name == "-y1")
            return
        }
        #expect(text.contains("is not an option of segdl fetch"))
    }

    @Test(
        "for a subcommand are corrected",
        arguments: [
            ("ftech", "fetch"), ("fech", "fetch"), ("mirrir", "mirror"), ("quue", "queue"), ("get", "fetch"),
            ("veri", "verify"),
        ])
    func subcommand(word: String, meant: String) {
        guard case .refused(let text) = ArgumentTranslation.translate([word, "http://a/b"]) else {
            Issue.record("\(word) is accepted")
            return
        }
        #expect(text.contains("did you mean segdl \(meant)?") && text.contains("inspect and doctor;"))
    }

    @Test(
        "after queue are corrected",
        arguments: [
            ("ls", "list"), ("rm", "remove"), ("status", "list"), ("lst", "list"), ("unpause", "resume"),
            ("http://a/b", "add"),
        ])
    func verb(word: String, meant: String) {
        guard case .refused(let text) = ArgumentTranslation.translate(["queue", word, "1"]) else {
            Issue.record("\(word) is accepted")
            return
        }
        #expect(text.contains("did you mean segdl queue \(meant)?") && text.contains("set and limit."))
    }

    @Test("after queue that are its verbs are not", arguments: ["list", "start", "--help", "-h"])
    func ownVerb(word: String) {
        #expect(ArgumentTranslation.translate(["queue", word]) == .arguments(["queue", word]))
    }

    @Test(
        "of wget for a tree suggest segdl mirror",
        arguments: ["-r -np", "-np -r", "-rnp", "--recursive -l 2"])
    func tree(options: String) {
        guard case .refused(let text) = ArgumentTranslation.translate(words("fetch \(options) http://h/pub/"))
        else {
            Issue.record("\(options) is accepted")
            return
        }
        #expect(text.contains("segdl mirror URL DIRECTORY"))
    }

    @Test("with two names for one URL are refused, and with a name for each are not")
    func surplusNames() {
        for line in ["-o a -o b http://h/f", "--output a -o b http://h/f", "-oa http://h/f --out b"] {
            guard case .refused(let text) = ArgumentTranslation.translate(words(line)) else {
                Issue.record("\(line) is accepted")
                continue
            }
            #expect(text.contains("2 names are given for one URL (a and b)"), "\(text)")
        }
        for line in ["-o a http://h/f -o b http://h/g", "-o a -O http://h/f", "-o a -i list"] {
            #expect(own(line) != nil, "\(line)")
        }
    }

    @Test(
        "of wget, rsync and sha256sum for a tree suggest the options of segdl mirror and segdl verify",
        arguments: [
            ("mirror -r http://h/ d", "remove it"), ("mirror -np http://h/ d", "remove it"),
            ("mirror -n http://h/ d", "--dry-run"), ("mirror -nv http://h/ d", "Use -q"),
            ("mirror -P d http://h/", "segdl mirror SOURCE DIR"),
            ("mirror -l 2 http://h/ d", "Use --depth with one less"),
            ("mirror -l 1 http://h/ d", "-l 1 of wget are --depth 0"),
            ("mirror --password x http://h/ d", "-u NAME:PASSWORD"),
            ("mirror --max-depth 1 http://h/ d", "--max-depth 1 of rclone and"),
            ("mirror -A *.iso http://h/ d", "--include GLOB"),
            ("mirror --reject *.iso http://h/ d", "--exclude GLOB"), ("mirror -az http://h/ d", "remove it"),
            ("mirror --delete-after http://h/ d", "Use --delete."),
            ("verify -c SHA256SUMS", "segdl verify"),
        ])
    func treeOptions(line: String, says: String) {
        let text = UnknownOption.sentence(for: words(line)) ?? ""
        #expect(text.contains(says) && text.contains("is not an option of segdl"), "\(line): \(text)")
    }

    @Test("for a subcommand are matched despite typing errors")
    func distance() {
        #expect(SpellingDistance.between("fetch", "fetch") == 0)
        #expect(SpellingDistance.between("ftech", "fetch") == 1)
        #expect(SpellingDistance.between("fech", "fetch") == 1)
        #expect(SpellingDistance.between("kitten", "sitting") == 3)
        #expect(SpellingDistance.between("", "abc") == 3)
    }

    @Test("are distinguished from ours, whose list is that of the help")
    func names() {
        let help = Fetch.helpMessage(includeHidden: true, columns: 400)
        var (valued, flags): (Set<String>, Set<String>) = ([], [])
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
            let names = line.drop { $0 == " " }.split(separator: "  ")[0]
            let isValued = names.contains("<")
            for name in names.split(whereSeparator: { " ,".contains($0) }) where name.hasPrefix("-") {
                if isValued { valued.insert(String(name)) } else { flags.insert(String(name)) }
            }
        }
        #expect(valued == FetchOptionNames.valued)
        #expect(flags.union(["--version"]) == FetchOptionNames.flags)
    }

    @Test("suggest existing options, and each has one meaning")
    func table() {
        let ours = FetchOptionNames.valued.union(FetchOptionNames.flags)
        #expect(ForeignOptions.values.values.allSatisfy(FetchOptionNames.valued.contains))
        for target in ForeignOptions.flags.values where !target.isEmpty { #expect(ours.contains(target[0])) }
        let groups = [
            Set(ForeignOptions.values.keys), Set(ForeignOptions.flags.keys), ForeignOptions.defaults,
            ForeignOptions.valuedDefaults, Set(ForeignOptions.missing.keys),
        ]
        for (index, group) in groups.enumerated() {
            #expect(group.isDisjoint(with: ours), "\(group.intersection(ours))")
            for other in groups.dropFirst(index + 1) { #expect(group.isDisjoint(with: other)) }
        }
    }
}
