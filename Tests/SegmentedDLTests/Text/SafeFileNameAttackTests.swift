import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Names crafted to pass the filter")
struct SafeFileNameAttackTests {
    /// Swift compares `Character`s, and a scalar that extends the previous one changes it into another
    /// character; the file system compares bytes.
    @Test(
        "a separator is found whatever combines with it",
        arguments: [
            "a/\u{200d}b", "a/\u{301}b", "a/\u{fe0f}b", "a\\\u{200d}b", "/\u{200d}etc/\u{200d}passwd",
            "/\u{200d}../\u{200d}../\u{200d}etc/\u{200d}passwd", "..\u{200d}/\u{200d}..\u{200d}/\u{200d}x",
        ])
    func joinedSeparator(received: String) throws {
        let name = try #require(SafeFileName.make(received))
        #expect(!name.utf8.contains(UInt8(ascii: "/")), "\(Array(name.unicodeScalars))")
        #expect(!name.utf8.contains(UInt8(ascii: "\\")), "\(Array(name.unicodeScalars))")
    }

    @Test(
        "the file stays in its directory",
        arguments: [
            "/\u{200d}../\u{200d}../\u{200d}tmp/\u{200d}x", "x/\u{200d}../\u{200d}../\u{200d}x",
            "/\u{200d}tmp/\u{200d}x",
        ])
    func staysInside(received: String) throws {
        let name = try #require(SafeFileName.make(received))
        let path = FilePath("/downloads").appending(name).lexicallyNormalized()
        #expect(path.removingLastComponent() == "/downloads", "\(path)")
    }

    @Test("a leading dot is found whatever combines with it")
    func joinedDot() {
        let name = SafeFileName.make(".\u{301}x") ?? ""
        #expect(name.utf8.first != UInt8(ascii: "."))
    }

    @Test(
        "a single character of hundreds of bytes is cut or refused, never an empty name",
        arguments: ["", ".txt"])
    func hugeCharacter(ending: String) {
        let name = SafeFileName.make("a" + String(repeating: "\u{301}", count: 300) + ending)
        #expect(name?.isEmpty != true)
        #expect(name?.hasPrefix(".") != true)
        #expect((name ?? "").utf8.count <= SafeFileName.longest)
    }

    @Test(
        "a name as long as a header may be is processed at once", .timeLimit(.minutes(10)),
        arguments: ["x", ".", "a.", "x ", "\u{301}"])
    func endless(repeated: String) {
        // Scanning the rest again for each removed scalar would take minutes.
        let name = SafeFileName.make(String(repeating: repeated, count: 250_000))
        #expect((name ?? "").utf8.count <= SafeFileName.longest)
    }

    @Test("random names are harmless")
    func random() throws {
        let seed: UInt64 = 404
        var random = SplitMix64(seed: seed)
        let scalars: [Unicode.Scalar] = [
            "a", ".", "/", "\\", " ", "\u{0}", "\n", "\u{200d}", "\u{301}", "\u{202e}", "é", "\u{fe0f}", "~",
            "x",
        ]
        for round in 0..<3000 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                view.append(scalars.randomElement(using: &random) ?? "x")
            }
            guard let name = SafeFileName.make(String(view)) else { continue }
            let bytes = Array(name.utf8)
            let isHarmless =
                !bytes.isEmpty && bytes.first != 0x2e
                && !bytes.contains { $0 < 0x20 || $0 == 0x2f || $0 == 0x5c }
            try #require(isHarmless, "seed \(seed), round \(round): \(Array(name.unicodeScalars))")
        }
    }
}
