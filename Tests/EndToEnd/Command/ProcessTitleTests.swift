import Foundation
import TestSupport
import Testing

@testable import segdl

@Suite("What ps shows")
struct ProcessTitleTests {
    private func masked(_ arguments: String...) -> String {
        ProcessTitle.masked(arguments.map { Array($0.utf8) }).map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: " ")
    }

    @Test("hides option values that contain secrets")
    func options() {
        #expect(masked("segdl", "--user", "me:pw", "-o", "x") == "segdl --user ***** -o x")
        #expect(masked("--user=me:pw", "--header=A: b") == "--user=***** --header=****")
        #expect(masked("-H", "A: b", "-H", "C: d", "plain") == "-H **** -H **** plain")
        #expect(masked("-u", "me:pw", "-ume:pw", "--cookie", "a=b") == "-u ***** -u***** --cookie ***")
        #expect(masked("-vH", "A: b", "-qHC: d", "-v", "plain") == "-vH **** -qH**** -v plain")
        #expect(masked("-Lu", "me:pw", "-Lume:pw", "plain") == "-Lu ***** -Lu***** plain")
        for name in ["--password", "--http-password", "--http-passwd", "--http-user"] {
            #expect(masked(name, "pw", "\(name)=pw", "plain") == "\(name) ** \(name)=** plain")
        }
        #expect(masked("-oHome", "-dmodels", "plain") == "-oHome -dmodels plain")
    }

    @Test("hides user names, passwords and queries of URLs, and nothing else")
    func urls() {
        #expect(masked("http://me:pw@host/a?token=1") == "http://*****@host/a?*******")
        #expect(masked("http://me:p/w@host/a") == "http://******@host/a")
        #expect(masked("host/x?token=1&next=http://y") == "host/x?*********************")
        #expect(masked("me:pw@host/a") == "*****@host/a")
        #expect(masked("http://a@b@host") == "http://***@host")
        #expect(masked("http://host?u@x") == "http://host?***")
        #expect(masked("a?b", "", "://", "x://@") == "a?*  :// x://@")
    }

    @Test("is free of secrets during a download, which still receives them")
    func running() async throws {
        #if os(Linux)
            let server = try await SharedServer.scenario()
            let directory = try TemporaryDirectory()
            let url = server.url("auth", 2_000_000, "u=me&p=secret1&rate=100000")
            let process = try Segdl.start(
                ["fetch", "-q", "-s", "1", "-H", "X-Token: secret2", "--user", "me:secret1", "-o", "f", url],
                in: directory)
            try await Segdl.waitUntilKept("f", atLeast: 100_000, in: directory)
            let title = try String(
                decoding: Data(contentsOf: URL(fileURLWithPath: "/proc/\(process.id)/cmdline")), as: UTF8.self
            )
            #expect(title.contains("fetch"))
            #expect(title.contains("127.0.0.1"))
            for secret in ["secret1", "secret2", server.token] { #expect(!title.contains(secret)) }
            process.send(2)
            _ = await process.result()
            let kept = try directory.read("f.part.segdl")
            #expect(!String(decoding: kept, as: UTF8.self).contains("secret"))
        #else
            print("skipped: only Linux shows the arguments of a process in /proc")
        #endif
    }
}
