import Foundation

/// The directory of this package's executables: that of the test bundle.
public enum BuiltProducts {
    public static func path(of name: String) -> String {
        #if os(Linux)
            let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            let bundle = Bundle(for: Marker.self).bundleURL
        #endif
        return bundle.deletingLastPathComponent().appendingPathComponent(name).path
    }

    private final class Marker {}
}
