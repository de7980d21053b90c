import Foundation
import TestSupport
import Testing

@Suite("segdl mirror and files that the source no longer has")
struct MirrorDeleteCommandTests {
    @Test("keeps such files unless asked to delete them")
    func deletes() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        try fixture.nginx.root.remove("tree/one/two dirs")
        try fixture.directory.write("mine", to: "copy/one/mine.txt")
        let gone: Set = ["one/two dirs/a.bin", "one/two dirs/b c.bin", "one/two dirs/#d.bin"]
        let plain = try await fixture.run()
        #expect(plain.end.status == 0)
        try fixture.expectExact(with: gone.union(["one/mine.txt"]))
        #expect(try !fixture.read("SHA256SUMS").contains("two dirs"))
        let dry = try await fixture.run("--dry-run", "--delete")
        #expect(
            Set(dry.end.output.split(separator: "\n").filter { $0.hasPrefix("delete ") })
                == Set(gone.map { "delete \($0)" }))
        try fixture.expectExact(with: gone.union(["one/mine.txt"]))
        let dryAll = try await fixture.run("--dry-run", "--delete-all")
        #expect(
            dryAll.end.output.split(separator: "\n").filter { $0.hasPrefix("delete ") }.map(String.init)
                .sorted()
                == gone.union(["one/mine.txt"]).map { "delete \($0)" }.sorted())
        let deleting = try await fixture.run("--delete")
        #expect(deleting.end.status == 0, "\(deleting.end.errors)")
        try fixture.expectExact(with: ["one/mine.txt"])
        #expect(!fixture.directory.exists("copy/one/two dirs"))
        let all = try await fixture.run("--delete-all")
        #expect(all.end.status == 0, "\(all.end.errors)")
        try fixture.expectExact()
        #expect(try fixture.read("SHA256SUMS").contains("  one/a.bin"))
    }

    @Test("deletes nothing with local changes, and nothing through a symbolic link")
    func deletesSafely() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        try fixture.nginx.root.remove("tree/one")
        try fixture.directory.write("changed", to: "copy/one/a.bin")
        // The directory was moved, and is now a link.
        try fixture.directory.rename("copy/one/two dirs", to: "elsewhere")
        try fixture.directory.link("copy/one/two dirs", to: fixture.directory.file("elsewhere"))
        let run = try await fixture.run("--delete")
        #expect(run.end.status == 0, "\(run.end.errors)")
        #expect(try Set(TemporaryDirectory.names(of: fixture.directory.file("elsewhere"))).count == 3)
        #expect(try fixture.read("one/a.bin") == "changed")
        #expect(!fixture.directory.exists("copy/one/b c.bin"))
        #expect(run.end.errors.contains("'one/a.bin' was removed from the source, but has local changes"))
    }

    @Test(
        "keeps a symbolic link that stands for a directory of the source",
        arguments: ["--delete", "--delete-all"])
    func linkedDirectory(option: String) async throws {
        let fixture = try await MirrorFixture()
        try fixture.directory.makeDirectory("elsewhere")
        try fixture.directory.makeDirectory("copy")
        try fixture.directory.link("copy/one", to: fixture.directory.file("elsewhere"))
        try fixture.directory.link("copy/other", to: fixture.directory.file("elsewhere"))
        for _ in 1...2 {
            let run = try await fixture.run(option)
            #expect(run.end.status == 0, "\(run.end.errors)")
            #expect(try fixture.read("one/a.bin") == "content of one/a.bin")
            #expect(try fixture.read("one/two dirs/a.bin") == "content of one/two dirs/a.bin")
            #expect(fixture.directory.exists("copy/other") == (option == "--delete"))
        }
    }

    @Test("deletes the files of a directory that has become a file, and then fetches it")
    func becameFile() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        try fixture.nginx.root.remove("tree/one")
        try fixture.nginx.root.write("now a file", to: "tree/one")
        let plain = try await fixture.run()
        #expect(plain.end.status == 1)
        #expect(plain.end.errors.contains("the source has a file of that name; --delete"), "\(plain.end)")
        let dry = try await fixture.run("--dry-run", "--delete")
        let planned = dry.end.output.split(separator: "\n").filter { $0.hasPrefix("delete one/") }
        #expect(planned.count == 6, "\(dry.end)")
        let deleting = try await fixture.run("--delete")
        #expect(deleting.end.status == 1 && !fixture.directory.exists("copy/one"), "\(deleting.end)")
        let last = try await fixture.run("--delete")
        #expect(last.end.status == 0, "\(last.end.errors)")
        try fixture.expectExact()
    }

    @Test("deletes nothing after a failed or empty listing")
    func deletesNothing() async throws {
        let fixture = try await MirrorFixture(
            server: "location = /tree/one/ { if (-f $document_root/off) { return 500; } }")
        _ = try await fixture.run()
        try fixture.nginx.root.write("", to: "off")
        try fixture.nginx.root.remove("tree/a.bin")
        let broken = try await fixture.run("--delete")
        #expect(broken.end.status == 1)
        #expect(broken.end.errors.contains("nothing is deleted: an entry of the source failed"))
        #expect(broken.end.errors.contains("1 gone at the source but kept here"), "\(broken.end.errors)")
        #expect(try fixture.read("a.bin") == "content of a.bin")
        try fixture.nginx.root.remove("tree")
        try fixture.nginx.root.makeDirectory("tree")
        let empty = try await fixture.run("--delete-all")
        #expect(empty.end.status == 1)
        #expect(empty.end.errors.contains("lists no files at all"))
        #expect(try fixture.read("one/a.bin") == "content of one/a.bin")
    }

    @Test("a page instead of a subdirectory's listing deletes nothing below it")
    func subdirectoryPage() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        try fixture.nginx.root.write("<h1>Welcome</h1>", to: "tree/one/index.html")
        let run = try await fixture.run("--delete-all")
        #expect(run.end.status == 1 && run.end.errors.contains("one/' is a page"), "\(run.end)")
        #expect(run.end.errors.contains("nothing is deleted"), "\(run.end)")
        #expect(try fixture.read("one/a.bin") == "content of one/a.bin")
    }

    @Test("a page with only unusable links deletes nothing", arguments: ["", "-all"])
    func loginPage(mode: String) async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        let proof = try fixture.read("SHA256SUMS")
        try fixture.nginx.root.write("Log in <a href=style.css>Style</a>", to: "tree/index.html")
        let run = try await fixture.run("--delete\(mode)")
        #expect(run.end.status == 1 && run.end.errors.contains("None of the files"), "\(run.end)")
        #expect(try fixture.read("SHA256SUMS") == proof)
        #expect(try fixture.read("one/a.bin") == "content of one/a.bin")
    }

    @Test(
        "a page with working links instead of a listing deletes nothing, in any run",
        arguments: [
            ("", "<title>Log in</title><a href=forgot>Forgot?</a>"),
            ("", "<form><input type=password></form><a href=forgot>Forgot?</a>"),
            ("one/", "<title>Down</title><a href=forgot>Status</a><a href=../>Home</a>"),
            ("", "<h1>Domain for sale</h1><p>\(String(repeating: "x", count: 70_000))<a href=forgot>Buy</a>"),
        ])
    func pageWithLinks(place: String, page: String) async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        let proof = try fixture.read("SHA256SUMS")
        try fixture.nginx.root.write(page, to: "tree/\(place)index.html")
        try fixture.nginx.root.write("<p>a page", to: "tree/\(place)forgot")
        for mode in ["--delete", "--delete-all", "--delete"] {
            let run = try await fixture.run(mode)
            #expect(run.end.status != 0, "\(run.end)")
            #expect(run.end.errors.contains("does not look like a listing"), "\(run.end)")
            #expect(!run.files.contains { $0.path.hasSuffix("forgot") }, "\(run.requests)")
        }
        #expect(try fixture.read("one/a.bin") == "content of one/a.bin")
        if place.isEmpty { #expect(try fixture.read("SHA256SUMS") == proof) }
    }

    @Test("a page that still names files of the mirror counts as a listing, and the other files are deleted")
    func ownPage() async throws {
        let fixture = try await MirrorFixture()
        let page = "<title>Downloads</title><a href=a.bin>a</a>"
        try fixture.nginx.root.write(page + "<a href=one/>one</a>", to: "tree/index.html")
        _ = try await fixture.run()
        try fixture.nginx.root.write(page, to: "tree/index.html")
        let run = try await fixture.run("--delete")
        #expect(run.end.status == 0 && run.end.errors.contains("deleted: one/a.bin"), "\(run.end)")
        #expect(try fixture.read("a.bin") == "content of a.bin")
        // Files that the user has removed are no evidence.
        try fixture.directory.remove("copy/a.bin")
        try fixture.nginx.root.write(
            "<title>Downloads</title><a href='b%20c.bin'>b</a>", to: "tree/index.html")
        let next = try await fixture.run("--delete")
        #expect(next.end.status == 0, "\(next.end)")
        #expect(try fixture.read("b c.bin") == "content of b c.bin")
    }

    @Test("a maintenance page is an error even without deletion, and the proof is kept")
    func maintenance() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        let proofs = try ["SHA256SUMS", "segdl-mirror.jsonl"].map(fixture.read)
        try fixture.nginx.root.write("Down for maintenance", to: "tree/index.html")
        let run = try await fixture.run("-q")
        #expect(run.end.status == 1 && run.end.errors.contains("lists no files at all"), "\(run.end)")
        #expect(try ["SHA256SUMS", "segdl-mirror.jsonl"].map(fixture.read) == proofs)
        let filtered = try await fixture.run("--exclude", "*")
        #expect(
            filtered.end.status == 1 && filtered.end.errors.contains("that the filter accepts"),
            "\(filtered.end)")
    }

    @Test("excluded files are not deleted")
    func filtered() async throws {
        let fixture = try await MirrorFixture()
        _ = try await fixture.run()
        let run = try await fixture.run("--delete-all", "--include", "one/*.bin", "--depth", "1")
        #expect(run.end.status == 0 && run.files.count == 3, "\(run.end.errors)")
        try fixture.expectExact()
    }

    // MARK: Failures
}
