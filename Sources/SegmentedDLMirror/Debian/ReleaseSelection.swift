internal import SegmentedDL

/// The part of a suite to mirror: a selection of its components and architectures.
struct ReleaseSelection: Sendable, Equatable {
    /// An index of packages or sources in all of its compressed forms, one of which is read.
    struct List: Sendable, Equatable {
        var isOfSources: Bool
        /// The forms of the index, the preferred one first.
        var forms: [(packing: Unpacker.Packing, index: ReleaseFile.Index)]

        static func == (one: List, other: List) -> Bool {
            one.isOfSources == other.isOfSources && one.forms.map(\.index) == other.forms.map(\.index)
        }
    }

    /// The indexes to mirror.
    private(set) var files: [ReleaseFile.Index] = []
    /// The indexes that list packages or sources.
    private(set) var lists: [List] = []
    /// The other indexes of packages, sources and translations that the suite lists.
    private(set) var others: [ReleaseFile.Index] = []

    /// The extensions of all compression formats that suites use.
    private static let endings = [".xz", ".gz", ".bz2", ".lzma", ".lz4", ".zst"]

    /// The purpose of an index, by its path.
    private struct Place: Hashable {
        enum Kind { case packages, sources, translations, notes }

        var component: String
        /// `source` for sources; empty for translations and in suites without components.
        var architecture: String
        var kind: Kind
        /// The path without the extension of the compression format.
        var stem: String

        /// - Returns: `nil` for an index that is not mirrored.
        init?(_ path: String) {
            let ending = ReleaseSelection.endings.first { path.hasSuffix($0) } ?? ""
            stem = String(path.dropLast(ending.count))
            var parts = stem.split(separator: "/", omittingEmptySubsequences: false)
            let name = parts.removeLast()
            let directory = parts.popLast() ?? ""
            component = parts.joined(separator: "/")
            architecture = directory == "source" ? "source" : ""
            if directory.hasPrefix("binary-") { architecture = String(directory.dropFirst("binary-".count)) }
            switch name {
            case "Packages" where !architecture.isEmpty && directory != "source" || directory.isEmpty:
                kind = .packages
            case "Sources" where directory == "source" || directory.isEmpty: kind = .sources
            case "Release" where !architecture.isEmpty: kind = .notes
            case _ where directory == "i18n" && name.hasPrefix("Translation-"): kind = .translations
            default: return nil
            }
            // A suite without components has its indexes next to the Release file.
            if directory.isEmpty, kind == .sources { architecture = "source" }
        }
    }

    /// Selects the indexes to mirror.
    ///
    /// - Parameters:
    ///   - components: The components; empty for all components of the suite.
    ///   - architectures: The architectures, and `source` for sources; empty for all architectures, without
    ///     sources.
    ///   - name: The name of the suite in messages.
    /// - Throws: `DownloadError` with code `notFound` if the suite lacks one of them.
    init(
        of release: ReleaseFile, components: [String], architectures: [String], name: String
    ) throws(DownloadError) {
        let placed = release.indexes.compactMap { index in Place(index.path).map { (place: $0, index: index) }
        }
        let listing = placed.filter { [.packages, .sources].contains($0.place.kind) }.map(\.place)
        let present = Set(listing.map(\.component))
        // In a suite of security updates a component is named 'updates/main', but its indexes are in 'main'.
        func directory(_ component: String) -> String {
            present.contains(component)
                ? component : component.split(separator: "/").last.map(String.init) ?? component
        }
        let named = Set(release.components.map(directory)).intersection(present)
        let wanted = components.isEmpty ? named.isEmpty ? present : named : Set(components.map(directory))
        try Self.check(wanted, in: present, "component", name)
        let offered = Set(listing.filter { wanted.contains($0.component) }.map(\.architecture))
        var parts = Set(architectures)
        if parts.isEmpty {
            parts = offered.subtracting(["source"])
        } else {
            // A suite without components has packages of all architectures in one index.
            if !offered.contains("") {
                try Self.check(parts.subtracting(["all"]), in: offered, "architecture", name)
            }
            if parts != ["source"], !release.repeatsAll { parts.insert("all") }
        }
        if parts != ["source"], offered.contains("") { parts.insert("") }
        let selected = placed.filter { place, _ in
            guard wanted.contains(place.component) else { return false }
            return place.kind == .translations ? parts != ["source"] : parts.contains(place.architecture)
        }
        add(selected)
        let paths = Set(files.map(\.path))
        others = placed.map(\.index).filter { !paths.contains($0.path) }
    }

    private mutating func add(_ selected: [(place: Place, index: ReleaseFile.Index)]) {
        let packed = Set(selected.filter { $0.place.stem != $0.index.path }.map(\.place))
        var forms: [Place: [ReleaseFile.Index]] = [:]
        var order: [Place] = []
        for (place, index) in selected {
            // A suite often lists the uncompressed form only for its digest; the file does not exist.
            if place.stem != index.path || !packed.contains(place) { files.append(index) }
            guard place.kind == .packages || place.kind == .sources else { continue }
            if forms[place] == nil { order.append(place) }
            forms[place, default: []].append(index)
        }
        for place in order {
            let known = Unpacker.Packing.allCases.compactMap { packing in
                forms[place]?.first { $0.path == place.stem + packing.rawValue }.map { (packing, $0) }
            }
            lists.append(List(isOfSources: place.kind == .sources, forms: known))
        }
    }

    private static func check(
        _ wanted: Set<String>, in present: Set<String>, _ noun: String, _ name: String
    ) throws(DownloadError) {
        guard let missing = wanted.subtracting(present).min() else { return }
        let known = present.filter { !$0.isEmpty }.sorted().map { Printable.text($0) }.joined(separator: ", ")
        throw DownloadError(
            .notFound,
            "\(name) has no \(noun) '\(Printable.text(missing))'\(known.isEmpty ? "" : "; it has \(known)").",
            url: name)
    }
}
