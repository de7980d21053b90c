import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("A walk over listings")
struct ListingWalkTests {
    private func entry(_ path: String, below root: Source) throws -> IndexEntry {
        let isDirectory = path.hasSuffix("/")
        let relative = try RelativePath(isDirectory ? path.dropLast() : path[...])
        let source = try root.appending(relative)
        return isDirectory ? .directory(try Source(source.url + "/"), relative) : .file(source, relative)
    }

    /// Walks a tree in which each directory lists all paths with its prefix.
    private func walked(
        _ tree: [String: [String]], _ filter: PathFilter = PathFilter(),
        _ options: WalkOptions = WalkOptions()
    ) throws -> (files: [String], visited: [String]) {
        var walk = ListingWalk(start: try Source("http://host/pub/"), filter: filter, options: options)
        var (files, visited): ([String], [String]) = ([], [])
        while let directory = walk.next() {
            try walk.found(directory, at: directory.source)
            visited.append(directory.path.map { $0.text + "/" } ?? "")
            let entries = try (tree[visited.last ?? ""] ?? []).map { try entry($0, below: walk.root) }
            for case .item(let item) in try walk.take(entries) { files.append(item.path.text) }
        }
        return (files.sorted(), visited.sorted())
    }

    private static let tree = [
        "": ["a.txt", "b/", "c/"], "b/": ["b/x.deb", "b/d/", "b/x.txt"], "b/d/": ["b/d/y.deb"],
        "c/": ["c/z.deb", "b/d/", "b/", "c/b/d/"], "c/b/d/": ["c/b/d/w.deb"],
    ]

    @Test("visits each directory once")
    func once() throws {
        let (files, visited) = try walked(Self.tree)
        #expect(files == ["a.txt", "b/d/y.deb", "b/x.deb", "b/x.txt", "c/b/d/w.deb", "c/z.deb"])
        #expect(visited == ["", "b/", "b/d/", "c/", "c/b/d/"])
    }

    @Test("keeps to a depth")
    func depth() throws {
        var options = WalkOptions()
        options.depth = 0
        #expect(try walked(Self.tree, PathFilter(), options).visited == [""])
        options.depth = 1
        #expect(try walked(Self.tree, PathFilter(), options).visited == ["", "b/", "c/"])
        options.depth = -1
        #expect(throws: DownloadError.self) { try options.validate() }
    }

    @Test("enters only directories that can contain selected files")
    func filtered() throws {
        let debs = try walked(Self.tree, PathFilter(include: [Glob("*.deb")], exclude: [Glob("d/")]))
        #expect(debs.files == ["b/x.deb", "c/z.deb"])
        #expect(debs.visited == ["", "b/", "c/"])
        let one = try walked(Self.tree, PathFilter(include: [Glob("b/**/*.deb")]))
        #expect(one.files == ["b/d/y.deb", "b/x.deb"])
        #expect(one.visited == ["", "b/", "b/d/"])
        let whole = try walked(Self.tree, PathFilter(include: [Glob("/c/")]))
        #expect(whole.files == ["c/b/d/w.deb", "c/z.deb"])
    }

    @Test("terminates on endless listings")
    func endless() throws {
        var options = WalkOptions()
        options.directories = 100
        var walk = ListingWalk(start: try Source("http://host/"), options: options)
        let error = #expect(throws: DownloadError.self) {
            var count = 0
            while walk.next() != nil {
                count += 1
                _ = try walk.take((0..<3).map { try entry("d\(count)/\($0)/", below: walk.root) })
            }
        }
        #expect(error?.message.contains("more than 100 directories") ?? false)
        // A directory that contains itself, as through a symbolic link, ends at the maximum path length.
        var deep = ListingWalk(start: try Source("http://host/"))
        var count = 0
        while let directory = deep.next() {
            count += 1
            let path = (directory.path.map { $0.text + "/" } ?? "") + "loop"
            guard let entry = try? entry(path + "/", below: deep.root) else { break }
            _ = try deep.take([entry])
        }
        #expect(count == RelativePath.maximumDepth + 1)
    }

    @Test("follows the start's redirect, and no other to another place")
    func redirects() throws {
        var walk = ListingWalk(start: try Source("http://host/latest"))
        let first = walk.next()
        let start = try #require(first)
        try walk.found(start, at: Source("https://mirror/v9/"))
        #expect(walk.root.url == "https://mirror/v9/")
        _ = try walk.take([entry("a b/", below: walk.root)])
        let second = walk.next()
        let below = try #require(second)
        try walk.found(below, at: Source("https://mirror/v9/%61%20b/"))
        for place in [
            "https://mirror/", "https://mirror/v9/c/", "https://other/v9/a%20b/", "http://mirror/v9/a%20b/",
        ] {
            let error = #expect(throws: DownloadError.self) { try walk.found(below, at: Source(place)) }
            #expect(error?.code == .badRedirect)
        }
    }
}

@Suite("Globs")
struct GlobTests {
    @Test(
        "match",
        arguments: [
            ("*.deb", "a/b/x.deb"), ("a/*", "a/x"), ("a/**", "a/b/c"), ("a/**/c", "a/c"),
            ("a/**/c", "a/x/y/c"),
            ("**/c", "c"), ("**/c", "a/b/c"), ("**", "a/b"), ("/a", "a"), ("?.txt", "ü.txt"),
            ("[a-c]x", "bx"),
            ("[!a-c]x", "dx"), ("[^a]", "b"), ("[]]", "]"), ("[a-]", "-"), ("\\*", "*"), ("a*b*c", "aXbYbZc"),
            ("*", "x"),
            ("[\\]]", "]"), ("a**b", "axyb"), ("*.tar.*", "x.tar.gz"), ("x/", "x/y"), ("d", "a/d/e"),
            ("a/b", "a/b/c/d"),
        ])
    func covers(pattern: String, path: String) throws {
        #expect(try Glob(pattern).covers(RelativePath(path)))
    }

    @Test(
        "do not match",
        arguments: [
            ("*.deb", "x.deb.asc"), ("a/*", "b/x"), ("a/*.txt", "a/b/c.txt"), ("/a", "b/a"), ("?", "ab"),
            ("[a-c]", "d"),
            ("[!a]", "a"), ("x/", "x"), ("x/", "y/x"), ("a/**/c", "a/b"), ("A", "a"), ("\\*", "x"),
            ("a?b/c", "a/b/c"),
        ])
    func coversNot(pattern: String, path: String) throws {
        #expect(try !Glob(pattern).covers(RelativePath(path)))
    }

    @Test("that are empty are an error", arguments: ["", "/", "[", "[a", "[]", "a\\", "[b-a]", "[a/b]"])
    func wrong(pattern: String) {
        #expect(throws: DownloadError.self) { try Glob(pattern) }
    }

    @Test("with many stars are fast")
    func hostile() throws {
        let glob = try Glob(String(repeating: "*a", count: 100) + "b")
        let path = try RelativePath(String(repeating: "a", count: 230))
        #expect(!glob.covers(path))
        let deep = try Glob(String(repeating: "**/a/", count: 60) + "b")
        #expect(!deep.covers(try RelativePath(String(repeating: "a/", count: 120) + "c")))
    }
}
