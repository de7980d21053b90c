import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("The names of unfinished files")
struct DownloadPathsTests {
    private func name(_ path: FilePath) throws -> String { try #require(path.lastComponent?.string) }

    @Test("are the final one with a suffix")
    func short() {
        let paths = DownloadPaths("d/a.iso")
        #expect(paths.part == "d/a.iso.part")
        #expect(paths.manifest == "d/a.iso.part.segdl")
        #expect(paths.moving == "d/a.iso.part.move")
        #expect(DownloadPaths("a").part == "a.part")
    }

    @Test(
        "are short enough for each suffix, and valid text",
        arguments: [
            ("n", 239), ("n", 240), ("n", 241), ("n", 255), ("é", 120), ("é", 121), ("é", 127), ("👩‍🎤", 23),
        ])
    func long(character: String, count: Int) throws {
        let final = String(repeating: character, count: count)
        let paths = DownloadPaths(FilePath("d").appending(final))
        for path in [
            paths.part, paths.manifest.appendingToName(".new"), paths.moving,
            paths.destination.namingBeside(".rejected"),
        ] {
            #expect(try name(path).utf8.count <= 255)
            #expect(try name(path).hasPrefix(character) && !name(path).contains("\u{fffd}"))
            #expect(path.directory == "d")
        }
        #expect(try name(paths.part).hasPrefix(final) == (final.utf8.count <= 240))
    }

    @Test("are distinct even with the same prefix")
    func apart() {
        let stem = String(repeating: "n", count: 250)
        #expect(DownloadPaths(FilePath(stem + "1")).part != DownloadPaths(FilePath(stem + "2")).part)
        #expect(DownloadPaths(FilePath(stem)).part == DownloadPaths(FilePath(stem)).part)
    }
}
