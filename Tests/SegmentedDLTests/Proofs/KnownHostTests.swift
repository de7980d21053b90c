import Testing

@testable import SegmentedDL

@Suite("A host with digests at another place")
struct KnownHostTests {
    @Test(
        "has a rule",
        arguments: [
            (
                "https://github.com/o/r/releases/download/v1.2/a.zip",
                "https://api.github.com/repos/o/r/releases/tags/v1.2"
            ),
            (
                "https://github.com/o/r/releases/latest/download/a.zip",
                "https://api.github.com/repos/o/r/releases/latest"
            ),
            (
                "https://files.pythonhosted.org/packages/ab/cd/ef/zstd_x-1.0-cp311-cp311-linux_x86_64.whl",
                "https://pypi.org/simple/zstd_x/"
            ),
            (
                "https://files.pythonhosted.org/packages/ab/cd/ef/a-b-1.0.tar.gz",
                "https://pypi.org/simple/a-b/"
            ),
            (
                "https://dlcdn.apache.org/maven/maven-3/3.9.9/apache-maven-3.9.9-bin.tar.gz",
                "https://downloads.apache.org/maven/maven-3/3.9.9/apache-maven-3.9.9-bin.tar.gz.sha512"
            ),
            (
                "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.1.tar.xz",
                "https://cdn.kernel.org/pub/linux/kernel/v6.x/sha256sums.asc"
            ),
            (
                "https://nodejs.org/dist/v22.1.0/node-v22.1.0.tar.gz",
                "https://nodejs.org/dist/v22.1.0/SHASUMS256.txt"
            ),
            (
                "https://go.dev/dl/go1.23.0.linux-amd64.tar.gz",
                "https://dl.google.com/go/go1.23.0.linux-amd64.tar.gz.sha256"
            ),
        ])
    func rule(url: String, document: String) throws {
        #expect(try KnownHost(of: Source(url))?.url == document)
    }

    @Test(
        "has none for other paths",
        arguments: [
            "https://github.com/o/r/archive/refs/tags/v1.tar.gz", "https://example.com/a.zip",
            "https://github.com/",
            "http://127.0.0.1:8080/o/r/releases/download/v1/a.zip",
            "https://github.com:444/o/r/releases/download/v1/a",
            "https://files.pythonhosted.org/packages/a", "https://go.dev/doc/a.zip",
        ])
    func none(url: String) throws {
        #expect(try KnownHost(of: Source(url)) == nil)
    }
}

@Suite("The names in a directory's listing")
struct DirectoryNamesTests {
    @Test("are those of its own files")
    func names() throws {
        let page = """
            <html><a href="../">up</a><a href="a%20b.iso">a b.iso</a><a href="./SHA256SUMS">s</a><a href="?C=M">m</a>
            <a href="/pub/x/c.bin">c</a><a href="/pub/d.bin">d</a><a href="sub/">sub</a><a href="https://h/e">e</a><a>f</a>
            """
        #expect(
            try DirectoryNames.read(Array(page.utf8), path: "/pub/x/") == ["a b.iso", "SHA256SUMS", "c.bin"])
    }
}
