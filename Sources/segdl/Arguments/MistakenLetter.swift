import SegmentedDL
import SystemPackage

/// Short options whose value shows that the user means another tool's option with that letter.
enum MistakenLetter {
    /// The values of aria2's --file-allocation.
    private static let allocations: Set<String> = ["none", "prealloc", "trunc", "falloc"]

    /// Returns a sentence for the user; `nil` if the option has the meaning that it has here. Blocks.
    static func sentence(_ name: String, value: String?) -> String? {
        guard let value else { return nil }
        switch name {
        // The data may contain a secret.
        case "-d" where isData(value):
            return
                "-d is --directory here, as in aria2, and its value looks like the data of curl's --data: segdl only downloads, so use curl for that. For a directory of that name write ./ before it, as in -d ./a=b."
        case "-a" where allocations.contains(value):
            return
                "-a is --log here, as in wget, and its value looks like that of aria2's --file-allocation. Remove it, because segdl reserves the space itself, or write --log \(value) for a log of this name."
        case "-T" where Double(value) == nil && !value.hasPrefix("-") && !value.hasURLScheme:
            return
                "-T is --connect-timeout here, as in wget and axel, and needs a number of seconds. segdl only downloads; for curl's -T (--upload-file) use curl."
        default: return nil
        }
    }

    /// True for form data or JSON that is not the name of an existing directory. Blocks.
    private static func isData(_ value: String) -> Bool {
        guard let first = value.first, !"/.~".contains(first) else { return false }
        guard "{[@".contains(first) || value.contains("=") else { return false }
        return (try? SystemCalls.statusFollowingLinks(FilePath(value)))?.kind != .directory
    }
}
