import SegmentedDL
import SegmentedDLServer
import SystemPackage
import TestSupport
import Testing

@Suite struct FenceTests {
    private let directory: TemporaryDirectory
    private let root: FilePath
    private let fence: Fence

    init() throws {
        directory = try TemporaryDirectory()
        fence = try Fence([directory.filePath("in"), directory.filePath("also")])
        root = fence.directories[0]
    }

    private func link(_ name: String, to target: String) throws {
        try directory.link("in/\(name)", to: target)
    }

    @Test("names are below the first directory")
    func names() throws {
        #expect(try fence.place(directory: nil, name: nil) == .directory(root))
        #expect(try fence.place(directory: "", name: "") == .directory(root))
        #expect(try fence.place(directory: nil, name: "a.bin") == .file(root.appending("a.bin")))
        #expect(try fence.place(directory: "x/y", name: "z/a") == .file(root.appending("x/y/z/a")))
        #expect(try fence.place(directory: root.string, name: "./a") == .file(root.appending("a")))
        #expect(
            try fence.place(directory: root.string + "//x/", name: nil) == .directory(root.appending("x")))
    }

    @Test("a further directory may be used")
    func further() throws {
        let also = fence.directories[1]
        #expect(try fence.place(directory: also.string + "/x", name: "a") == .file(also.appending("x/a")))
    }

    @Test(
        "paths outside are refused",
        arguments: [
            ("/etc", nil), ("/", nil), ("..", nil), ("x/../..", nil), (nil, "../a"), (nil, "x/../../a"),
            (nil, "/etc/passwd"), (nil, ".."), (nil, "a\u{0}b"), (nil, "a\nb"), (nil, "."),
            (nil, ".bashrc"), (".ssh", "authorized_keys"), ("~/../..", nil),
        ] as [(String?, String?)])
    func outside(directory: String?, name: String?) {
        let error = #expect(throws: DownloadError.self) {
            try fence.place(directory: directory, name: name)
        }
        let allowed = "choose one below '\(root)' or '\(fence.directories[1])'"
        #expect(error?.message.contains(allowed) == true, "\(error?.message ?? "")")
    }

    @Test("a directory with the same prefix is outside")
    func neighbour() {
        #expect(throws: DownloadError.self) { try fence.place(directory: root.string + "side", name: nil) }
    }

    @Test("no link is followed below the directory, and none is replaced")
    func links() throws {
        try link("out", to: "/etc")
        try link("file", to: "/etc/passwd")
        try link("dangling", to: "/nonexistent")
        for (directory, name) in [("out", nil), (nil, "out/a"), (nil, "file"), (nil, "dangling")]
            as [(String?, String?)]
        {
            #expect(throws: DownloadError.self) { try fence.place(directory: directory, name: name) }
        }
    }

    @Test("the daemon's own files are refused")
    func reserved() throws {
        let fence = try Fence([root], reserved: root.appending("queue.sqlite"))
        for name in ["queue.sqlite", "queue.sqlite.secret", "queue.sqlite-wal"] {
            #expect(throws: DownloadError.self) { try fence.place(directory: nil, name: name) }
        }
        #expect(try fence.place(directory: nil, name: "queue.txt") == .file(root.appending("queue.txt")))
    }

    @Test("a server cannot choose the name of one of the daemon's own files")
    func reservedName() throws {
        let fence = try Fence([root], reserved: root.appending("queue.sqlite"))
        for name in ["queue.sqlite", "queue.sqlite-journal", "queue.sqlite.jobs"] {
            #expect(throws: DownloadError.self) { try fence.check(.directory(root), named: name) }
        }
        try fence.check(.directory(root), named: "queue.txt")
        try fence.check(.directory(root.appending("sub")), named: "queue.sqlite")
        try fence.check(.directory(root), named: nil)
    }

    @Test("a path is refused if a link was inserted")
    func swapped() throws {
        try directory.makeDirectory("in/sub")
        let place = try fence.place(directory: "sub", name: "a")
        try fence.check(place)
        try directory.remove("in/sub")
        try link("sub", to: "/etc")
        #expect(throws: DownloadError.self) { try fence.check(place) }
    }

    @Test("a directory below a hidden one can be allowed as a whole")
    func hiddenRoot() throws {
        let fence = try Fence([directory.filePath(".cache/files")])
        let root = fence.directories[0]
        let place = try fence.place(directory: root.string, name: "a")
        #expect(place == .file(root.appending("a")))
        try fence.check(place)
        #expect(throws: DownloadError.self) { try fence.place(directory: root.string + "/.x", name: "a") }
    }

    @Test("deep and long paths are refused")
    func deep() {
        let deep = Array(repeating: "y", count: 33).joined(separator: "/")
        #expect(throws: DownloadError.self) { try fence.place(directory: nil, name: deep + "/a") }
        #expect(throws: DownloadError.self) { try fence.place(directory: deep, name: nil) }
        #expect(throws: DownloadError.self) {
            try fence.place(directory: nil, name: String(repeating: "y/", count: 3_000) + "a")
        }
    }

    @Test("a directory is not a file name")
    func directoryName() throws {
        _ = try Fence([root.appending("sub")])
        #expect(throws: DownloadError.self) { try fence.place(directory: nil, name: "sub") }
    }

    @Test("an allowed directory given by a link is entered through it")
    func linkedRoot() throws {
        try directory.link("link", to: root.string)
        let name = directory.filePath("link")
        let linked = try Fence([name])
        #expect(linked.directories == [root])
        #expect(try linked.place(directory: name.string, name: "a") == .file(root.appending("a")))
    }
}
