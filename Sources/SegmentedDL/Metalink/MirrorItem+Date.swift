#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension MirrorItem {
    /// The date of the last modification, in whole seconds; `nil` if unknown.
    public var modificationDate: Date? {
        get { modified.map { Date(timeIntervalSince1970: Double($0)) } }
        // An impossible date counts as unknown.
        set { modified = newValue.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) } }
    }
}
