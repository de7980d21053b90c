import Foundation
import SegmentedDL
import SystemPackage
import Testing

@Suite("The table of features of file systems")
struct FeatureTableTests {
    private static let page = TestList.root.appendingPathComponent("docs/file-systems.md")
    private static let begin = "<!-- features: begin. Written by SEGDL_WRITE_DOCS=1 swift test -->\n"
    private static let end = "<!-- features: end -->"

    @Test("states what the code does; SEGDL_WRITE_DOCS=1 writes it again")
    func features() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(text.range(of: Self.begin))
        let end = try #require(text.range(of: Self.end, range: begin.upperBound..<text.endIndex))
        let section = begin.upperBound..<end.lowerBound
        if ProcessInfo.processInfo.environment["SEGDL_WRITE_DOCS"] == "1" {
            let written = text.replacingCharacters(in: section, with: Self.markdown)
            try written.write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(
            text[section] == Self.markdown, "run SEGDL_WRITE_DOCS=1 swift test --filter FeatureTableTests")
    }

    @Test(
        "does not mistake a lacking feature for a full disk, and accepts any error only where nothing depends on it"
    )
    func fatal() {
        for feature in FileSystemFeature.allCases {
            let isFree = [.dates, .attributes, .modes].contains(feature)
            for error in [Errno.noSpace, .readOnlyFileSystem, .noSuchProcess] {
                #expect(feature.isLacking(after: error) == isFree, "\(feature), \(error)")
            }
        }
        #expect(!FileSystemFeature.locks.isLacking(after: .wouldBlock))
        #expect(!FileSystemFeature.exclusiveNames.isLacking(after: .fileExists))
        #expect(!FileSystemFeature.links.isLacking(after: .fileExists))
        #expect(!FileSystemFeature.fileSync.isLacking(after: .ioError))
        #expect(!FileSystemFeature.directorySync.isLacking(after: .ioError))
    }

    private static var markdown: String {
        let rows = FileSystemFeature.allCases.map { feature in
            let errors = feature.errors?.map { "`\($0.symbol)`" }.joined(separator: ", ") ?? "any error"
            return
                "| \(feature.rawValue) | \(feature.calls) | \(errors) | \(feature.substitute) | \(feature.cost) |\n"
        }
        return "| feature | calls | not there | instead | cost |\n|---|---|---|---|---|\n" + rows.joined()
    }
}

extension FileSystemFeature {
    /// The system calls that need the feature.
    fileprivate var calls: String {
        switch self {
        case .locks: "flock"
        case .dates: "futimens"
        case .attributes: "fsetxattr, getxattr, removexattr"
        case .unnamedFiles: "open with O_TMPFILE"
        case .reservedBlocks: "fallocate"
        case .lengths: "ftruncate beyond the end"
        case .exclusiveNames: "renameat2 with RENAME_NOREPLACE"
        case .links: "link"
        case .modes: "chmod"
        case .fileSync: "fdatasync, fsync"
        case .directorySync: "open and fsync of a directory"
        }
    }

    /// The behaviour without the feature.
    fileprivate var substitute: String {
        switch self {
        case .locks: "no lock"
        case .dates: "the time of the last write"
        case .attributes: "the origin of a file is not recorded"
        case .unnamedFiles: "NAME.part from the first byte on"
        case .reservedBlocks: "a sparse file"
        case .lengths: "a file that grows with its bytes, which one connection fetches in order"
        case .exclusiveNames: "link and unlink"
        case .links: "a plain rename, right after checking that the name is free"
        case .modes: "the mode of a new file"
        case .fileSync, .directorySync: "no waiting for the disk"
        }
    }
}

extension Errno {
    /// The name in `errno.h` of an error listed for a feature.
    var symbol: String {
        switch self {
        case .noFunction: "ENOSYS"
        case .noLocks: "ENOLCK"
        case .notSupported: "EOPNOTSUPP"
        case .invalidArgument: "EINVAL"
        case .notPermitted: "EPERM"
        case .permissionDenied: "EACCES"
        case .isDirectory: "EISDIR"
        case .noSuchFileOrDirectory: "ENOENT"
        case .ioError: "EIO"
        case .tooManyLinks: "EMLINK"
        case .improperLink: "EXDEV"
        case .badFileDescriptor: "EBADF"
        default: "\(rawValue)"
        }
    }
}
