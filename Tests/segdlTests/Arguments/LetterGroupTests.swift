import Foundation
import TestSupport
import Testing

@testable import segdl

@Suite("Letters that tools group differently")
struct LetterGroupTests {
    private func own(_ line: String) -> [String]? {
        guard case .arguments(let own) = ArgumentTranslation.translate(words("fetch \(line)")) else {
            return nil
        }
        return Array(own.dropFirst())
    }

    private func refusal(of line: String) -> String? {
        guard case .refused(let sentence) = ArgumentTranslation.translate(words("fetch \(line)")) else {
            return nil
        }
        return sentence
    }

    private func words(_ line: String) -> [String] {
        line.split(separator: " ").map(String.init)
    }

    @Test(
        "name the file behind -O, as in wget, unless all are flags of curl",
        arguments: [
            ("-qOdata u", "-q --output data u"), ("-Ofoo u", "--output foo u"),
            ("-qOhelm u", "-q --output helm u"), ("-qOcfg u", "-q --output cfg u"),
            ("-qOfs u", "-q --output fs u"), ("-qOf u", "-q --output f u"), ("-Oj2 u", "--output j2 u"),
            ("-qOx1 u", "-q --output x1 u"), ("-Oa u", "--output a u"), ("-cOa u", "-c --output a u"),
            ("-Of.iso u", "--output f.iso u"), ("-Od/f u", "--output d/f u"), ("-O=f u", "--output f u"),
            ("-sOdata u", "--progress none --output data u"), ("-qO- u", "-q --output - u"),
            ("-Oh u", "--output h u"),
            ("-Of u", "u"), ("-OL u", "u"), ("-OJ u", "u"),
            ("-sSfLO http://h/f", "--progress=none http://h/f"),
            ("-OfsSL u", "--progress=none u"), ("-Osk u", "--progress=none --insecure u"),
            ("-LO# u", "--progress bar u"), ("-ON u", "u"),
            ("-NO http://h/f", "--if-exists update http://h/f"),
            ("-4LO http://h/f", "-4 http://h/f"), ("-OC - u", "--continue u"), ("-LOC - u", "--continue u"),
            ("-sLOC- u", "--progress=none --continue u"), ("-OC u", "--output C u"),
        ])
    func remoteName(typed: String, meant: String) {
        #expect(own(typed) == words(meant))
    }

    @Test("contain no request for help", arguments: ["-qh u", "-hx u", "-qhelm u", "-Lh u", "-chx u"])
    func help(line: String) {
        #expect(refusal(of: line)?.contains("-h") == true)
    }

    @Test(
        "contain no request for help in other subcommands either",
        arguments: ["mirror -qh u d", "mirror -helm u d", "queue list -vhx", "verify -qhc u"])
    func helpOfOthers(line: String) {
        guard case .refused(let sentence) = ArgumentTranslation.translate(words(line)) else {
            Issue.record("\(line) is accepted")
            return
        }
        #expect(sentence.contains("accepted only by itself"))
    }

    @Test(
        "ask for help as a whole argument",
        arguments: ["mirror -h", "queue list -h", "mirror --help", "queue -- -qh"])
    func wholeHelp(line: String) {
        #expect(ArgumentTranslation.translate(words(line)) == .arguments(words(line)))
    }

    @Test("print the version only if -V is the whole command line")
    func version() {
        #expect(ArgumentTranslation.translate(["-V"]) == .arguments(["--version"]))
        guard case .refused(let sentence) = ArgumentTranslation.translate(["-V", "http://h/f"]) else {
            Issue.record("-V URL is accepted")
            return
        }
        #expect(sentence.contains("segdl --version"))
    }

    @Test(
        "behind -n are wget's, or curl's",
        arguments: [
            ("-nvc u", "--quiet --no-clobber u"), ("-ncv u", "--no-clobber --quiet u"),
            ("-ndH u", "u"), ("-nv u", "--quiet u"), ("-n u", "--netrc u"), ("-n8 u", "--segments 8 u"),
            ("-n -4 u", "--netrc -4 u"), ("-nLO http://h/f", "--netrc http://h/f"),
            ("-nfsSL u", "--netrc --progress=none u"),
            ("-ns u", "--netrc --progress none u"), ("-nk u", "--netrc --insecure u"),
            ("-nu a:b u", "--netrc -u a:b u"),
        ])
    func negations(typed: String, meant: String) {
        #expect(own(typed) == words(meant))
    }

    @Test(
        "behind -n that are of several tools are refused", arguments: ["-ncq", "-nvL", "-no-clobber", "-n-x"])
    func mixedNegations(group: String) {
        #expect(refusal(of: "\(group) u")?.contains("as in -nc -q") == true)
    }

    @Test("of wget for a tree are refused with their replacement")
    func noParent() {
        #expect(refusal(of: "-ndp http://h/")?.contains("segdl mirror URL DIRECTORY") == true)
    }

    @Test(
        "with -a are axel's",
        arguments: [
            ("-an 10 u", "--progress bar --segments 10 u"), ("-an10 u", "--progress bar --segments 10 u"),
            ("-a -n 10 u", "--progress bar --segments 10 u"),
            ("-aqn 10 u", "--progress bar -q --segments 10 u"), ("-aq u", "--progress bar -q u"),
            ("-qan 10 u", "-q --progress bar --segments 10 u"), ("-av u", "--progress bar -v u"),
            ("-alog u", "--log log u"), ("-an u", "--log n u"), ("-a log u", "--log log u"),
        ])
    func alternate(typed: String, meant: String) {
        #expect(
            own(typed.replacing(" u", with: " http://h/f"))
                == words(meant.replacing(" u", with: " http://h/f")))
    }

    @Test(
        "whose value shows that another tool's option is meant are refused",
        arguments: [
            ("-d a=b", "--data"), ("-da=b", "as in -d ./a=b"), ("-d {\"a\":1}", "--data"),
            ("-d [1]", "--data"), ("-d @file", "--data"), ("-a none", "--file-allocation"),
            ("-aprealloc", "--log prealloc"), ("-a falloc", "--log falloc"), ("-T f.iso", "--upload-file"),
        ])
    func mistaken(options: String, says: String) {
        #expect(refusal(of: "\(options) http://h/f")?.contains(says) == true)
    }

    @Test("do not show data that is refused, which may contain a secret")
    func data() {
        #expect(refusal(of: "-d password=secret http://h/f")?.contains("secret") == false)
    }

    @Test("are accepted with a value of their own kind")
    func unmistaken() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a=b")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for options in ["-d ./a=b", "-d \(path)", "-d out", "-d ../x=y"] {
            #expect(own("\(options) http://h/f") == words("\(options) http://h/f"), "\(options)")
        }
        #expect(own("-T 2.5 http://h/f")?.first == "--connect-timeout")
    }

    @Test(
        "in the value of curl's --proto are not options",
        arguments: ["--proto -all,+https", "--proto-redir -all,https", "--proto =https"])
    func protocols(options: String) {
        #expect(own("\(options) https://h/f") == ["https://h/f"])
    }
}
